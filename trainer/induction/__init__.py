"""Induction: rules read off the pairs, which steer exploration and say how wide the networks must be."""

from lane.trainer.induction.induced import Induced, induce

__all__ = ["Induced", "induce"]
