"""Do two nets find the same mistakes? Games are reviewed by both, and their biggest mistakes compared. No torch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tengen.engine.options import make_player
from tengen.engine.review import MoveReview, review_game
from tengen.errors import InputError
from tengen.files import write_whole
from tengen.go.game import Game
from tengen.nets.evaluator import Evaluator
from tengen.prediction.predictors import precision_of
from tengen.prediction.resampling import Estimate, GameMean
from tengen.progress import Progress, Report, silent


@dataclass(frozen=True)
class Mistake:
    """A mistake that a review found, with the mover's losses; a net without leads counts no points: None."""

    number: int  # of the move, from 1
    color: str  # B or W
    move: str
    best: str
    points_lost: float | None
    win_rate_lost: float

    @staticmethod
    def of(move: MoveReview) -> Mistake:
        return Mistake(
            move.number, move.move.color.letter, move.vertex, move.best, move.points_lost, move.win_rate_lost
        )


class Reviewer:
    """Reviews games with a net at so many visits a position.

    keep: a folder in which mistakes that were found are kept, so that no game is reviewed twice by the same net, in the
    same precision, at the same visits. Reviews by a net without a file of its own (a training run) are not kept.
    """

    def __init__(self, net: Evaluator, visits: int, threads: int = 1, keep: Path | None = None) -> None:
        net.card.require("policy", "it cannot search, so it cannot review games")
        net.card.require("win_by_komi", "a review needs win rates")
        self.net, self.visits = net, visits
        self.threads = threads
        self._folder = keep if net.card.identity != net.card.name else None

    def mistakes(self, game: Game, progress: Report = silent) -> list[Mistake]:
        """All mistakes of a game, the biggest first."""
        path = None if self._folder is None else self._folder / self._file(game)
        if path is not None and path.is_file():
            return _read(path)
        player = make_player("puct", self.net, {"visits": self.visits, "threads": self.threads})
        found = [Mistake.of(move) for move in review_game(game, player, progress=progress).mistakes(None)]
        if path is not None:
            write_whole(path, json.dumps([asdict(one) for one in found], indent=1) + "\n")
        return found

    def _file(self, game: Game) -> str:
        """A name for what this net finds in the game."""
        precision = precision_of(self.net)
        terms = f"{self.net.card.identity} {precision} {self.visits} {game.to_sgf()}"
        name = "".join(c if c.isalnum() or c in "-+" else "-" for c in self.net.card.name)
        return f"{name}-{self.visits}-{hashlib.sha256(terms.encode()).hexdigest()[:16]}.json"


def _read(path: Path) -> list[Mistake]:
    try:
        return [Mistake(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path}: not the mistakes of a review ({error}): remove the file") from None


@dataclass(frozen=True)
class Compared:
    """The mistakes of one game that two nets find, all of each net, the biggest first."""

    game: Game
    first: list[Mistake]
    second: list[Mistake]

    def shared(self, count: int) -> list[int]:
        """The moves among the `count` biggest mistakes of both nets, in the order of the first."""
        theirs = {one.number for one in self.second[:count]}
        return [one.number for one in self.first[:count] if one.number in theirs]

    def to_json(self, count: int) -> dict[str, Any]:
        return {
            "black": self.game.black,
            "white": self.game.white,
            "date": self.game.date,
            "first": [asdict(one) for one in self.first[:count]],
            "second": [asdict(one) for one in self.second[:count]],
            "shared": self.shared(count),
        }


def compare_reviews(
    games: Sequence[Game], first: Reviewer, second: Reviewer, report: Report = silent
) -> list[Compared]:
    """Both nets' mistakes of each game."""
    total = sum(len(game.moves) + 1 for game in games)
    compared, done = [], 0
    for game in games:
        found = []
        for reviewer in (first, second):

            def show(progress: Progress, before: int = done, name: str = reviewer.net.card.name) -> None:
                report(Progress("moves", before + progress.done, 2 * total, name))

            found.append(reviewer.mistakes(game, show))
            done += len(game.moves) + 1
        compared.append(Compared(game, *found))
    return compared


@dataclass(frozen=True)
class SharedMistakes:
    """Means over games.

    mistakes: the biggest mistakes of the first net. shared: how many of them are among the second net's biggest.
    chance: how many would be, if each net chose as many moves of the game at random.
    """

    games: int
    mistakes: float
    shared: Estimate
    chance: float

    @staticmethod
    def of(compared: Sequence[Compared], count: int) -> SharedMistakes:
        """With the `count` biggest mistakes of a game by each net; all games have moves."""
        own, theirs = (
            np.array([min(len(found), count) for found in column])
            for column in zip(*((one.first, one.second) for one in compared), strict=True)
        )
        moves = np.array([len(one.game.moves) for one in compared])
        shared = [len(one.shared(count)) for one in compared]
        mean = GameMean.of(np.arange(len(compared)), shared, len(compared))
        return SharedMistakes(
            len(compared), float(own.mean()), mean.estimate(), float((own * theirs / moves).mean())
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "games": self.games,
            "first_mistakes": self.mistakes,
            "shared": self.shared.to_json(),
            "shared_by_chance": self.chance,
        }
