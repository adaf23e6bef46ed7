"""The agent of long-term evaluation at work (DANN paper, "Long-Term Evaluation of Candidates"): card and graph.

It is a recurrent net that looks at a part of the board, makes a local move or stops, and chooses where to look next. An
agent is a folder with `agent.json` (the card) and `agent.onnx`, which `tengen train export` writes; it runs without
torch.

A step takes what the sensor sees (tengen.planes.glimpse), `numbers` (location and last action, see NUMBERS) and the
state h_{t-1}, and gives the logits of the action a_t and of the next location l_t, the baseline b_t and the state
h_t.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, get_args

from tengen.errors import InputError
from tengen.nets.evaluation import Floats
from tengen.nets.library import SHIPPED, sha256_of
from tengen.nets.runtime import Runtime
from tengen.planes.glimpse import ENCODING, Glimpses, Sensor

CARD, GRAPH = "agent.json", "agent.onnx"
DEFAULT = "long-term"  # the agent that ships

RewardName = Literal["ownership", "lead", "captures"]
# Who moves for the two sides of a line, the candidate's and the other: agent and agent, agent and predictor, or the
# predictor for both.
OpponentName = Literal["self", "predictor", "both"]

# The input `numbers`: the sensor's location, rows and columns from the candidate, in half windows; the last action,
# rows and columns from the location, in half sensors, 0 for a stop; 1 after a move, -1 after a stop; 1 if the
# candidate's side is to move, -1 if its opponent is.
NUMBERS = 6
INPUTS = ("near", "far", "numbers", "state")
OUTPUTS = ("actions", "places", "baseline", "next_state")

_LINES = 1024  # lines that the graph is given at once


@dataclass(frozen=True)
class AgentShape:
    """[agent] of a recipe: what the agent sees and how large it is."""

    near: int = 7  # The sensor sees so many points each way around its location,
    cells: int = 5  # and so many squares each way
    cell: int = 3  # of so many points each way.
    window: int = (
        11  # The fight: points each way around the candidate. Moves and rewards outside do not count.
    )
    width: int = 16  # Channels of the encoder's convolutions,
    layers: int = 2  # and their number.
    hidden: int = 48  # Numbers of the state h_t.

    def __post_init__(self) -> None:
        self.sensor  # noqa: B018 checks its sides
        if not (self.near <= self.window <= 37 and self.window % 2):
            raise InputError(
                f"the agent's window must be an odd number from its sensor's {self.near} to 37, not {self.window}"
            )
        for name in ("width", "layers", "hidden"):
            if not 1 <= getattr(self, name) <= 4096:
                raise InputError(f"the agent's {name} must be from 1 to 4096, not {getattr(self, name)}")

    @property
    def sensor(self) -> Sensor:
        return Sensor(self.near, self.cells, self.cell)

    @property
    def stop(self) -> int:
        """The number of the action that stops; the others are the points of the near window, row by row."""
        return self.near**2


class AgentStep(NamedTuple):
    """What the agent gives for n lines.

    actions [n, near^2 + 1] and places [n, near^2]: logits, before anything is masked; baseline [n]: b_t, the rewards
    expected from here on, in points and in the view of the side to move; state [n, hidden].
    """

    actions: Floats
    places: Floats
    baseline: Floats
    state: Floats


class Agent(Protocol):
    """A trained agent, or one in training."""

    @property
    def shape(self) -> AgentShape: ...

    def step(self, seen: Glimpses, numbers: Floats, state: Floats) -> AgentStep:
        """One step of n lines: `numbers` [n, NUMBERS], `state` [n, hidden], zero before the first step."""
        ...


@dataclass(frozen=True)
class AgentCard:
    """The card of an agent, kept as JSON. `reward`, `opponent` and `steps` are those of its training."""

    name: str
    shape: AgentShape
    reward: RewardName
    opponent: OpponentName
    steps: int
    predictor: str  # the net that chose the candidates, and judged the lines if the reward needs it
    sha256: str = ""  # of the graph
    weights: int = 0
    training: str = ""
    measured: dict[str, Any] = field(default_factory=dict)
    encoding: str = ENCODING

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def load(path: Path) -> AgentCard:
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            card = AgentCard(**table | {"shape": AgentShape(**table["shape"])})
            if card.reward not in get_args(RewardName) or card.opponent not in get_args(OpponentName):
                raise ValueError("its reward or its opponent is unknown")
            if card.encoding != ENCODING:
                raise ValueError(f"it sees the encoding {card.encoding}, and this version gives {ENCODING}")
        except (OSError, ValueError, TypeError, KeyError, InputError) as error:
            raise InputError(f"{path}: not the card of an agent: {error}") from None
        return card


class OnnxAgent:
    """An agent from its graph. It can be shared between threads."""

    def __init__(self, card: AgentCard, graph: bytes | Path, threads: int | None = None) -> None:
        self.card = card
        self._runtime = Runtime(graph, threads, batch=_LINES)

    @property
    def shape(self) -> AgentShape:
        return self.card.shape

    def step(self, seen: Glimpses, numbers: Floats, state: Floats) -> AgentStep:
        given = dict(zip(INPUTS, (*seen, numbers, state), strict=True))
        said = self._runtime.run(19, given, OUTPUTS)
        return AgentStep(*(said[name] for name in OUTPUTS))


def open_agent(name: str = "", threads: int | None = None) -> OnnxAgent:
    """The agent of that name (one that ships) or folder; the one that ships for all nets if none is named."""
    folder = SHIPPED / (name or DEFAULT)
    if name and not (folder / CARD).is_file():
        folder = Path(name)
    if not (folder / CARD).is_file():
        wanted = f"'{name}'" if name else "of the long-term player"
        raise InputError(
            f"there is no agent {wanted}: it is a folder with {CARD} and {GRAPH}, made by `tengen train long-term` and "
            "`tengen train export`, and named with the option agent=FOLDER"
        )
    card = AgentCard.load(folder / CARD)
    graph = folder / GRAPH
    if sha256_of(graph) != card.sha256:
        raise InputError(f"{graph}: not the graph that its card describes (its sha256 differs)")
    return OnnxAgent(card, graph, threads)
