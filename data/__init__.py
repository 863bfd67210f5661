"""Tasks and pairs: the SCAN grammar, the benchmark splits, and readers for a user's own files."""

from lane.data.checksum import checksum
from lane.data.formats import Format
from lane.data.pair import Pair
from lane.data.reader import PairReader, read_pairs
from lane.data.registry import load_task, task_names
from lane.data.scan import scan_pairs
from lane.data.summary import Summary, summarize
from lane.data.task import Task
from lane.data.writer import write_pairs, write_task

__all__ = [
    "Format",
    "Pair",
    "PairReader",
    "Summary",
    "Task",
    "checksum",
    "load_task",
    "read_pairs",
    "scan_pairs",
    "summarize",
    "task_names",
    "write_pairs",
    "write_task",
]
