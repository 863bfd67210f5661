"""The lightweight runtime: loads an exported file and translates."""

from lane.base.rule import Rule, Rules
from lane.runtime.bounds import Limits
from lane.runtime.derivation import Derivation, Step
from lane.runtime.errors import ModelError, ProgramError
from lane.runtime.mapper import BatchMapper
from lane.runtime.program import Node, Program
from lane.runtime.results import Failure, Info, Translation
from lane.runtime.translator import Translator, load

__all__ = [
    "BatchMapper",
    "Derivation",
    "Failure",
    "Info",
    "Limits",
    "ModelError",
    "Node",
    "Program",
    "ProgramError",
    "Rule",
    "Rules",
    "Step",
    "Translation",
    "Translator",
    "load",
]
