from lane.runtime.memory import Memory


def test_the_lowest_empty_slot_is_taken():
    memory = Memory()
    assert [memory.store() for _ in range(4)] == [0, 1, 2, 3]
    memory.free(2)
    memory.free(0)
    assert [memory.store() for _ in range(3)] == [0, 2, 4]
