"""Five hundred objects for the robot, 250 rooms and 250 jobs: writes objects.txt, for `lane-run grow`.

    python examples/robot/objects.py
    lane-run grow examples/robot/objects.txt --model robot.lane --out grown.lane

Each is like one of the words that the robot has learned. Some of the rooms are like the garden, which no
training command combines with anything.
"""

from itertools import product
from pathlib import Path

from make import JOBS, ROOMS

WINGS = ("north", "south", "east", "west", "upper", "lower", "front", "back", "guest", "staff")
PLACES = (
    *("attic", "cellar", "pantry", "porch", "garage", "study", "library", "nursery", "laundry", "bathroom"),
    *("balcony", "terrace", "workshop", "larder", "lobby", "stairs", "corridor", "closet", "den", "gym"),
    *("studio", "sauna", "foyer", "shed", "gallery"),
)
VERBS = ("polish", "wipe", "wash", "check", "fetch", "carry", "fold", "water", "light", "lock")
THINGS = (
    *("lamp", "table", "chair", "window", "mirror", "shelf", "carpet", "curtain", "plant", "bottle"),
    *("basket", "blanket", "candle", "clock", "door", "drawer", "heater", "kettle", "pillow", "plate"),
    *("radio", "sofa", "stove", "towel", "vase"),
)


def new_rooms() -> list[str]:
    """`north-attic` and so on."""
    return [f"{wing}-{place}" for wing, place in product(WINGS, PLACES)]


def new_jobs() -> list[str]:
    """`polish-lamp` and so on."""
    return [f"{verb}-{thing}" for verb, thing in product(VERBS, THINGS)]


def lines() -> list[str]:
    """A line for each object, as `lane-run grow` reads them."""
    rooms = [f"{room} like {ROOMS[n % len(ROOMS)]} = TO_{room.upper()}" for n, room in enumerate(new_rooms())]
    jobs = [f"{job} like {JOBS[n % len(JOBS)]} = {job.upper()}" for n, job in enumerate(new_jobs())]
    return rooms + jobs


def main() -> None:
    """Write the file beside this one."""
    text = "".join(f"{line}\n" for line in lines())
    Path(__file__).with_name("objects.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
