import importlib.util
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

# On a busy machine any example may take long, and that is no failure.
settings.register_profile("lane", deadline=None)
settings.load_profile("lane")

# A runner in the background ignores these signals, and so would all commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

WITHOUT_TORCH = importlib.util.find_spec("torch") is None  # as on a Python that has no torch yet


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Tensors are tiny here, and test processes run side by side: more threads only wait for each other."""
    if WITHOUT_TORCH:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """A model with random weights as all three kinds of files, by kind; and its checkpoint."""
    if WITHOUT_TORCH:
        pytest.skip("torch is not installed")
    from lane.export import export
    from lane.models.checkpoint import save

    spec = importlib.util.spec_from_file_location(
        "random_models", Path(__file__).parent / "export" / "conftest.py"
    )
    models = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(models)
    place = tmp_path_factory.mktemp("exported")
    made = models.make_checkpoint()
    save(replace(made, card=made.card.model_copy(update={"converged": True})), place / "model.pt")
    done = export(place / "model.pt", pairs=models.make_commands(5, 40, 6), random=20)
    return {file.kind: file.path for file in done.files} | {"checkpoint": place / "model.pt"}
