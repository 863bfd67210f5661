"""Tasks and pairs: the SCAN grammar, the benchmark splits, and readers for a user's own files."""

from lane.trainer.data.checksum import checksum
from lane.trainer.data.formats import Format
from lane.trainer.data.language import random_language, random_task
from lane.trainer.data.pair import Pair
from lane.trainer.data.reader import PairReader, read_pairs
from lane.trainer.data.registry import load_task, task_names
from lane.trainer.data.scan import scan_pairs
from lane.trainer.data.summary import Summary, summarize
from lane.trainer.data.task import Task
from lane.trainer.data.writer import write_pairs, write_task

__all__ = [
    "Format",
    "Pair",
    "PairReader",
    "Summary",
    "Task",
    "checksum",
    "load_task",
    "random_language",
    "random_task",
    "read_pairs",
    "scan_pairs",
    "summarize",
    "task_names",
    "write_pairs",
    "write_task",
]
