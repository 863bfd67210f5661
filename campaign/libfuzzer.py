"""Runs libFuzzer, by atheris, on one reader; campaign/fuzz.py starts it.

    python campaign/libfuzzer.py READER [--core FILE] [libFuzzer's own arguments]

With `--core` the compiled core is that file, built with sanitizers and with campaign/coverage.c.
"""

import ctypes
import importlib.util
import sys
from pathlib import Path

import atheris

PLACES = 4096  # as in coverage.c


def use_core(path: str) -> ctypes.CDLL:
    """Take the place of the installed core."""
    spec = importlib.util.spec_from_file_location("lane.runtime._core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["lane.runtime._core"] = module
    return ctypes.CDLL(path)


def count(core: ctypes.CDLL) -> None:
    """Register the counters of the core with libFuzzer, as clang's instrumentation does."""
    (path,) = Path(atheris.__file__).parent.glob("core_with_libfuzzer*")
    library = ctypes.CDLL(str(path))
    for name, register, width in (
        ("counters", library.__sanitizer_cov_8bit_counters_init, 1),
        ("places", library.__sanitizer_cov_pcs_init, 2 * ctypes.sizeof(ctypes.c_void_p)),
    ):
        start = ctypes.addressof(ctypes.c_uint8.in_dll(core, name))
        register(ctypes.c_void_p(start), ctypes.c_void_p(start + PLACES * width))


def main() -> None:
    """Fuzz until libFuzzer ends."""
    name = sys.argv.pop(1)
    core = None
    if sys.argv[1:2] == ["--core"]:
        core = use_core(sys.argv[2])
        del sys.argv[1:3]
    with atheris.instrument_imports(include=["lane"]):
        import readers

        read = readers.READERS[name].read
        read(b"")  # it may import more
    atheris.Setup(sys.argv, read)
    if core is not None:
        count(core)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
