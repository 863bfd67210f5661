"""Injects faults into the real commands, and checks after each that nothing was lost unnoticed.

    python campaign/faults.py --minutes 60 --json results/faults.json

Every call of a stream, of parts, a training, an export and a program to grow that reads, writes, opens, syncs
or renames fails once in each way, or a signal ends the command there; every allocation of the compiled core
fails too. Then, until the time is up, commands are ended by SIGTERM and SIGKILL at random moments, workers
are killed, and clocks jump.
A loss is an exit code 0 with output missing, output that is not a prefix of the right one, a traceback, a
file that is neither the old nor the new one, a temporary file or a process that is left, or a training that
does not resume to the same weights.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from export_faults import Exporting
from injection import Campaign
from part_faults import Parts
from stream_faults import Stream, failing_allocations
from train_faults import Training

STREAMS, PARTS, EXPORTS = 10, 4, 2  # for each training that is stopped: they take less time


def main() -> int:
    """All calls once, then random moments; 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=5, help="every call and a round are always made (5)")
    parser.add_argument("--calls", type=int, default=sys.maxsize, help="at most, of each kind (all)")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), options.seed)
        for step in steps(campaign, options.calls, begin + options.minutes * 60):
            step()
            figures = {
                "seconds": round(time.monotonic() - begin),
                "faults": campaign.faults,
                "losses": campaign.losses,
            }
            if options.json:  # after each step, so that a campaign that is stopped leaves its figures too
                options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))
    return 1 if campaign.losses else 0


def steps(campaign: Campaign, calls: int, end: float) -> Iterator[Callable[[], None]]:
    """All calls once, then random moments until the time is up."""
    stream = Stream(campaign)
    yield lambda: stream.failing_calls(calls)
    yield stream.too_few_files
    yield stream.clock
    yield lambda: failing_allocations(campaign)
    parts = Parts(campaign, stream)
    yield lambda: parts.failing_calls(calls)
    yield lambda: parts.failing_parts(calls)
    training = Training(campaign)
    export = Exporting(campaign, training.model)
    yield lambda: export.failing_calls(calls)
    yield export.clock
    yield training.clock
    yield lambda: training.failing_reads(calls)
    once = [stream.signals] * STREAMS + [parts.signals] * PARTS + [export.signals] * EXPORTS
    once += [training.signals, training.killed_worker]
    yield from once
    yield lambda: training.failing_calls(calls)
    while time.monotonic() < end:
        yield from once


if __name__ == "__main__":
    sys.exit(main())
