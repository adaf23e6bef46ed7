"""The mean of a net's weights over its last steps: steadier than the weights of any one of them. Needs torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """An exponential mean of weights and running statistics, of which each step keeps `keep`.

    With `keep` 0 there is none: `weights` is empty, and `applied` leaves the net as it is.
    """

    def __init__(self, net: nn.Module, keep: float) -> None:
        self.net, self.keep = net, keep
        self.weights = {k: v.clone() for k, v in self._now().items()} if keep else {}

    def _now(self) -> dict[str, Tensor]:
        """All but counters of batches."""
        return {k: v for k, v in self.net.state_dict().items() if v.is_floating_point()}

    def step(self, steps: int) -> None:
        """Takes in the weights after so many steps."""
        if self.weights:
            # A young average forgets faster, so that it is not the random start for long.
            keep = min(self.keep, (1 + steps) / (10 + steps))
            now = self._now()
            torch._foreach_lerp_(list(self.weights.values()), [now[k] for k in self.weights], 1 - keep)

    def load(self, weights: Mapping[str, Tensor]) -> None:
        for name, value in weights.items():
            self.weights[name].copy_(value)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Within it the net has the averaged weights, if there are any, and is ready to be asked."""
        own = {k: v.clone() for k, v in self.net.state_dict().items()} if self.weights else {}
        if self.weights:
            self.net.load_state_dict(self.weights, strict=False)
        self.net.eval()
        try:
            yield
        finally:
            self.net.train()
            if own:
                self.net.load_state_dict(own)
