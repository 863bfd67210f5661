"""Translates the lines of standard input with a program: this package alone, neither torch nor numpy.

echo "jump twice" | python with_program.py model.lane
"""

import sys

from lane.runtime import load

translator = load(sys.argv[1])
for translation in translator.translate_iter(sys.stdin.read().splitlines()):
    print(translation.text if translation.ok else f"<error:{translation.error.code}>")
