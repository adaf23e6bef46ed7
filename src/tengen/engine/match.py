"""Matches: two contestants, many games, every one kept.

A folder holds a match: `match.json` its terms, `results.jsonl` one line a finished game, `games/NNNN.sgf` and
`games/NNNN.log` each game and what passed between programs. A match that was stopped goes on where it was.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tengen.engine.contestant import RESIGN, Contestant, OwnContestant, make_contestant
from tengen.engine.process import EngineError
from tengen.engine.significance import Sprt, Tally
from tengen.errors import InputError
from tengen.files import Claim, write_whole
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.handicap import fixed_handicap
from tengen.go.result import Result, ResultKind
from tengen.go.rules import Rules
from tengen.go.settle import settle
from tengen.search.clock import TimeControl

MAX_OPENINGS = 1000


@dataclass(frozen=True, slots=True)
class Terms:
    """What every game of a match has in common. Games longer than `max_moves` are counted as they stand."""

    size: int = 19
    rules: str = "chinese"
    komi: float = 7.5
    handicap: int = 0
    openings: str = ""
    """A pool whose games give the first `opening_moves` moves; each is played with both colours."""
    opening_moves: int = 12
    time: TimeControl = field(default_factory=TimeControl)
    seed: int = 0

    @property
    def max_moves(self) -> int:
        return 3 * self.size * self.size

    def game(self) -> Game:
        """The record before the first move."""
        game = Game(size=self.size, rules=Rules.named(self.rules).with_komi(self.komi))
        if self.handicap:
            game.handicap = self.handicap
            game.setup = Setup(black=fixed_handicap(self.size, self.handicap))
        return game


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished game. `failure` says what a program did wrong, if it lost by that."""

    number: int
    black: int
    """0 if the first contestant had Black, 1 if the second."""
    result: str
    moves: int
    seconds: tuple[float, float]
    """Thinking time of the first and of the second contestant."""
    failure: str | None = None

    @property
    def points(self) -> float | None:
        """Of the first contestant: 1, 0.5 or 0; None for a game without result."""
        result = Result.parse(self.result)
        if result.winner is None:
            return 0.5 if result.kind is ResultKind.DRAW else None
        return float((result.winner is Color.BLACK) == (self.black == 0))


def play_game(
    black: Contestant,
    white: Contestant,
    terms: Terms,
    opening: list[Move],
    seed: int,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Game, dict[Color, float], str | None]:
    """Plays one game: the record with its result, the time each took, and the failure that ended it."""
    game = terms.game()
    game.black, game.white = black.name, white.name
    game.moves = list(opening)
    sides = {Color.BLACK: black, Color.WHITE: white}
    clocks = {color: terms.time.start() for color in sides}
    spent = dict.fromkeys(sides, 0.0)
    mover = Color.BLACK
    try:
        for mover in sides:
            sides[mover].begin(game, seed + mover)
        position = game.position()
        while not position.is_over and position.move_number < terms.max_moves:
            if stopped():
                raise KeyboardInterrupt
            mover = position.to_move
            started = time.perf_counter()
            move = sides[mover].move(game, clocks[mover])
            took = time.perf_counter() - started
            spent[mover] += took
            clocks[mover] = clocks[mover].after(took)
            if clocks[mover].flagged:
                game.result = Result(ResultKind.TIME, mover.opponent)
                return game, spent, None
            if move == RESIGN:
                game.result = Result(ResultKind.RESIGN, mover.opponent)
                return game, spent, None
            if (why := position.refusal(move, mover)) is not None:
                raise EngineError("illegal", f"{position.vertex(move)} is illegal: {why}")
            position.play(move)
            game.moves.append(Move(mover, move))
            mover = mover.opponent
            sides[mover].told(mover.opponent, position.vertex(move))
    except EngineError as failure:
        kind = ResultKind.TIME if failure.kind == "timeout" else ResultKind.FORFEIT
        game.result = Result(kind, mover.opponent)
        return game, spent, f"{sides[mover].name}: {failure.kind}: {failure}"
    game.result = _count(game, black, white)
    return game, spent, None


def _count(game: Game, black: Contestant, white: Contestant) -> Result:
    """The result both state. If they differ: that of a player of ours, else of the board settled by playouts."""
    claims: list[Result] = []
    for side in (black, white):
        with contextlib.suppress(EngineError):
            if (claim := side.score(game)) is not None:
                claims.append(claim)
    if claims and all(claim.winner == claims[0].winner for claim in claims):
        return claims[0]
    for side in (black, white):
        if isinstance(side, OwnContestant) and (claim := side.score(game)) is not None:
            return claim
    return settle(game.position()).score.result


def read_openings(terms: Terms) -> list[list[Move]]:
    """Beginnings of the pool's games of the right size without handicap, in an order drawn by the seed."""
    from tengen.games.store import GameStore

    store = GameStore.open(terms.openings)
    order = np.random.default_rng(terms.seed).permutation(len(store)).tolist()
    openings: list[list[Move]] = []
    for i in order:
        game = store.game(i)
        opening = game.moves[: terms.opening_moves]
        plain = game.size == terms.size and not game.setup and len(opening) == terms.opening_moves
        if plain and opening not in openings:
            openings.append(opening)
        if len(openings) == MAX_OPENINGS:
            break
    if not openings:
        raise InputError(
            f"{terms.openings}: no even game of {terms.opening_moves} moves or more on {terms.size}x{terms.size}"
        )
    return openings


class Match:
    """A match in a folder."""

    def __init__(self, contestants: tuple[str, str], terms: Terms, folder: Path) -> None:
        self.contestants = contestants
        self.terms = terms
        self.folder = folder
        self.openings = read_openings(terms) if terms.openings else [[]]
        self.outcomes: dict[int, Outcome] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        try:
            terms.game().start()  # refuse what cannot be played before anything is written
        except ValueError as error:
            raise InputError(str(error)) from None
        for spec in contestants:
            side = make_contestant(spec, lambda line: None)
            if isinstance(side, OwnContestant):
                side.player.net.card.check_size(terms.size)
        self._open()

    def _open(self) -> None:
        """Makes the folder, or reads what is there; refuses the folder of another match."""
        (self.folder / "games").mkdir(parents=True, exist_ok=True)
        terms = json.loads(
            json.dumps({"contestants": self.contestants, **asdict(self.terms)}, default=lambda e: e.value)
        )
        description = self.folder / "match.json"
        if description.exists():
            try:
                before: Any = json.loads(description.read_text())
            except ValueError as error:
                raise InputError(f"{description} is damaged: {error}") from None
            if before != terms:
                changed = sorted(
                    k for k in terms if not isinstance(before, dict) or before.get(k) != terms[k]
                )
                raise InputError(
                    f"{self.folder} holds another match ({', '.join(changed)} differ): choose another folder"
                )
        else:
            write_whole(description, json.dumps(terms, indent=1) + "\n")
        self._read_results()

    def _read_results(self) -> None:
        if self._results.exists():
            for line in self._results.read_text().splitlines():
                with contextlib.suppress(ValueError, TypeError):  # a line cut short: its game is played again
                    outcome = Outcome(**json.loads(line))
                    self.outcomes[outcome.number] = outcome

    @property
    def _results(self) -> Path:
        return self.folder / "results.jsonl"

    @property
    def tally(self) -> Tally:
        """From the first contestant's side."""
        points = [o.points for o in self.outcomes.values()]
        return Tally(points.count(1.0), points.count(0.0), points.count(0.5))

    def play(self, games: int, concurrency: int = 1, sprt: Sprt | None = None) -> Iterator[Outcome]:
        """Plays games up to that number; yields each as it ends. Stops early when the test has decided."""
        local = threading.local()
        opened: list[Contestant] = []

        def work(number: int) -> Outcome:
            if not hasattr(local, "sides"):
                local.log = []
                local.sides = [make_contestant(spec, local.log.append) for spec in self.contestants]
                with self._lock:
                    opened.extend(local.sides)
            return self._play_one(number, local.sides, local.log)

        claim = Claim(self.folder)
        pool = ThreadPoolExecutor(concurrency, "game")
        running: set[Future[Outcome]] = set()
        try:
            self._read_results()  # another process may have played on
            if self._results.exists():  # without what was cut short
                lines = [json.dumps(asdict(o)) for _, o in sorted(self.outcomes.items())]
                write_whole(self._results, "".join(line + "\n" for line in lines))
            waiting = [n for n in range(games) if n not in self.outcomes]
            while (waiting or running) and not (sprt and sprt.verdict(self.tally)):
                while waiting and len(running) < concurrency:
                    running.add(pool.submit(work, waiting.pop(0)))
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            self._stop.set()
            for side in opened:
                side.close()
            pool.shutdown(wait=True, cancel_futures=True)
            self._stop.clear()
            claim.release()

    def _play_one(self, number: int, sides: list[Contestant], log: list[str]) -> Outcome:
        log.clear()
        first_is_white = number % 2
        black, white = sides[first_is_white], sides[1 - first_is_white]
        opening = self.openings[number // 2 % len(self.openings)]  # each opening with both colours
        game, spent, failure = play_game(
            black, white, self.terms, opening, self.terms.seed + 2 * number + 1, self._stop.is_set
        )
        if self._stop.is_set():  # programs are being closed: what they did last says nothing
            raise KeyboardInterrupt
        seconds = (spent[Color.BLACK], spent[Color.WHITE])
        outcome = Outcome(
            number,
            first_is_white,
            str(game.result),
            len(game.moves),
            (round(seconds[first_is_white], 3), round(seconds[1 - first_is_white], 3)),
            failure,
        )
        stem = self.folder / "games" / f"{number + 1:04}"
        if failure:
            log.append(f"# {failure}")
        write_whole(stem.with_suffix(".log"), "".join(line + "\n" for line in log))
        write_whole(stem.with_suffix(".sgf"), game.to_sgf())
        with self._lock:
            with self._results.open("a") as results:
                results.write(json.dumps(asdict(outcome)) + "\n")
            self.outcomes[number] = outcome
        return outcome
