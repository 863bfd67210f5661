import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Tensors are tiny here, and test processes run side by side: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
