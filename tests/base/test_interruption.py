import signal
import subprocess
import sys
import threading

import pytest

from lane.base.interruption import SIGNALS, delayed

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_delivered_after_the_block(number):
    order = []
    before = signal.signal(number, lambda *_: order.append("signal"))
    try:
        with delayed():
            signal.pthread_kill(threading.get_ident(), number)  # other threads have it not blocked
            order.append("block")
        assert order == ["block", "signal"]
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(("call", "code"), [("pass", 0), ("unblock()", -signal.SIGTERM)])
def test_a_process_started_in_the_block_unblocks_them(call, code):
    body = "import os, signal; from lane.base.interruption import unblock\n"
    body += f"{call}; os.kill(os.getpid(), signal.SIGTERM)"
    with delayed():
        assert subprocess.run([sys.executable, "-c", body], check=False).returncode == code
