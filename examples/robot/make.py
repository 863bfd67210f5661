"""A home robot's commands: writes train.tsv, what somebody might collect, and test.tsv, what was never said.

    python examples/robot/make.py

Training has commands of up to three parts, and `garden` only by itself. The test has the garden everywhere,
and up to six parts.
"""

import random
from pathlib import Path

ROOMS = ("kitchen", "hall", "bedroom", "office", "garden")
JOBS = ("vacuum", "mop", "dust", "scan", "beep", "wait")
TRAIN, TEST = 200, 300

Said = tuple[str, str]  # a command and its actions


def go(room: str) -> Said:
    """A room by itself: go there."""
    return room, f"TO_{room.upper()}"


def do(job: str) -> Said:
    """Wherever it is."""
    return job, job.upper()


def do_in(job: str, room: str) -> Said:
    """There first."""
    return f"{job} in {room}", f"TO_{room.upper()} {job.upper()}"


def patrol(room: str, other: str) -> Said:
    """To and fro."""
    return f"patrol {room} and {other}", " ".join(2 * [f"TO_{room.upper()}", f"TO_{other.upper()}"])


def times(said: Said, word: str, count: int) -> Said:
    """Over and over."""
    return f"{said[0]} {word}", " ".join(count * [said[1]])


def then(one: Said, other: Said) -> Said:
    """In the order of the words."""
    return f"{one[0]} then {other[0]}", f"{one[1]} {other[1]}"


def after(one: Said, other: Said) -> Said:
    """In the other order."""
    return f"{one[0]} after {other[0]}", f"{other[1]} {one[1]}"


def simple(rooms: tuple[str, ...]) -> list[Said]:
    """Commands of one part in these rooms."""
    return [
        *map(go, rooms),
        *map(do, JOBS),
        *(do_in(job, room) for job in JOBS for room in rooms),
        *(patrol(room, other) for room in rooms for other in rooms if room != other),
    ]


def part(draw: random.Random, commands: list[Said]) -> Said:
    """One command, perhaps repeated."""
    said = draw.choice(commands)
    return draw.choice([said, said, times(said, "twice", 2), times(said, "thrice", 3)])


def command(draw: random.Random, commands: list[Said], parts: int) -> Said:
    """Parts in a row; those that come first belong together."""
    said = part(draw, commands)
    for _ in range(parts - 1):
        said = draw.choice([then, after])(said, part(draw, commands))
    return said


def new_pairs(
    draw: random.Random, commands: list[Said], parts: int, count: int, seen: set[str]
) -> list[Said]:
    """Commands that are not among those seen, shortest first."""
    found: dict[str, str] = {}
    while len(found) < count:
        source, target = command(draw, commands, draw.randint(1, parts))
        if source not in seen:
            found[source] = target
    return sorted(found.items(), key=lambda said: (len(said[0].split()), said))


def main() -> None:
    """Write both files beside this one."""
    draw = random.Random(7)
    usual = simple(ROOMS[:-1])
    once = [go(ROOMS[-1]), *usual]
    train = [*once, *new_pairs(draw, usual, 3, TRAIN - len(once), {source for source, _ in once})]
    test = new_pairs(draw, simple(ROOMS), 6, TEST, {source for source, _ in train})
    for name, pairs in (("train", train), ("test", test)):
        text = "".join(f"{source}\t{target}\n" for source, target in pairs)
        Path(__file__).with_name(f"{name}.tsv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
