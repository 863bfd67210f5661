from lane.data.checksum import verify
from lane.data.pair import Pair
from lane.data.scan import scan_pairs, scan_phrases


def test_the_whole_language_has_its_known_checksum() -> None:
    verify("scan", scan_pairs(), "the grammar")


def test_no_command_is_there_twice() -> None:
    assert len(scan_phrases()) == 102
    assert len({pair.source for pair in scan_pairs()}) == 20_910


def test_examples_of_each_rule() -> None:
    pairs = set(scan_pairs())
    for source, target in [
        ("jump", "I_JUMP"),
        ("turn left", "I_TURN_LEFT"),
        ("walk opposite right", "I_TURN_RIGHT I_TURN_RIGHT I_WALK"),
        ("turn around left", "I_TURN_LEFT " * 4),
        ("look around right", "I_TURN_RIGHT I_LOOK " * 4),
        ("run left thrice", "I_TURN_LEFT I_RUN " * 3),
        ("jump and walk twice", "I_JUMP I_WALK I_WALK"),
        ("jump after walk twice", "I_WALK I_WALK I_JUMP"),
    ]:
        assert Pair.of(source, target) in pairs
