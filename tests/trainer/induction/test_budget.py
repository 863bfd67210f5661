from lane.trainer.induction.budget import Budget


def test_it_is_over_once_all_steps_are_spent():
    work = Budget(10)
    work.spend(9)
    assert (work.left, work.is_over) == (1, False)
    work.spend(1)
    assert work.is_over
    work.spend(5)
    assert (work.left, work.is_over) == (-5, True)
    assert Budget(0).is_over
