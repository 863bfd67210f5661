"""State to keep: what an object needs to continue bit by bit as if nothing had interrupted it."""

from typing import Any, ClassVar

from torch import Tensor, nn


class Stateful:
    """Names in `kept` the attributes that are its state; stateful parts keep their own."""

    kept: ClassVar[tuple[str, ...]]

    def state(self) -> dict[str, Any]:
        """Plain values and tensors, for a checkpoint. The tensors are live: copy them to keep a moment."""
        return {name: _state_of(getattr(self, name)) for name in self.kept}

    def restore(self, state: dict[str, Any]) -> None:
        """Return to a kept state, which itself stays unchanged."""
        for name in self.kept:
            part, value = getattr(self, name), state[name]
            if isinstance(part, Stateful):
                part.restore(value)
            elif isinstance(part, nn.Module):
                part.load_state_dict(value)
            else:
                setattr(self, name, value.to(part.device, copy=True) if isinstance(part, Tensor) else value)


def _state_of(part: Any) -> Any:
    if isinstance(part, Stateful):
        return part.state()
    return part.state_dict() if isinstance(part, nn.Module) else part
