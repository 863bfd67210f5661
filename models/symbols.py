"""The reserved numbers of the tensor core: sentinels, sizes of batches, and statuses.

They are used as `symbols.NAME`: scripted code may read a constant from a module, not from its own globals.
"""

NONE = -1  # no node, no step, no slot, no prefix
VARIABLE = 0  # the leaf of every variable, to the Composer; words are 1..V
UNLEARNED = 0  # the kind of a rule that no training pair needed; kinds are numbered from 1
END = 0  # a DstExp ends; 1..P are the variables of its span, numbers above P are actions
PAIR = 1 << 31  # left * PAIR + right names a pair of nodes
IMPOSSIBLE = -1e9  # the score of a masked option; finite, so that a row with nothing else gives no NaN

# Writing out takes some hundred times the memory of the output, so 2^18 actions take a few hundred MB.
PORTION = 1 << 18  # actions that are written out at a time
# Bounds the memory of a batch of commands of any length.
CELLS = 1 << 16  # words that are translated at a time, padding included

# The status of a translation; the numbers are part of the exported files.
OK = 0
OUTPUT_TOO_LONG = 1
EMPTY = 2
UNKNOWN_WORD = 3
TOO_MANY_WORDS = 4
NOT_LEARNED = 5  # the actions are given nevertheless

# What a plan says of a span of a command.
FREE = 0  # nothing: the network decides
APART = 1  # it is not merged
JOINED = 2  # it is merged, and not recognised
RECOGNIZED = 3  # it is merged (if it is not a single word) and recognised
