"""Recipes of reinforcement learning: `tengen train reinforce`.

[run]
begin = "out/runs/cgi13-9x9"   # the supervised policy
iterations = 2_000

[play]
size = 9
games = 128

[optimiser]
rate = 0.003
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tengen.errors import InputError
from tengen.training.playing import Terms
from tengen.training.recipe import FileRecipe, PolicyOptimiser, check_counts


@dataclass(frozen=True)
class ReinforceCounts:
    """[run]: how long and how often. Counts are iterations."""

    begin: (
        str  # The folder of the run of `tengen train policy` (or reinforce) whose weights are the first ones.
    )
    iterations: int = 10_000
    join_every: int = 500  # The net joins the pool of opponents every so many iterations.
    test_every: int = 100  # Games against the start, to measure the win rate.
    checkpoint_every: int = 20
    log_every: int = 10

    def __post_init__(self) -> None:
        check_counts(self, "iterations", "join_every", "test_every", "checkpoint_every", "log_every")
        if not self.begin:
            raise InputError("the recipe's run.begin must name the run of the supervised policy")


@dataclass(frozen=True)
class ReinforcePlay:
    """[play]: the games. How they are played: `tengen.training.playing`."""

    size: int = 19
    games: int = 128  # Of an iteration, all against one opponent; half of them with Black.
    test_games: int = 400  # Of a measurement against the start.
    komi: float = 7.5
    temperature: float = 1.0
    # Of a measurement, after the first moves, which are drawn at 1. Below 1 a net does not win merely because it draws
    # its likely moves more often than its start.
    test_temperature: float = 1.0
    baseline: str = ""  # A net with win rates whose value is the baseline; 0 is the baseline if empty.

    def __post_init__(self) -> None:
        check_counts(self, "games", "test_games")
        self.terms(0)
        self.test_terms(0)

    def terms(self, seed: int) -> Terms:
        return Terms(self.size, self.komi, seed=seed, temperature=self.temperature)

    def test_terms(self, seed: int) -> Terms:
        return Terms(
            self.size,
            self.komi,
            seed=seed,
            temperature=self.test_temperature,
            openings=self.size,
            opening_temperature=1.0,
        )


@dataclass(frozen=True)
class ReinforceRecipe(FileRecipe):
    """Reinforcement learning of a policy net. Of [optimiser], `batch` is the number of positions that are held at once;
    it changes no result but by rounding. Counts of the schedule are iterations."""

    KIND = "reinforce recipe"
    FREE = frozenset(
        {
            "name",
            "threads",
            "run.iterations",
            "run.test_every",
            "run.checkpoint_every",
            "run.log_every",
            "play.test_games",
            "play.test_temperature",
            "optimiser.decay",
        }
    )

    run: ReinforceCounts
    name: str = ""  # The run's folder; the name of the file unless given.
    seed: int = 1
    threads: int = 1  # Threads of torch, and of the boards.
    play: ReinforcePlay = ReinforcePlay()
    optimiser: PolicyOptimiser = field(default_factory=PolicyOptimiser)

    def __post_init__(self) -> None:
        check_counts(self, "threads")
        if self.optimiser.ema or self.optimiser.rate_times_batch:
            raise InputError(
                "optimiser.ema and optimiser.rate_times_batch are not for reinforcement learning"
            )
