"""Section IV.E of the CGI paper: what a net for komi 7.5 costs in games at komi 6.5.

Games that Black won by half a point at 6.5 would be lost at 7.5. They are played out from ten moves before their end by
programs that differ in the komi of their values alone, each game twice, with both colours:

v_6.5                      net and rollouts at 6.5, the game's komi
v_7.5                      net and rollouts at 7.5
v_7.5, rollouts at 6.5     the net at 7.5, the rollouts at the game's komi

The paper does not say at which komi the rollouts of its VN-7.5 were counted. Its text on why so little is lost
(rollouts tell the best moves from others) fits the third program.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tengen.engine.contestant import Contestant, OwnContestant
from tengen.engine.match import Match
from tengen.engine.options import read_options
from tengen.engine.significance import Difference
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead
from tengen.go.position import Position
from tengen.go.result import ResultKind
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.komi import flat_curve
from tengen.nets.library import open_net
from tengen.papers.cells import Cell, folder_for, play_cells
from tengen.papers.cgi_data import SECTION_4E, SECTION_4E_BOTH, SECTION_4E_PAIRS
from tengen.papers.komi_matches import NETS, SEARCH, board_of, net_of, search_options
from tengen.papers.pools import kgs_pool
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.search.clock import Clock
from tengen.search.player import Decision, Player, Question, Root
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings
from tengen.settings import split_pairs

TITLE = "Games that a point of komi decides: v_6.5 against v_7.5"
SETTINGS: dict[str, Any] = (
    NETS
    | SEARCH
    | {
        "size": 0,  # of the board; 0: the one that the nets are for
        "pairs": 1000,  # games of the pool, each played with both colours; the paper: 2,630
        "komi": 6.5,  # of the games
        "other_komi": 7.5,  # that of the net in their place
        "from_end": 10,  # moves before the end at which the play begins
        "rules": "chinese",
        "concurrency": 2,  # games at once
        "seed": 1,
    }
)
# The programs: v at the game's komi, v and rollouts at the other komi, v alone at the other komi.
OWN, OTHER, MIXED = "own", "other", "mixed"
HALF = 0.5


def run(request: Request) -> Outcome:
    """Plays both matches, or goes on with them: the games are kept in the work folder."""
    settings = SETTINGS | dict(request.settings)
    name = net_of(settings)
    net = open_net(name, None, 1)
    net.card.require("win_by_komi", "section IV.E compares win rates")
    size = board_of(net.card, settings["size"])
    folder = folder_for(request, "cgi-section4e", size, settings)
    pool = write_endings(won_by_half(kgs_pool(request), size, settings["komi"]), folder)
    terms = Terms(
        size=size,
        rules=settings["rules"],
        komi=settings["komi"],
        openings=str(pool),
        from_end=settings["from_end"],
        seed=settings["seed"],
    )
    own, other = f"v_{settings['komi']:g}", f"v_{settings['other_komi']:g}"
    titles = {
        OTHER: f"{own} against {other}",
        MIXED: f"{own} against {other} with rollouts at {settings['komi']:g}",
    }
    rivals = [OTHER, *([MIXED] if settings["rollouts"] else [])]
    cells = [
        Cell(
            titles[rival],
            (program(settings, name, OWN), program(settings, name, rival)),
            terms,
            folder / rival,
            2 * settings["pairs"],
            make_program,
        )
        for rival in rivals
    ]
    played = play_cells(cells, settings["concurrency"], request.progress)
    rows = [row for cell, match in zip(cells, played, strict=True) for row in pair_rows(cell.title, match)]
    openings = len(played[0].openings)
    notes = [
        f"Ours: {size}x{size}, {settings['rules']} rules, {name}, {settings['visits']} visits a move, "
        f"{settings['rollouts']} rollouts a leaf, lambda {settings['weight']:g}; {openings:,} games of the pool, from "
        f"{settings['from_end']} moves before their end. The paper: {SECTION_4E_PAIRS:,} games of KGS, 1 s a move.",
        "The interval is over pairs of games, because both games of a pair begin with the same position.",
    ]
    if openings < settings["pairs"]:
        times = settings["pairs"] / openings
        notes.append(
            f"The pool has fewer games than pairs were asked for: each was played {times:.1f} times."
        )
    return Outcome(rows, notes)


def won_by_half(pool: Path, size: int, komi: float) -> GameStore:
    """The even games of the pool on that board that Black won by half a point at this komi."""
    found = GameStore.open(pool).filter(
        pl.col("size") == size,
        pl.col("komi") == komi,
        pl.col("handicap") <= 1,
        pl.col("result") == ResultKind.SCORE.value,
        pl.col("winner") == "B",
        pl.col("margin") == HALF,
    )
    if not len(found):
        raise InputError(f"{pool} has no even game on {size}x{size} that ended B+0.5 at komi {komi:g}")
    return found


def write_endings(store: GameStore, folder: Path) -> Path:
    """Writes the pool of openings, once; other games have another name, so that they are never another match's."""
    identity = hashlib.sha256("".join(store.frame["id"].to_list()).encode()).hexdigest()
    pool = folder / f"endings-{identity[:12]}.parquet"
    if not pool.is_file():
        store.write(pool)
    return pool


def pair_rows(title: str, match: Match) -> list[Row]:
    """The win rate over pairs with its interval, and the pairs that one program won with both colours."""
    points = {number: outcome.points for number, outcome in match.outcomes.items()}
    scores = [
        (given(points[n]) + given(points[n + 1])) / 2
        for n in range(0, max(points) + 1, 2)
        if points.get(n) is not None and points.get(n + 1) is not None
    ]
    found = Difference.mean_of([score - HALF for score in scores])
    low, high = (min(max(HALF + bound, 0.0), 1.0) for bound in found.interval())
    won, lost = scores.count(1.0), scores.count(0.0)
    return [
        Row(
            title,
            SECTION_4E,
            f"{HALF + found.mean:.2%} ({low:.2%} to {high:.2%}) of {len(scores):,} pairs: {found.verdict()}",
        ),
        Row(
            "  pairs won with both colours",
            f"{SECTION_4E_BOTH} more of {SECTION_4E_PAIRS:,}",
            f"{won - lost:+} ({won} against {lost}) of {len(scores):,}",
        ),
    ]


def program(settings: dict[str, Any], net: str, kind: str) -> str:
    """What `make_program` reads."""
    komi = "" if kind == OWN else f",komi={settings['other_komi']:g}"
    more = f",{settings['options']}" if settings["options"] else ""
    search = f"visits={settings['visits']},{search_options(settings)},komi_method=none{more}"
    return f"{kind}:net={net},{search}{komi}"


def make_program(text: str, log: Callable[[str], None]) -> Contestant:
    """A contestant of `program`'s text."""
    kind, _, rest = text.partition(":")
    options = split_pairs(rest, text)
    net = open_net(options.pop("net"), options.pop("precision", None), int(options.get("threads", 1)))
    komi = float(options.pop("komi", "nan"))

    def make(seed: int, size: int) -> Player:
        settings: PuctSettings = read_options("puct", {"seed": seed} | options)
        if kind == OTHER:
            return Believing(net, settings, komi)
        return PuctPlayer(AtOneKomi(net, komi) if kind == MIXED else net, settings)

    return OwnContestant(kind, make, log)


class AtOneKomi:
    """A net that is asked about every position as if its komi were this one: a value net for one komi."""

    def __init__(self, inner: Evaluator, komi: float) -> None:
        self.inner, self.komi = inner, komi
        self.card: ModelCard = dataclasses.replace(inner.card, komi_labels=(komi,))

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        """See Evaluator; the win rate is the same at all labels."""
        said = self.inner.evaluate([self._moved(p) for p in positions], trunk=trunk, symmetries=symmetries)
        return [self._read(p, one, komi_labels) for p, one in zip(positions, said, strict=True)]

    def _moved(self, position: Position) -> Position:
        other = position.copy()
        other.rules = position.rules.with_komi(self.komi)
        return other

    def _read(self, position: Position, said: Evaluation, komi_labels: Sequence[float] | None) -> Evaluation:
        own = position.rules.komi
        labels = np.array([own] if komi_labels is None else komi_labels, np.float32)
        lead = None if said.lead is None else Lead(said.lead.of(Color.BLACK) + self.komi - own, Color.BLACK)
        win = given(said.win).of(Color.BLACK)
        curve = flat_curve([win], labels)[0].astype(np.float32)
        return dataclasses.replace(said, lead=lead, komi_labels=labels, win_by_komi=curve)


class Believing(PuctPlayer):
    """Plays every game as if its komi were this one. Ended games are counted at their own."""

    def __init__(self, net: Evaluator, settings: PuctSettings, komi: float) -> None:
        super().__init__(net, settings)
        self._believed = komi

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        rules = game.rules.with_komi(self._believed)
        return super().choose(dataclasses.replace(game, rules=rules), clock, question, report)
