"""Places and slots are names: equal if their parts are."""

from lane.trainer.slot import ANYWHERE, ROOT, ROOTS, Place, Slot


def test_the_root_is_a_place_of_its_own():
    assert len({ROOT, ANYWHERE, Place((1,), 0)}) == 3
    assert Slot(ROOT, (), (), 0) == ROOTS
