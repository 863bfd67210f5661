"""A home robot's commands: writes train.tsv (collected by an owner) and test.tsv (never said before).

    python examples/robot/make.py

The training commands have up to three parts, and `garden` only by itself. The test has the garden everywhere,
and up to six parts. Each operator occurs with and without each of the others, so that the pairs decide its
rule.
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
    """A job by itself: do it here."""
    return job, job.upper()


def both(one: Said, other: Said) -> Said:
    """One and the other; `and` binds tighter than every other word."""
    return f"{one[0]} and {other[0]}", f"{one[1]} {other[1]}"


def do_in(job: Said, room: Said) -> Said:
    """Go there first."""
    return f"{job[0]} in {room[0]}", f"{room[1]} {job[1]}"


def patrol(rooms: Said) -> Said:
    """Make the round twice."""
    return f"patrol {rooms[0]}", f"{rooms[1]} {rooms[1]}"


def times(said: Said, word: str, count: int) -> Said:
    """Again and again."""
    return f"{said[0]} {word}", " ".join(count * [said[1]])


def then(one: Said, other: Said) -> Said:
    """In the order of the words."""
    return f"{one[0]} then {other[0]}", f"{one[1]} {other[1]}"


def after(one: Said, other: Said) -> Said:
    """In the opposite order."""
    return f"{one[0]} after {other[0]}", f"{other[1]} {one[1]}"


def one_or_two(draw: random.Random, said: list[Said]) -> Said:
    """One of these, or two different ones joined by `and`."""
    one, other = draw.sample(said, 2)
    return draw.choice([one, both(one, other)])


def part(draw: random.Random, rooms: list[Said], jobs: list[Said]) -> Said:
    """One part of a command, perhaps repeated."""
    place, job = one_or_two(draw, rooms), one_or_two(draw, jobs)
    said = draw.choice([place, job, do_in(job, draw.choice(rooms)), patrol(place)])
    return draw.choice([said, said, times(said, "twice", 2), times(said, "thrice", 3)])


def command(draw: random.Random, rooms: list[Said], jobs: list[Said], parts: int) -> Said:
    """Parts in a row, grouped from the left."""
    said = part(draw, rooms, jobs)
    for _ in range(parts - 1):
        said = draw.choice([then, after])(said, part(draw, rooms, jobs))
    return said


def new_pairs(draw: random.Random, rooms: list[Said], parts: int, count: int, seen: set[str]) -> list[Said]:
    """Commands that have not been seen, shortest first."""
    jobs = [do(job) for job in JOBS]
    found: dict[str, str] = {}
    while len(found) < count:
        source, target = command(draw, rooms, jobs, draw.randint(1, parts))
        if source not in seen:
            found[source] = target
    return sorted(found.items(), key=lambda said: (len(said[0].split()), said))


def main() -> None:
    """Write both files beside this one."""
    draw = random.Random(7)
    rooms = [go(room) for room in ROOMS]
    words = [*rooms, *(do(job) for job in JOBS)]
    train = words + new_pairs(draw, rooms[:-1], 3, TRAIN - len(words), {source for source, _ in words})
    test = new_pairs(draw, rooms, 6, TEST, {source for source, _ in train})
    for name, pairs in (("train", train), ("test", test)):
        text = "".join(f"{source}\t{target}\n" for source, target in pairs)
        Path(__file__).with_name(f"{name}.tsv").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
