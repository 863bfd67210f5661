"""Induction: rules read off the pairs, which steer exploration and say how wide the networks must be.

The bounds and weights in these modules are choices, with what each limits beside it. No study compares other
values; docs/benchmarks.md has what was learned with these.
"""

from lane.trainer.induction.induced import Induced, induce

__all__ = ["Induced", "induce"]
