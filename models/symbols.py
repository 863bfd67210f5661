"""The numbers with a meaning of their own.

They are used as `symbols.NAME`: scripted code may read a constant from a module, not from its own globals.
"""

NONE = -1  # no node, no step, no slot, no prefix
VARIABLE = 0  # the leaf that every variable is to the Composer; words are 1..V
END = 0  # a DstExp ends; 1..P are the variables of its span, numbers above P are actions
PAIR = 1 << 31  # left * PAIR + right names a pair of nodes
IMPOSSIBLE = -1e9  # the score of what may not be chosen; finite, so that a row of nothing else stays a number

PORTION = 1 << 18  # how many actions are written out at a time
CELLS = 1 << 16  # how many words of a text are translated at a time, padding included

# The status of a translation.
OK = 0
OUTPUT_TOO_LONG = 1
EMPTY = 2
UNKNOWN_WORD = 3
TOO_MANY_WORDS = 4
