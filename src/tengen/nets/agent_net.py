"""The agent of long-term evaluation as a net to be trained (DANN paper, Figure 3). Needs torch.

    g_t = encoder(glimpse at l_{t-1})                      two scales
    h_t = core(h_{t-1}, g_t, l_{t-1}, a_{t-1})              a gated recurrent unit
    a_t ~ softmax(action network(h_t, glimpse)),  l_t ~ softmax(location network(h_t)),  b_t = baseline(h_t, ...)

The paper gives no sizes. Two choices are ours. The action network reads the encoder's map of the glimpse beside h_t, so
that a move is judged by the points around it. The baseline reads the core's inputs beside h_t and sends no gradient
into either: these follow equation 5 alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tengen.nets.agent import NUMBERS, AgentShape

# How far the sensor moves before anything is learnt: logits fall by (distance / SPREAD)^2.
SPREAD = 1.5
TENS = 10.0  # the baseline's unit, in points
_SQUEEZED = 4  # planes of the encoder's map that the core gets


class Core(nn.Module):
    """A gated recurrent unit (Cho et al., 2014), in plain operations."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Linear(inputs + hidden, 2 * hidden)
        self.candidate = nn.Linear(inputs + hidden, hidden)

    def forward(self, x: Tensor, state: Tensor) -> Tensor:
        update, reset = self.gates(torch.cat([x, state], 1)).sigmoid().chunk(2, 1)
        new = self.candidate(torch.cat([x, reset * state], 1)).tanh()
        out: Tensor = state + update * (new - state)
        return out


class AgentNet(nn.Module):
    """Encoder, core, action network, location network and baseline; see tengen.nets.agent for inputs and outputs."""

    def __init__(self, shape: AgentShape) -> None:
        super().__init__()
        self.shape = shape
        near, far = shape.sensor.planes
        width, hidden, points = shape.width, shape.hidden, shape.near**2
        layers: list[nn.Module] = []
        for number in range(shape.layers):
            layers += [nn.Conv2d(width if number else near, width, 3, padding=1), nn.ReLU()]
        self.encoder = nn.Sequential(*layers)
        self.squeeze = nn.Conv2d(width, _SQUEEZED, 1)
        self.glimpse = nn.Linear(_SQUEEZED * points + far * shape.cells**2, hidden)
        self.core = Core(hidden + NUMBERS, hidden)
        self.action_map = nn.Conv2d(width, 1, 1)
        self.action = nn.Linear(hidden, points + 1)
        self.location = nn.Linear(hidden, points)
        self.baseline = nn.Sequential(
            nn.Linear(2 * hidden + NUMBERS, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )
        self._begin()

    def _begin(self) -> None:
        """At first every move is as likely, the sensor stays near its place, and the baseline is 0."""
        for layer in (self.action_map, self.action, self.location, self.baseline[-1]):
            for weights in layer.parameters():
                nn.init.zeros_(weights)
        steps = torch.arange(self.shape.near) - self.shape.near // 2
        apart = (steps[:, None] ** 2 + steps[None, :] ** 2) / SPREAD**2
        with torch.no_grad():
            self.location.bias.copy_(-apart.flatten())

    def encode(self, near: Tensor, far: Tensor) -> tuple[Tensor, Tensor]:
        """g [n, hidden] and the logits of the points by the map alone [n, near^2]; n may count lines of many steps."""
        seen = self.encoder(near)
        parts = [self.squeeze(seen).flatten(1), far.flatten(1)]
        return torch.relu(self.glimpse(torch.cat(parts, 1))), self.action_map(seen).flatten(1)

    def decide(self, state: Tensor, inputs: Tensor, by_map: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of actions and places, and the baseline, from h_t and the core's inputs."""
        # The glimpse of an agent that has learnt much is large, and would be all that counts.
        known = torch.cat([state, inputs.clamp(-3, 3)], 1).detach()
        actions = self.action(state)
        actions = torch.cat([actions[:, :-1] + by_map, actions[:, -1:]], 1)
        return (
            actions,
            self.location(state),
            TENS * self.baseline(known)[:, 0],
        )

    def forward(
        self, near: Tensor, far: Tensor, numbers: Tensor, state: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """One step: actions, places, baseline, next state."""
        glimpse, by_map = self.encode(near, far)
        inputs = torch.cat([glimpse, numbers], 1)
        state = self.core(inputs, state)
        return *self.decide(state, inputs, by_map), state

    @property
    def parameter_count(self) -> int:
        return sum(p.numel() for p in self.parameters())
