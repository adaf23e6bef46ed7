"""The matches of IV.D (Tables 4, 5 and 6): one program with each method of dynamic komi against one opponent.

All methods play the same games: the same opponent, openings and seeds. So they are compared game by game, and a
difference between two methods has an interval of its own (`Difference`).

The handicap: stones on the points that GTP fixes (2 to 4 stones: the corner points, on the third line of 9x9 and on
the fourth from 13x13 on), White to move; H1 is no stone. Komi is 0.5, and the rules give White no points for the
stones. A stone is worth more of a small board than of a large one. The number of stones is not scaled; the opponent
is to be chosen so that the win rates lie in the middle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tengen.engine.match import Match
from tengen.engine.significance import Difference
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.nets.card import ModelCard
from tengen.nets.evaluator import Evaluator
from tengen.nets.library import open_net
from tengen.papers.cells import Cell, folder_for, play_cells
from tengen.papers.drawn_openings import draw_openings
from tengen.papers.reproduction import Request
from tengen.settings import suggestion

NETS: dict[str, Any] = {
    "policy": "",  # the net that gives the moves, and
    "value": "",  # the one that gives win rates and ownership; or
    "net": "",  # one net for both, such as tengen
}
SEARCH: dict[str, Any] = {
    "visits": 64,  # of our program, for a move
    "rollouts": 1,  # from each leaf
    "weight": 0.5,  # lambda
    "options": "",  # more options of our program, as in tengen match: precision=int8,threads=2
}
SETTINGS: dict[str, Any] = (
    NETS
    | SEARCH
    | {
        "size": 0,  # of the board; 0: the one that the nets are for
        "games": 300,  # of a cell; the paper: 250
        "errors": 0.2,  # opponent_errors of our own methods
        "opponent": "",  # any contestant of tengen match; empty: the same nets without dynamic komi, with
        "opponent_visits": 8,  # so many visits
        "rules": "new-zealand",  # they give no points for handicap stones
        "openings": 300,  # different ones, drawn from the policy, or games of --pool
        "opening_moves": 4,  # of an opening
        "concurrency": 2,  # games at once
        "seed": 1,
    }
)


class Method(NamedTuple):
    """What a row is called, and the options of our program that make it."""

    title: str
    options: str


METHODS = {
    "none": Method("no dynamic komi", "komi_method=none"),
    "ss-r": Method("SS-R", "komi_method=ss-r"),
    "ss-b": Method("SS-B", "komi_method=ss-b"),
    "ss-m": Method("SS-M", "komi_method=ss-m"),
    "vs-m": Method("VS-M", "komi_method=vs-m"),
    "ml-dk": Method("ML-DK", "komi_method=ml-dk"),
    "errors": Method("weaker opponent (ours)", "komi_method=none,opponent_errors={errors}"),
    "ml-dk+errors": Method(
        "ML-DK, weaker opponent (ours)", "komi_method=ml-dk,opponent_errors={errors}"
    ),
    "score": Method("utility from the score (ours)", "komi_method=none,score_weight=0.15"),
}  # fmt: skip
BASE = "none"
PAPERS = "none,ss-r,ss-b,ss-m,vs-m,ml-dk"


class Column(NamedTuple):
    """A column of a table. `stones`: 0 in an even game, with colours alternated; else our program is White."""

    name: str
    stones: int
    komi: float


EVEN = Column("even", 0, 7.5)
HANDICAP_KOMI = 0.5


def handicap_columns(text: str) -> list[Column]:
    """`1,2,3,4` as columns H1 to H4."""
    try:
        stones = [int(word) for word in text.split(",")]
    except ValueError:
        stones = []
    if not stones or min(stones) < 1:
        raise InputError(
            f"handicaps are numbers of stones with commas between them, such as 1,2, not '{text}'"
        )
    return [Column(f"H{n}", n, HANDICAP_KOMI) for n in stones]


def net_of(settings: Mapping[str, Any], value: str = "value") -> str:
    """The net, or the pair of nets, that the settings name; `value` is the setting of the value net."""
    if settings["net"]:
        return str(settings["net"])
    if settings["policy"] and settings[value]:
        return f"{settings['policy']}+{settings[value]}"
    raise InputError(f"no nets are given: --set policy=FOLDER --set {value}=FOLDER, or --set net=NAME")


def board_of(card: ModelCard, size: int) -> int:
    """The board: the one that was asked for, or the only one of the net, or 19."""
    size = size or (card.board_sizes[0] if len(card.board_sizes) == 1 else 19)
    card.check_size(size)
    return size


def search_options(settings: Mapping[str, Any]) -> str:
    """The options of a program that searches as the paper's does: it compares win rates alone.

    It plays its best move from the first one on, because the openings differ already.
    """
    search = ",".join(f"{name}={settings[name]}" for name in ("rollouts", "weight"))
    return f"{search},score_weight=0,spread_weight=0,variety=0"


@dataclass(frozen=True)
class Played:
    """The matches of a table, by column and method; the settings with which they were played."""

    matches: Mapping[tuple[str, str], Match]
    columns: Sequence[Column]
    methods: Sequence[str]
    size: int
    opponent: str

    def difference(
        self, first: str, second: str, columns: Sequence[str] = (), other: Played | None = None
    ) -> Difference | None:
        """The first method's points less the second's over the games that both played; None if there are none.

        columns: all if not given. other: the table of the second method, if it is another one.
        """
        other = other or self
        values: list[float] = []
        for name in columns or [column.name for column in self.columns]:
            mine, others = self.matches.get((name, first)), other.matches.get((name, second))
            if mine is None or others is None:
                continue
            both = sorted(mine.outcomes.keys() & others.outcomes.keys())
            values += [_points(mine, n) - _points(others, n) for n in both]
        return Difference.mean_of(values) if values else None

    @property
    def failures(self) -> int:
        return sum(sum(match.tally.failures) for match in self.matches.values())


def _points(match: Match, number: int) -> float:
    """A game without result counts half."""
    points = match.outcomes[number].points
    return 0.5 if points is None else points


@dataclass(frozen=True)
class Plan:
    """What is to be played: all settings of a table and no others, its columns, and the net of our program."""

    request: Request
    settings: Mapping[str, Any]
    table: str  # the name of the reproduction, under which its games are kept
    columns: Sequence[Column]
    net: str

    def methods(self, net: Evaluator) -> list[str]:
        """The methods that the settings name, `none` among them."""
        names = [name.strip() for name in self.settings["methods"].split(",")]
        for name in names:
            if name not in METHODS:
                raise InputError(f"there is no method '{name}'{suggestion(name, METHODS)}")
        if "score" in names:
            net.card.require("margin", "the method score needs expected scores: leave it out")
        return [BASE, *[name for name in dict.fromkeys(names) if name != BASE]]

    def contestant(self, method: str) -> str:
        """Our program with a method. It plays lost games out: in a handicap game they are not lost yet."""
        options = METHODS[method].options.format(errors=self.settings["errors"])
        more = f",{self.settings['options']}" if self.settings["options"] else ""
        return (
            f"puct:net={self.net},visits={self.settings['visits']},{search_options(self.settings)},resign=false,"
            f"{options}{more},name={method}"
        )

    @property
    def opponent(self) -> str:
        if self.settings["opponent"]:
            return str(self.settings["opponent"])
        net = net_of(self.settings) if self.settings["net"] or self.settings["value"] else self.net
        visits = self.settings["opponent_visits"]
        return (
            f"puct:net={net},visits={visits},{search_options(self.settings)},komi_method=none,name=opponent"
        )

    def terms(self, column: Column, size: int) -> Terms:
        return Terms(
            size=size,
            rules=self.settings["rules"],
            komi=column.komi,
            handicap=column.stones,
            opening_moves=self.settings["opening_moves"],
            seed=self.settings["seed"],
            first_is="white" if column.stones else "alternate",
        )

    def _openings(self, terms: Terms, column: Column) -> str:
        """The pool of a column's openings: the one that was asked for, or one that the policy draws, once."""
        if self.request.pool is not None:
            return str(self.request.pool)
        if not terms.opening_moves:
            return ""
        net = open_net(self.settings["policy"] or self.settings["net"], None, 1)
        count, seed = self.settings["openings"], terms.seed
        name = f"{terms.size}x{terms.size}-{column.name}-{terms.opening_moves}-{count}-{seed}-{net.card.identity[:12]}"
        pool = self.request.work / "openings" / f"{name}.parquet"
        if not pool.is_file():
            draw_openings(net, terms.game(), terms.opening_moves, count, seed, pool)
        return str(pool)

    def cells(self) -> tuple[dict[tuple[str, str], Cell], int]:
        """The cells by column and method, and the board."""
        net = open_net(self.net, None, 1)  # held, so that it is opened once
        size, methods = board_of(net.card, self.settings["size"]), self.methods(net)
        found: dict[tuple[str, str], Cell] = {}
        folder = folder_for(self.request, self.table, size, self.settings)
        for column in self.columns:
            terms = self.terms(column, size)
            terms.check()
            terms = replace(terms, openings=self._openings(terms, column))
            for method in methods:
                found[column.name, method] = Cell(
                    f"{column.name}, {METHODS[method].title}",
                    (self.contestant(method), self.opponent),
                    terms,
                    folder / column.name / method,
                    self.settings["games"],
                )
        return found, size

    def play(self) -> Played:
        """Plays all cells to their ends, or goes on with them."""
        cells, size = self.cells()
        matches = play_cells(list(cells.values()), self.settings["concurrency"], self.request.progress)
        return self._played(dict(zip(cells, matches, strict=True)), size)

    def read(self) -> Played | None:
        """The cells that were played already under these settings; None if there are none."""
        if not (self.request.work / self.table).is_dir():
            return None
        cells, size = self.cells()
        matches: dict[tuple[str, str], Match] = {}
        for key, cell in cells.items():
            if (cell.folder / "match.json").is_file():
                matches[key] = cell.match()
        return self._played(matches, size) if matches else None

    def _played(self, matches: Mapping[tuple[str, str], Match], size: int) -> Played:
        methods = list(dict.fromkeys(method for _, method in matches))
        return Played(matches, self.columns, methods, size, self.opponent)
