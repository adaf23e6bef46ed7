"""Recipes of the agent of long-term evaluation: `tengen train long-term`.

[data]
train = ["out/pools/kgs6d.parquet"]

[agent]
window = 11

[play]
predictor = "tengen"
reward = "ownership"

[optimiser]
method = "adamw"
rate = 0.001
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.errors import InputError
from tengen.nets.agent import AgentShape, OpponentName, RewardName
from tengen.training.recipe import FileRecipe, GameData, PolicyOptimiser, check_counts


@dataclass(frozen=True)
class LongTermCounts:
    """[run]: how long and how often. Counts are episodes: imagined lines."""

    episodes: int = 1_000_000
    imitated: int = 0  # The first so many are lines of the games, which the agent learns to foretell.
    test_every: int = 100_000
    checkpoint_every: int = 20_000
    log_every: int = 10_000

    def __post_init__(self) -> None:
        check_counts(self, "episodes", "test_every", "checkpoint_every", "log_every")
        if self.imitated < 0:
            raise InputError(f"the recipe's 'imitated' must be 0 or more, not {self.imitated}")


@dataclass(frozen=True)
class LongTermPlay:
    """[play]: the lines that the agent imagines."""

    predictor: str = (
        "tengen"  # The net that names the candidates and, if the reward needs it, judges the lines.
    )
    positions: int = 8  # Of a step of the optimiser.
    candidates: int = 4  # Of a position: the predictor's likeliest moves.
    lines: int = 16  # Of a candidate: the M episodes of equation 4.
    steps: int = 15  # Of a line, at most: T.
    reward: RewardName = "ownership"  # See tengen.search.rewards.
    opponent: OpponentName = "self"  # Who answers the candidate's side: the agent, or the predictor.

    def __post_init__(self) -> None:
        check_counts(self, "positions", "candidates", "lines", "steps")
        if self.opponent == "both":
            raise InputError(
                "the recipe's 'opponent' must be self or predictor: with both, the agent makes no move"
            )

    @property
    def episodes(self) -> int:
        """Of a step of the optimiser."""
        return self.positions * self.candidates * self.lines


@dataclass(frozen=True)
class LongTermRecipe(FileRecipe):
    """Training of an agent. Of [optimiser], `batch` does not count: a step has `play.positions` positions. Of [data],
    `test_positions` are those of a test. Counts of the schedule are episodes."""

    KIND = "long-term recipe"
    FREE = frozenset(
        {
            "name",
            "threads",
            "run.episodes",
            "run.test_every",
            "run.checkpoint_every",
            "run.log_every",
            "data.test",
            "data.test_positions",
            "optimiser.decay",
        }
    )

    name: str = ""  # The run's folder; the name of the file unless given.
    seed: int = 1
    threads: int = 1  # Threads of torch, of the predictor and of the sensor.
    imitation_rate: float = 0.003  # The learning rate of the first `run.imitated` episodes.
    entropy: float = 0.0  # Weight of the entropy of actions and places in points, against early certainty.
    run: LongTermCounts = LongTermCounts()
    data: GameData = field(default_factory=lambda: GameData(test_positions=64))
    agent: AgentShape = field(default_factory=AgentShape)
    play: LongTermPlay = LongTermPlay()
    optimiser: PolicyOptimiser = field(default_factory=lambda: PolicyOptimiser(method="adamw", rate=0.001))

    def __post_init__(self) -> None:
        check_counts(self, "threads")
        if not 0 <= self.entropy < 100:
            raise InputError(f"the recipe's 'entropy' must be from 0 to 100, not {self.entropy}")
        if self.optimiser.ema or self.optimiser.rate_times_batch:
            raise InputError("optimiser.ema and optimiser.rate_times_batch are not for agents")
