"""Translates the lines of standard input with an ONNX file: only numpy and onnxruntime are needed.

    echo "jump twice" | python with_onnx.py model.onnx

Words go in as numbers, one row a command, zeros behind its last word. The actions of all rows come out one
behind the other, with the length and the status of each row.
"""

import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
card = json.loads(session.get_modelmeta().custom_metadata_map["lane.json"])
number = {word: i for i, word in enumerate(card["words"], start=1)}

commands = [line.split() for line in sys.stdin.read().splitlines()]
words = np.zeros((len(commands), max(map(len, commands), default=0)), dtype=np.int64)
for row, command in enumerate(commands):
    words[row, : len(command)] = [number.get(word, -1) for word in command]

actions, length, status = session.run(None, {"words": words})
for row, code in zip(np.split(actions, length.cumsum()[:-1]), status, strict=True) if len(commands) else ():
    text = " ".join(card["actions"][i - 1] for i in row)
    print(text if code == 0 else f"<error:{card['statuses'][code]}>")
