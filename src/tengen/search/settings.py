"""Settings of the players: one flat frozen dataclass each, with the names that users type.

`tengen.settings.read_settings` reads them from words and values, `tengen.settings.describe` lists them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tengen import _native
from tengen.errors import InputError
from tengen.search.dynamic_komi import HANDICAP_METHOD, KomiTerms
from tengen.search.ending import Resignation
from tengen.search.player import Limit
from tengen.settings import option

# The bound of a search where neither settings nor clock give one.
DEFAULT_VISITS = 400


def _check(name: str, value: float | None, least: float, most: float) -> None:
    if value is not None and not least <= value <= most:
        raise InputError(f"{name} must be from {least:g} to {most:g}, not {value:g}")


@dataclass(frozen=True, kw_only=True)
class CommonSettings:
    """What all players have."""

    seed: int = option(0, "Seed of what is drawn by chance: the same seed gives the same moves.")
    resign: bool = option(True, "Resign lost games.")
    resign_win_rate: float = option(0.05, "A game may be lost when the win rate is below this.")
    resign_points: float = option(
        0.5, "A game may be lost when the player is behind by more than this, in points a line of the board."
    )
    resign_moves: int = option(3, "Own moves in a row at which the game must look lost.")

    def __post_init__(self) -> None:
        _check("seed", self.seed, 0, 2**63 - 1)
        _check("resign_win_rate", self.resign_win_rate, 0, 1)
        _check("resign_points", self.resign_points, 0, 1000)
        _check("resign_moves", self.resign_moves, 1, 1000)

    @property
    def resignation(self) -> Resignation | None:
        if not self.resign:
            return None
        return Resignation(self.resign_win_rate, self.resign_points, self.resign_moves)

    def limit(self, timed: bool = False) -> Limit:
        """How far a move is searched; `timed` where a clock bounds it, so that the settings need not."""
        return Limit(visits=1)


@dataclass(frozen=True, kw_only=True)
class PolicySettings(CommonSettings):
    """How the policy player plays."""

    bagging: bool = option(
        True, "Average the net's evaluations of the eight symmetries of the board, as Golois does."
    )


@dataclass(frozen=True, kw_only=True)
class LongTermSettings(PolicySettings):
    """How the long-term player reads."""

    candidates: int = option(10, "Moves that are read, the net's likeliest.")
    lines: int = option(20, "Lines that are imagined of each candidate.")
    steps: int = option(15, "Moves of a line after the candidate, at most.")
    scale: float = option(
        50.0,
        "Points of expected reward that make a candidate e times as good: S is p exp(E[R] / scale). The larger, the "
        "more the net's probability p counts.",
    )
    agent: str = option("", "The agent that imagines the lines: a folder, or the one that ships if empty.")
    reward: Literal["ownership", "lead", "captures"] | None = option(
        None,
        "What a line is worth: the net's ownership in the window when it stops, the net's lead then, or stones and "
        "territory that were taken in the window; none is that of the agent's training.",
    )
    opponent: Literal["self", "predictor", "both"] | None = option(
        None,
        "Who answers in a line: the agent itself, or the net's policy within the window, which takes longer; with "
        "both, the net makes the moves of both sides. None is that of the agent's training.",
    )
    threads: int = option(1, "Threads of the agent.")

    def __post_init__(self) -> None:
        CommonSettings.__post_init__(self)
        _check("candidates", self.candidates, 1, 361)
        _check("lines", self.lines, 1, 10_000)
        _check("steps", self.steps, 0, 200)
        _check("scale", self.scale, 0.01, 1e6)
        _check("threads", self.threads, 1, 1024)

    def limit(self, timed: bool = False) -> Limit:
        """A line is a visit, and so is the look at the position itself."""
        return Limit(visits=1 + self.candidates * self.lines)


@dataclass(frozen=True, kw_only=True)
class PuctSettings(CommonSettings):
    """How the PUCT player searches.

    Batches are smaller than `batch` while the tree is small (a sixteenth of its visits), because leaves that are
    selected side by side are selected with less knowledge than leaves one after another.
    """

    visits: int | None = option(
        None,
        f"Visits of the root at most for a move; {DEFAULT_VISITS} if neither time nor a clock bounds it.",
    )
    time: float | None = option(None, "Seconds for a move at most; a clock may allow less.")
    rollouts: int = option(
        0, "Guided playouts from every leaf; their results are mixed with the net's values."
    )
    weight: float = option(
        0.5,
        "Weight of the net's values beside the rollouts' (lambda): 1 is the net alone, 0 the rollouts alone. "
        "It counts only where there are rollouts and the net has win rates.",
    )
    batch: int = option(16, "Leaves that the net evaluates at once.")
    symmetries: bool = option(
        True,
        "Evaluate each leaf in a symmetry of the board that is drawn by chance: the net's errors differ by symmetry "
        "and average out over the tree.",
    )
    threads: int = option(
        1, "Threads of the search; with more than one, rollouts run while the net evaluates."
    )
    memory: int = option(256, "Megabytes for the search tree; a full tree stops growing.")
    variety: int = option(
        0,
        "Moves at the start of a game that are drawn in proportion to their visits, among those with a quarter "
        "or more of the best one's.",
    )
    c_puct: float = option(0.5, "Weight of the exploration bonus U beside the mean value Q, which is 0 to 1.")
    c_growth: float = option(
        0.45, "Growth of the bonus: c_puct (1 + c_growth ln(1 + N / 500)) at N visits below a node."
    )
    fpu_reduction: float = option(
        0.1,
        "First-play urgency: an untried move has its parent's Q less this times the square root of the prior "
        "mass already tried.",
    )
    score_weight: float = option(
        0.15,
        "Weight of the expected score beside the win rate in the search, for nets that know it: moves that win "
        "by more are preferred a little.",
    )
    spread_weight: float = option(
        0.85, "How far the exploration bonus follows the spread of the values below a node; 0 for not at all."
    )
    opponent_errors: float = option(
        0.0,
        "Model of a weaker opponent, for handicap games: the share of the opponent's moves in the search that are "
        "drawn from the policy, the others being best replies. Above 0, win rates assume such an opponent. It does "
        "not act on analysis.",
    )
    komi_method: Literal["auto", "none", "ss-r", "ss-b", "ss-m", "vs-m", "ml-dk"] = option(
        "auto",
        "Dynamic komi: how the komi is chosen that the search plays for. "
        f"auto is {HANDICAP_METHOD} for moves in games with handicap stones, and none elsewhere and in analysis.",
    )
    komi_low: float = option(0.45, "Dynamic komi (vs-m, ml-dk): the lower end of the interval of win rates.")
    komi_high: float = option(0.55, "Dynamic komi (vs-m, ml-dk): the upper end of the interval of win rates.")
    komi_c: float = option(8.0, "Dynamic komi (ss-*, ml-dk): how fast the komi rate falls, c of CGI.")
    komi_s: float = option(
        0.45,
        "Dynamic komi (ss-*, ml-dk): when the komi rate is a half, in moves a point of the board, s of CGI.",
    )
    komi_ratchet: bool = option(
        False, "Dynamic komi (vs-m): do not give again a komi that was too much; against oscillation."
    )

    def __post_init__(self) -> None:
        CommonSettings.__post_init__(self)
        _check("visits", self.visits, 1, 2**31)
        if self.time is not None and not self.time > 0:
            raise InputError(f"time must be above 0 seconds, not {self.time:g}")
        _check("rollouts", self.rollouts, 0, 1_000_000)
        _check("weight", self.weight, 0, 1)
        _check("batch", self.batch, 1, 4096)
        _check("threads", self.threads, 1, 1024)
        _check("memory", self.memory, 1, 16_384)
        _check("variety", self.variety, 0, 1000)
        _check("c_puct", self.c_puct, 0, 100)
        _check("c_growth", self.c_growth, 0, 100)
        _check("fpu_reduction", self.fpu_reduction, 0, 10)
        _check("score_weight", self.score_weight, 0, 1)
        _check("spread_weight", self.spread_weight, 0, 1)
        _check("opponent_errors", self.opponent_errors, 0, 1)
        _check("komi_low", self.komi_low, 0, 1)
        _check("komi_high", self.komi_high, 0, 1)
        if not self.komi_low < self.komi_high:
            raise InputError(
                f"komi_low must be below komi_high: {self.komi_low:g} is not below {self.komi_high:g}"
            )
        _check("komi_c", self.komi_c, 0, 1000)
        _check("komi_s", self.komi_s, -1000, 1000)

    def limit(self, timed: bool = False) -> Limit:
        unbounded = self.visits is None and self.time is None and not timed
        return Limit(DEFAULT_VISITS if unbounded else self.visits, self.time)

    @property
    def komi_terms(self) -> KomiTerms:
        return KomiTerms(
            self.komi_low, self.komi_high, self.komi_c, self.komi_s, self.weight, self.komi_ratchet
        )

    def tree(self, net_win_rates: bool) -> _native.TreeSettings:
        """The native tree's settings, for a net with or without win rates."""
        weight = 1.0 if not self.rollouts else self.weight if net_win_rates else 0.0
        return _native.TreeSettings(
            c_puct=self.c_puct,
            c_growth=self.c_growth,
            fpu_reduction=self.fpu_reduction,
            score_weight=self.score_weight,
            spread_weight=self.spread_weight,
            lambda_=weight,
            rollouts=self.rollouts,
            seed=self.seed,
            memory=self.memory << 20,
        )
