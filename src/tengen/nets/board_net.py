"""What every trainable net has in common, and the registry that builds one by name. Needs torch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from tengen.errors import InputError
from tengen.nets.heads import HEADS, LEAST_SCALE
from tengen.nets.katago_layers import Floats, KataGoNet
from tengen.planes.globals import GLOBALS, global_channels


class BoardNet(nn.Module):
    """A net over boards, which declares what it takes and what it gives.

    It takes `spatial` float32 [n, planes, size, size] and, if it declares `globals`, `global` float32
    [n, global_inputs] (see tengen.planes.globals). It gives its `heads` by name; what the numbers of each mean, and
    their shapes, is in tengen.nets.heads. Training, export and the card follow from these declarations.
    """

    planes: int
    heads: tuple[str, ...] = ("policy",)  # names of tengen.nets.heads
    globals: tuple[str, ...] = ()  # names of tengen.planes.globals
    komi: float | None = None  # the one komi of the head `value`; None: it has none, or komi is an input
    komi_labels: tuple[float, ...] = ()  # one for each number of the head `values`
    least_scale: float = LEAST_SCALE  # points, of the head `margin`
    size: int | None = None  # the only board size it takes; None: any
    has_pass: bool = False  # whether pass is the last of the policy's moves
    next_moves: int = 0  # moves after the next one that the head `next` predicts
    teacher: int = 0  # channels of the teacher's trunk that the training heads predict; 0: no such heads
    TRAINING_LAYERS: tuple[str, ...] = ()  # how the names of layers begin that only training heads have

    def take_over(
        self, trained: Mapping[str, Tensor], examples: Callable[[], dict[str, Tensor]]
    ) -> list[str]:
        """Takes the weights of a trained net; the names that only one of the two nets has, layers of training apart.

        `examples` gives inputs of some positions, for nets that must see what the weights do.
        """
        missing, unknown = self.load_state_dict(trained, strict=False)
        return [*unknown, *(name for name in missing if not name.startswith(self.TRAINING_LAYERS))]

    def declare(
        self,
        heads: Sequence[str],
        globals: Sequence[str] = (),
        komi: float | None = None,
        komi_labels: Sequence[float] = (),
    ) -> None:
        """Sets what the net takes and gives; InputError where that makes no sense."""
        for name in heads:
            if name not in HEADS:
                raise InputError(f"unknown head '{name}': known are {', '.join(HEADS)}")
        global_channels(globals)
        if len(set(heads)) < len(heads) or len(set(globals)) < len(globals):
            raise InputError("a net has each head and each global input once")
        if "value" in heads and "values" in heads:
            raise InputError("a net has the head value or the head values, not both")
        if ("value" in heads and "komi" not in globals) != (komi is not None):
            raise InputError(
                "a net with the head value, for which komi is no input, has a komi (option komi), and no other net"
            )
        if ("values" in heads) != bool(komi_labels):
            raise InputError("the head values goes with komi_labels, and they with it")
        if list(komi_labels) != sorted(set(komi_labels)):
            raise InputError("komi_labels must rise")
        self.heads, self.globals = tuple(heads), tuple(globals)
        self.komi, self.komi_labels = komi, tuple(float(label) for label in komi_labels)

    @property
    def global_inputs(self) -> int:
        """Numbers of the input `global`."""
        return sum(len(GLOBALS[name]) for name in self.globals)

    @property
    def card_komi_labels(self) -> tuple[float, ...]:
        """The komi that the net's win rates are for; empty if it has none or takes any."""
        return self.komi_labels if self.komi is None else (float(self.komi),)

    def forward(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        raise NotImplementedError

    def __call__(self, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
        heads: dict[str, Tensor] = super().__call__(inputs)
        return heads

    def form(self, name: str) -> KataGoNet | None:
        """The net as layers that the writers of KataGo's graphs know, under that name; None if it has others."""
        return None

    def arrays(self) -> dict[str, Floats]:
        """The weights by their names in the module."""
        return {name: np.asarray(t.detach().contiguous()) for name, t in self.state_dict().items()}

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
    from tengen.nets import cgi_policy, cgi_value, dann, golois, peers, residual  # noqa: F401


def flat(plane: Tensor) -> Tensor:
    """[N, k, size, size] to [N, k, size*size]; one plane to [N, size*size]."""
    rows = torch.flatten(plane, 2)
    return rows[:, 0] if rows.shape[1] == 1 else rows
