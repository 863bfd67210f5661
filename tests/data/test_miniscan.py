import pytest

from lane.data.miniscan import limit

ACTIONS = {
    "dax": "RED",
    "lug fep": "BLUE BLUE BLUE",
    "wif blicket dax": "GREEN RED GREEN",
    "lug kiki wif": "GREEN BLUE",
    "lug fep kiki wif": "GREEN BLUE BLUE BLUE",
    "wif kiki dax blicket lug": "RED BLUE RED GREEN",
    "lug kiki wif fep": "GREEN GREEN GREEN BLUE",
    "wif blicket dax kiki lug": "BLUE GREEN RED GREEN",
    "zup blicket wif kiki dax fep": "RED RED RED YELLOW GREEN YELLOW",
    "zup blicket zup kiki zup fep": "YELLOW YELLOW YELLOW YELLOW YELLOW YELLOW",
    "lug kiki wif blicket zup": "GREEN YELLOW GREEN BLUE",
}


def test_fourteen_and_ten() -> None:
    task = limit()
    assert (len(task.train), len(task.test)) == (14, 10)
    assert not {pair.source for pair in task.train} & {pair.source for pair in task.test}


@pytest.mark.parametrize("command", ACTIONS)
def test_actions_worked_out_by_hand(command: str) -> None:
    task = limit()
    actions = {" ".join(pair.source): " ".join(pair.target) for pair in (*task.train, *task.test)}
    assert actions[command] == ACTIONS[command]


def test_zup_is_trained_alone_and_in_every_test() -> None:
    task = limit()
    assert [pair.source for pair in task.train if "zup" in pair.source] == [("zup",)]
    assert all("zup" in pair.source for pair in task.test)
