"""What the derivations of some commands use of a model."""

from lane.runtime.coverage import coverage
from lane.runtime.program_backend import ProgramBackend
from lane.runtime.translator import Translator


def test_rules_and_words_that_no_command_used_are_left(tiny):
    translator = Translator(ProgramBackend(tiny))
    found = coverage(translator, map(translator.explain, ["dax", "dax kiki dax", "lug nonsense"]))
    assert (found.rules, found.words) == (3, 3)  # of the rules, those that the training used
    assert [str(rule) for rule in found.rules_left] == ["lug -> BLUE"]
    assert found.words_left == ("lug",)
    assert coverage(translator, map(translator.explain, ["dax kiki lug"])) == (3, 3, (), ())
