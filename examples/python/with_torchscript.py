"""Translates the lines of standard input with a TorchScript archive: only torch is needed.

echo "jump twice" | python with_torchscript.py model.ts
"""

import json
import sys

import torch

# An archive can hold any code: load only files that you trust.
files = {"lane.json": ""}
model = torch.jit.load(sys.argv[1], _extra_files=files)
card = json.loads(files["lane.json"])

texts, statuses = model(sys.stdin.read().splitlines())
for text, status in zip(texts, statuses, strict=True):
    print(text if status == 0 else f"<error:{card['statuses'][status]}>")
