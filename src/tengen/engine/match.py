"""Matches: two contestants, many games, every one kept.

A folder holds a match: `match.json` its terms, `results.jsonl` one line a finished game, `games/NNNN.sgf` and
`games/NNNN.log` each game and the dialogue with the programs. A match that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from tengen.engine.contestant import Contestant, OwnContestant, make_contestant
from tengen.engine.openings import Opening, read_openings
from tengen.engine.outcome import MatchResult, Outcome, tally_of
from tengen.engine.play_game import play_game
from tengen.engine.significance import Sprt, Tally
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.files import Claim, write_whole
from tengen.go.color import Color

__all__ = ["Match", "Outcome", "Terms"]


class Match:
    """A match in a folder. InputError if it cannot be played, or if the folder holds another match.

    `make` gives the contestant of a text, with a log to write to.
    """

    def __init__(
        self,
        contestants: tuple[str, str],
        terms: Terms,
        folder: Path,
        make: Callable[[str, Callable[[str], None]], Contestant] = make_contestant,
    ) -> None:
        terms.check()  # before anything is written
        self._make = make
        self.contestants = contestants
        self.terms = terms
        self.folder = folder
        self.openings = read_openings(terms) if terms.openings else [Opening()]
        self.outcomes: dict[int, Outcome] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        for spec in contestants:
            side = make(spec, lambda line: None)
            if isinstance(side, OwnContestant):
                side.player.net.card.check_size(terms.size)
                side.player.net.card.check_komi(terms.komi)
        self._open()

    def _open(self) -> None:
        """Makes the folder, or reads what is there; refuses the folder of another match."""
        (self.folder / "games").mkdir(parents=True, exist_ok=True)
        description = self.folder / "match.json"
        terms = {"contestants": list(self.contestants), **self.terms.to_json()}
        if not description.exists():
            write_whole(description, json.dumps(terms, indent=1) + "\n")
        else:
            try:
                before: Any = json.loads(description.read_text())
            except ValueError as error:
                raise InputError(f"{description} is damaged: {error}") from None
            if not isinstance(before, dict):
                raise InputError(f"{description} is damaged: it holds no table")
            before = Terms().to_json() | before  # terms that are newer than the folder have their defaults
            if changed := [k for k in terms | before if before.get(k) != terms.get(k)]:
                what = "; ".join(f"{k}: there {before.get(k)!r}, here {terms.get(k)!r}" for k in changed)
                raise InputError(f"{self.folder} holds another match ({what}): choose another folder")
        self.read_results()

    def read_results(self) -> None:
        """Takes what is in the folder: another process may have played on."""
        if not self._results.exists():
            return
        for number, line in enumerate(self._results.read_text().splitlines(), 1):
            try:
                values = json.loads(line)
            except ValueError:  # a line cut short: its game is played again
                continue
            try:
                outcome = Outcome(**values)
            except TypeError as error:
                raise InputError(
                    f"{self._results}, line {number}: this is no result of a game: {error}"
                ) from None
            self.outcomes[outcome.number] = outcome

    @property
    def _results(self) -> Path:
        return self.folder / "results.jsonl"

    @property
    def tally(self) -> Tally:
        """From the first contestant's side."""
        return tally_of(list(self.outcomes.values()))

    def result(self, test: Sprt | None = None) -> MatchResult:
        return MatchResult(self.contestants, tuple(self.outcomes[n] for n in sorted(self.outcomes)), test)

    def play(self, games: int, concurrency: int = 1, sprt: Sprt | None = None) -> Iterator[Outcome]:
        """Plays games up to that number; yields each as it ends. Stops early when the test has decided.

        InputError, with the program's own last lines, if a program cannot begin a game twice in a row.
        """
        local = threading.local()
        opened: list[Contestant] = []

        def work(number: int) -> Outcome:
            if not hasattr(local, "sides"):
                local.log = []
                local.sides = [self._make(spec, local.log.append) for spec in self.contestants]
                with self._lock:
                    opened.extend(local.sides)
            return self._play_one(number, local.sides, local.log)

        claim = Claim(self.folder)
        pool = ThreadPoolExecutor(concurrency, "game")
        running: set[Future[Outcome]] = set()
        try:
            self.read_results()
            if self._results.exists():  # without what was cut short
                lines = [json.dumps(o.to_json()) for _, o in sorted(self.outcomes.items())]
                write_whole(self._results, "".join(line + "\n" for line in lines))
            waiting = [n for n in range(games) if n not in self.outcomes]
            while (waiting or running) and not (sprt and sprt.verdict(self.tally)):
                while waiting and len(running) < concurrency:
                    running.add(pool.submit(work, waiting.pop(0)))
                # Not without end: the system may hand Ctrl-C to another thread, which does not wake this one.
                done, running = wait(running, timeout=0.25, return_when=FIRST_COMPLETED)
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
        black = self.terms.black_of(number)
        opening = self.openings[self.terms.opening_of(number, len(self.openings))]
        game, spent, failure = play_game(
            sides[black],
            sides[1 - black],
            self.terms,
            opening,
            self.terms.seed + 2 * number + 1,
            self._stop.is_set,
        )
        if self._stop.is_set():  # programs are being closed: this failure is not theirs
            raise KeyboardInterrupt
        seconds = (spent[Color.BLACK], spent[Color.WHITE])
        outcome = Outcome(
            number,
            black,
            str(game.result),
            len(game.moves),
            (round(seconds[black], 3), round(seconds[1 - black], 3)),
            failure,
            opening.source,
        )
        stem = self.folder / "games" / f"{number + 1:04}"
        if failure:
            log.append(f"# {failure}")
        write_whole(stem.with_suffix(".log"), "".join(line + "\n" for line in log))
        write_whole(stem.with_suffix(".sgf"), game.to_sgf())
        with self._lock:
            with self._results.open("a") as results:
                results.write(json.dumps(outcome.to_json()) + "\n")
            self.outcomes[number] = outcome
        return outcome
