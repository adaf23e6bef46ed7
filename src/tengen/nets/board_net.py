"""What every trainable net has in common, and the registry that builds one by name. Needs torch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tengen.errors import InputError


class BoardNet(nn.Module):
    """A net over boards: planes float32 [N, planes, size, size] to a dict of heads.

    `policy` is always there: logits [N, size*size], or [N, size*size + 1] with pass last where `has_pass`.
    `next` (nets with `next_moves` > 0): logits [N, next_moves, size*size] of the moves after the next one.
    Points are row-major from the top left, in the symmetry of the planes.
    """

    planes: int
    size: int | None = None  # the only board size it takes; None: any
    has_pass: bool = False
    next_moves: int = 0
    teacher: int = 0  # channels of the teacher's trunk that it tells beside the rest; 0: it has no teacher
    LESSONS: tuple[str, ...] = ()  # how the names of layers begin that only a teacher's pupil has

    def forward(self, planes: Tensor) -> dict[str, Tensor]:
        raise NotImplementedError

    def __call__(self, planes: Tensor) -> dict[str, Tensor]:
        heads: dict[str, Tensor] = super().__call__(planes)
        return heads

    @property
    def parameter_count(self) -> int:
        """Learnt numbers: shared weights once, running statistics not at all."""
        return sum(p.numel() for p in self.parameters())


Builder = Callable[..., BoardNet]
_BUILDERS: dict[str, Builder] = {}


def architecture(*names: str) -> Callable[[Builder], Builder]:
    """Registers `build(name=..., planes=..., **options)` under these names."""

    def register(build: Builder) -> Builder:
        for name in names:
            _BUILDERS[name] = build
        return build

    return register


def architectures() -> list[str]:
    """The names `build_net` knows."""
    _load()
    return sorted(_BUILDERS)


def build_net(name: str, planes: int, **options: Any) -> BoardNet:
    """A new net with random weights.

    `planes` is the number of input planes; options are those of the architecture (`width`, `steps`, ...).

    >>> build_net("res13-sbn", planes=39, width=32).parameter_count
    135233
    """
    _load()
    if name not in _BUILDERS:
        raise InputError(f"unknown net '{name}': known are {', '.join(sorted(_BUILDERS))}")
    try:
        return _BUILDERS[name](name=name, planes=planes, **options)
    except TypeError as error:
        # Python names the option: "... got an unexpected keyword argument 'widht'".
        if "unexpected keyword argument" not in str(error):
            raise
        option = str(error).rsplit("'", 2)[-2]
        raise InputError(f"the net '{name}' has no option '{option}'") from None


def bound_to_size(name: str) -> bool:
    """Whether nets of that architecture are built for one board size (their option `size`)."""
    _load()
    return name in _BUILDERS and "size" in inspect.signature(_BUILDERS[name]).parameters


def _load() -> None:
    from tengen.nets import dann, golois, peers, residual  # noqa: F401


def flat(plane: Tensor) -> Tensor:
    """[N, k, size, size] to [N, k, size*size]; one plane to [N, size*size]."""
    rows = torch.flatten(plane, 2)
    return rows[:, 0] if rows.shape[1] == 1 else rows
