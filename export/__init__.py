"""Exported artifacts: TorchScript, ONNX and the program."""
