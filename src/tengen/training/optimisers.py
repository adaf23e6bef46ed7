"""Optimisers of a recipe: torch's SGD and AdamW, and Muon for the convolutions. Needs torch.

Muon (Jordan et al., 2024) is momentum whose update, as a matrix of outputs by inputs, is made orthogonal
before it is applied: all directions are learnt at the same speed. A Newton-Schulz iteration comes close
enough. It is for matrices only, so biases, norms and the layer that makes the logits learn by AdamW.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tengen.training.recipe import PolicyOptimiser

_MOST_WEIGHTS = 2**20  # of a matrix that Muon learns


def orthogonal(matrices: Tensor, iterations: int = 5) -> Tensor:
    """[N, rows, columns] to about the nearest matrices whose singular values are all 1."""
    # Coefficients of Keller Jordan's quintic: they lift small singular values fast, at the price of not
    # settling at exactly 1.
    a, b, c = 3.4445, -4.7750, 2.0315
    wide = matrices.shape[1] <= matrices.shape[2]
    x = matrices if wide else matrices.mT
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(iterations):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    out: Tensor = x if wide else x.mT
    return out


class Muon(torch.optim.Optimizer):
    """Nesterov momentum made orthogonal. Weights are [out, in, ...]; those of one shape go together."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], lr: float, momentum: float = 0.95, weight_decay: float = 0.0
    ) -> None:
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            shapes: dict[torch.Size, list[nn.Parameter]] = {}
            for p in group["params"]:
                if p.grad is not None:
                    shapes.setdefault(p.shape, []).append(p)
            for shape, weights in shapes.items():
                updates = []
                for p in weights:
                    assert p.grad is not None
                    if not self.state[p]:
                        self.state[p]["momentum"] = torch.zeros(p.shape)
                    velocity = self.state[p]["momentum"]
                    velocity.lerp_(p.grad, 1 - group["momentum"])
                    updates.append(p.grad.lerp(velocity, group["momentum"]).reshape(shape[0], -1))
                stacked = orthogonal(torch.stack(updates))
                rows, columns = stacked.shape[1:]
                # The same change of the outputs whatever the shape.
                scale = max(1.0, rows / columns) ** 0.5
                for p, update in zip(weights, stacked, strict=True):
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                    p.add_(update.reshape(shape), alpha=-group["lr"] * scale)


class Optimisers:
    """The optimisers of a net as one: a step, a factor of all rates, a state of plain tensors."""

    def __init__(self, net: nn.Module, how: PolicyOptimiser) -> None:
        rate = how.rate * (how.batch if how.rate_times_batch else 1)
        decay = how.weight_decay
        matrices = [p for name, p in net.named_parameters() if is_matrix(name, p)]
        rest = [p for name, p in net.named_parameters() if not is_matrix(name, p)]
        self.net = net
        self.parts: list[torch.optim.Optimizer]
        if how.method == "muon":
            self.parts = [
                Muon(matrices, rate, how.momentum, decay),
                torch.optim.AdamW(rest, how.rate_rest, betas=(0.9, 0.99), weight_decay=0.0),
            ]
        elif how.method == "adamw":
            groups = [{"params": matrices, "weight_decay": decay}, {"params": rest, "weight_decay": 0.0}]
            self.parts = [torch.optim.AdamW(groups, rate, betas=(how.momentum, 0.99))]
        else:
            self.parts = [torch.optim.SGD(net.parameters(), rate, momentum=how.momentum, weight_decay=decay)]
        self._full = [(g, g["lr"], g["weight_decay"]) for part in self.parts for g in part.param_groups]

    def step(self, factor: float, decay_factor: float) -> None:
        for group, rate, decay in self._full:
            group["lr"], group["weight_decay"] = rate * factor, decay * decay_factor
        for part in self.parts:
            part.step()

    def tensors(self) -> dict[str, Tensor]:
        return state_tensors(self.net, *self.parts)

    def load(self, tensors: dict[str, Tensor]) -> None:
        load_state_tensors(tensors, self.net, *self.parts)


def state_tensors(net: nn.Module, *optimisers: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Every tensor of the state of a net's optimisers by `parameter/key`, for safetensors."""
    names: dict[Tensor, str] = {p: name for name, p in net.named_parameters()}
    return {
        f"{names[p]}/{key}": value
        for optimiser in optimisers
        for p, state in optimiser.state.items()
        for key, value in state.items()
        if isinstance(value, Tensor)
    }


def load_state_tensors(
    tensors: Mapping[str, Tensor], net: nn.Module, *optimisers: torch.optim.Optimizer
) -> None:
    """Puts back what `state_tensors` gave."""
    parameters = dict(net.named_parameters())
    owner = {p: one for one in optimisers for group in one.param_groups for p in group["params"]}
    for name, value in tensors.items():
        parameter, _, key = name.rpartition("/")
        p = parameters[parameter]
        copy = value.clone()
        if copy.dim() == 4:
            copy = copy.contiguous(memory_format=torch.channels_last)
        owner[p].state[p][key] = copy


def is_matrix(name: str, p: Tensor) -> bool:
    """Whether Muon learns it: weights of more than one output, but not of the layer that makes the logits, nor of one
    that reads a whole board: orthogonal updates of that one take as long as all others together. Nor of the global
    inputs, some of which hardly ever change: their updates would be as large as the others'."""
    other = any(layer in name for layer in ("head_out", "global_bias"))
    return p.dim() >= 2 and p.shape[0] > 8 and not other and p.numel() <= _MOST_WEIGHTS
