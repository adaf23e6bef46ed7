"""What every player is, and the statistics that it reports of a position."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tengen import _native
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead, WinRate
from tengen.nets.evaluation import Evaluation, Floats
from tengen.nets.evaluator import Evaluator
from tengen.nets.favour import Favour
from tengen.search.clock import Clock
from tengen.search.owners import Owned


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search played for: the komi, White's points in all, and the win rate at that komi."""

    komi: float
    win_rate: WinRate | None

    def differs(self, game_komi: float) -> bool:
        """Whether the search played for another komi than the game's; a tree keeps komi in single precision."""
        return abs(self.komi - game_komi) > 1e-3


@dataclass(frozen=True, slots=True)
class FinalScore:
    """The score at the end of the game as the net expects it: its mean, komi counted, and its standard deviation.

    The mean is not the lead: it is pulled towards the side that plays better, or takes more risks, until then. KataGo
    calls it scoreSelfplay.
    """

    mean: Lead
    deviation: float

    def to_json(self) -> dict[str, float]:
        return {"black_mean": self.mean.of(Color.BLACK), "deviation": self.deviation}


# The lower bound of a move's utility is so many deviations of its mean below the mean.
BOUND_DEVIATIONS = 5.0
# Half of the range of utilities: win rates are 0 to 1, and the score adds a little to both ends.
FARTHEST = 0.7


@dataclass(frozen=True, slots=True)
class Utility:
    """What a search compares of a move: Black's win rate at the searched komi, and a little for the expected score.

    `mean` and `deviation` are over the visits below the move.
    """

    mean: float
    deviation: float

    def of(self, color: Color) -> float:
        return self.mean if color is Color.BLACK else 1 - self.mean

    def error(self, visits: int) -> float:
        """How far the mean may be off: five deviations of the mean, as KataGo has it.

        The visits are a sample to which one more value is added, as far off as utilities can be, with a weight that
        falls with the square of the visits: a move with one visit is uncertain, one with ten follows its own values.
        """
        n = max(visits, 1)
        prior = 1 / n**2
        variance = self.deviation**2 + FARTHEST**2 * prior / (n + prior)
        return BOUND_DEVIATIONS * math.sqrt(variance * (n + prior**2)) / (n + prior)

    def lower_bound(self, mover: Color, visits: int) -> float:
        return self.of(mover) - self.error(visits)

    def to_json(self) -> dict[str, float]:
        return {"black_mean": self.mean, "deviation": self.deviation}

    @staticmethod
    def from_json(table: dict[str, float]) -> Utility:
        return Utility(table["black_mean"], table["deviation"])


@dataclass(frozen=True, slots=True)
class LongTerm:
    """Long-term evaluation of a candidate (DANN paper): where the imagined lines of its local fight lead.

    reward: E[R], the mean over the lines, in points of the fight's window; deviation: over the lines; score: S, the
    share of this candidate among all that were read, 0 to 1. The candidate's `prior` is p, its `visits` are the
    lines.
    """

    reward: Lead
    deviation: float
    score: float

    def to_json(self) -> dict[str, float]:
        return {
            "black_reward": self.reward.of(Color.BLACK),
            "deviation": self.deviation,
            "score": self.score,
        }

    @staticmethod
    def from_json(table: dict[str, float]) -> LongTerm:
        return LongTerm(Lead(table["black_reward"], Color.BLACK), table["deviation"], table["score"])


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move at the root: its visits N, its prior P, and its value by the search.

    `win_rate` and `lead` are at the game's komi; None if nothing in the player knows them.
    """

    move: int
    visits: int
    prior: float
    win_rate: WinRate | None
    lead: Lead | None
    variation: tuple[int, ...]
    """The line the search expects, this move first."""
    variation_visits: tuple[int, ...]
    owned: Owned | None = None
    """Ownership below this move; only where it was asked for."""
    utility: Utility | None = None
    """What the search compared; None for a player that does not search, and for a move without a visit."""
    searched_win_rate: WinRate | None = None
    """At the searched komi (`Root.searched`): the value that the search compared."""
    score: FinalScore | None = None
    """At the game's komi; None for a net without margins."""
    no_result: float | None = None
    """The chance of a game without result below this move; only where it was asked for and is known."""
    symmetry_of: int | None = None
    """The move that was searched in place of this one, to which the board's symmetry carries it."""
    long_term: LongTerm | None = None
    """Only of players that imagine lines, and of moves that they read."""

    def lower_bound(self, mover: Color) -> float | None:
        """The lower bound of the mover's win rate at the searched komi (LCB); None where the win rate is unknown."""
        if self.searched_win_rate is None:
            return None
        error = 0.5 if self.utility is None else self.utility.error(self.visits)
        return max(0.0, self.searched_win_rate.of(mover) - error)

    def to_json(self, size: int) -> dict[str, Any]:
        """Plain values in Black's view, null where unknown; moves are vertices of a board of that size."""
        return {
            "move": _native.format_vertex(self.move, size),
            "visits": self.visits,
            "prior": self.prior,
            "black_win_rate": _black(self.win_rate),
            "black_lead": _black(self.lead),
            "searched_black_win_rate": _black(self.searched_win_rate),
            "utility": None if self.utility is None else self.utility.to_json(),
            "score": None if self.score is None else self.score.to_json(),
            "variation": [_native.format_vertex(move, size) for move in self.variation],
            "variation_visits": list(self.variation_visits),
            **({} if self.owned is None else {"ownership": self.owned.mean.tolist()}),
            **({} if self.long_term is None else {"long_term": self.long_term.to_json()}),
        }

    @staticmethod
    def from_json(table: dict[str, Any], size: int) -> Candidate:
        """What `to_json` wrote, ownership aside."""
        return Candidate(
            move=_native.parse_vertex(table["move"], size),
            visits=table["visits"],
            prior=table["prior"],
            win_rate=_win_rate(table["black_win_rate"]),
            lead=_lead(table["black_lead"]),
            variation=tuple(_native.parse_vertex(vertex, size) for vertex in table["variation"]),
            variation_visits=tuple(table["variation_visits"]),
            utility=None if table["utility"] is None else Utility.from_json(table["utility"]),
            searched_win_rate=_win_rate(table["searched_black_win_rate"]),
            score=_score(table["score"]),
            long_term=LongTerm.from_json(table["long_term"]) if "long_term" in table else None,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Root statistics. `candidates` are sorted best first, by what was searched; those without a visit, if asked
    for, come last with the root's value.

    `win_rate` and `lead` are at the game's komi; None if nothing in the player knows them. `searched` is the komi
    that the search played for, which is the game's unless it was asked for another, and the win rate there.
    `win_by_komi[i]` is Black's chance of a margin above `komi_labels[i]`; both are None where win rates are unknown.
    """

    to_move: Color
    visits: int
    win_rate: WinRate | None
    lead: Lead | None
    searched: Searched
    komi_labels: Floats | None
    win_by_komi: Floats | None
    candidates: tuple[Candidate, ...]
    owned: Owned | None = None
    """Only where it was asked for."""
    full: bool = False
    """The search stopped because its memory was used up."""
    net_lead: Lead | None = None
    """The lead by the net's margins alone, at the game's komi; None for a net without margins."""
    rollout_lead: Lead | None = None
    """The lead by the rollouts' mean score alone, at the game's komi; None without rollouts."""
    score: FinalScore | None = None
    """At the game's komi; None for a net without margins."""
    net_win_by_komi: Floats | None = None
    """As `win_by_komi`, by the net alone."""
    rollout_win_by_komi: Floats | None = None
    """As `win_by_komi`, by the rollouts alone; None without rollouts."""
    evaluation: Evaluation | None = None
    """The net's own evaluation of the position, without search; only where it was asked for."""
    final: bool = False
    """The last report of an analysis."""

    @staticmethod
    def from_json(table: dict[str, Any], size: int) -> Root:
        """What `to_json` wrote. The deviation of owners, and ownership below the candidates, are not in it."""
        searched = table["searched"]
        ownership = table.get("ownership")
        return Root(
            to_move=Color.parse(table["to_move"]),
            visits=table["visits"],
            win_rate=_win_rate(table["black_win_rate"]),
            lead=_lead(table["black_lead"]),
            searched=Searched(searched["komi"], _win_rate(searched["black_win_rate"])),
            komi_labels=_array(table["komi_labels"]),
            win_by_komi=_array(table["black_win_rate_by_komi"]),
            candidates=tuple(Candidate.from_json(each, size) for each in table["candidates"]),
            owned=None
            if ownership is None
            else Owned(np.array(ownership, np.float32), np.zeros((size, size), np.float32)),
            full=table["memory_full"],
            net_lead=_lead(table["net"]["black_lead"]),
            rollout_lead=_lead(table["rollouts"]["black_lead"]),
            score=_score(table["score"]),
            net_win_by_komi=_array(table["net"]["black_win_rate_by_komi"]),
            rollout_win_by_komi=_array(table["rollouts"]["black_win_rate_by_komi"]),
        )

    @property
    def ownership(self) -> Floats | None:
        """[size, size], 1 Black's to -1 White's; only where it was asked for and the net knows it."""
        return None if self.owned is None else self.owned.mean

    def to_json(self, size: int) -> dict[str, Any]:
        """Plain values in Black's view, null where unknown; moves are vertices of a board of that size."""
        return {
            "to_move": self.to_move.letter,
            "visits": self.visits,
            "black_win_rate": _black(self.win_rate),
            "black_lead": _black(self.lead),
            "score": None if self.score is None else self.score.to_json(),
            "searched": {"komi": self.searched.komi, "black_win_rate": _black(self.searched.win_rate)},
            "komi_labels": _list(self.komi_labels),
            "black_win_rate_by_komi": _list(self.win_by_komi),
            "net": {
                "black_lead": _black(self.net_lead),
                "black_win_rate_by_komi": _list(self.net_win_by_komi),
            },
            "rollouts": {
                "black_lead": _black(self.rollout_lead),
                "black_win_rate_by_komi": _list(self.rollout_win_by_komi),
            },
            "memory_full": self.full,
            "candidates": [candidate.to_json(size) for candidate in self.candidates],
            **({} if self.owned is None else {"ownership": self.owned.mean.tolist()}),
        }


def _black(value: WinRate | Lead | None) -> float | None:
    return None if value is None else value.of(Color.BLACK)


def _win_rate(black: float | None) -> WinRate | None:
    return None if black is None else WinRate(black, Color.BLACK)


def _lead(black: float | None) -> Lead | None:
    return None if black is None else Lead(black, Color.BLACK)


def _score(table: dict[str, float] | None) -> FinalScore | None:
    return None if table is None else FinalScore(Lead(table["black_mean"], Color.BLACK), table["deviation"])


def _array(curve: list[float] | None) -> Floats | None:
    return None if curve is None else np.array(curve, np.float32)


def _list(curve: Floats | None) -> list[float] | None:
    return None if curve is None else [float(x) for x in curve]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a player does: a move (`size * size` passes), or resignation."""

    move: int
    root: Root
    resign: bool = False


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a player searches: whichever bound is met first; None is no bound."""

    visits: int | None = None
    seconds: float | None = None

    def within(self, other: Limit) -> Limit:
        """The tighter of both bounds of each kind."""

        def tighter(a: float | None, b: float | None) -> float | None:
            return b if a is None else a if b is None else min(a, b)

        visits = tighter(self.visits, other.visits)
        return Limit(None if visits is None else int(visits), tighter(self.seconds, other.seconds))


@dataclass(frozen=True, slots=True)
class Question:
    """What a player is asked.

    `banned` are the moves of a colour, each with the number of plies from the root before which it may not be played;
    `interval` is how often, in seconds, a report is wanted (None: at the end only). Without a limit a move is
    chosen within the player's own limit, and an analysis goes on until it is stopped.
    """

    limit: Limit | None = None
    interval: float | None = None
    first_report: float | None = None
    """Seconds until the first report is wanted; None is the interval."""
    banned: Mapping[Color, Mapping[int, int]] = field(default_factory=dict)
    ownership: bool = False
    moves_ownership: bool = False
    """The ownership below each candidate, too."""
    min_moves: int = 0
    """Candidates wanted at least, if need be without a visit."""
    stop: Callable[[], bool] | None = None
    """Called after every batch of the net: True ends the search."""
    komi: float | None = None
    """The komi to search for in this question; None is the game's. It does not outlive the question.

    A player that does not search takes no notice of it."""
    evaluation: bool = False
    """The net's own evaluation of the position, too."""
    no_result: bool = False
    """The chance of a game without result below each candidate, too."""
    root_noise: float = 0.0
    """Explores more moves at the root, 0 to 5 (KataGo's wideRootNoise)."""
    favour: Favour | None = None
    """A side that is judged as the better or the worse player; the net must take it (`takes_favour`)."""
    merge_symmetric: bool = False
    """Searches one of the moves that the board's symmetry makes equal; the others are reported as its copies."""

    def banned_at_root(self, mover: Color) -> frozenset[int]:
        return frozenset(move for move, depth in self.banned.get(mover, {}).items() if depth > 0)

    def first_wait(self) -> float:
        """Seconds from the start to the first report during the search; infinite if none is wanted."""
        return self.next_wait() if self.first_report is None else self.first_report

    def next_wait(self) -> float:
        """Seconds from one report to the next; infinite if none is wanted."""
        return math.inf if self.interval is None else self.interval


class Player(Protocol):
    """Chooses moves. A player may keep the search of one move for its next move in the same game.

    A player is used by one thread at a time.
    """

    @property
    def name(self) -> str: ...

    @property
    def net(self) -> Evaluator:
        """The net that evaluates positions for it."""
        ...

    @property
    def settings(self) -> Any:
        """Its settings, a frozen dataclass (tengen.search.settings)."""
        ...

    def configure(self, settings: Any) -> None:
        """Takes other settings of the same dataclass, between two moves.

        It keeps what it knows of the game where the change allows it.
        """
        ...

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        """The move for the side to move after the game's last. With a clock, in time.

        A question bars moves, sets other limits than the player's own, and says how often `report` is called.
        """
        ...

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        """Reports on the position after the game's last move: one at least, each after a longer search."""
        ...

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Searches the position after the game's last move, for later, until `stop` is True."""
        ...


def last_report(player: Player, game: Game, question: Question) -> Root:
    """The last report of an analysis."""
    *_, root = player.analyze(game, question)
    return root
