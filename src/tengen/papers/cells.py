"""The matches of a table, one a cell, several at once; each is kept in a folder of its own and goes on from there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

from tengen.engine.contestant import Contestant, make_contestant
from tengen.engine.match import Match
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.files import write_whole
from tengen.papers.reproduction import Request
from tengen.progress import Progress, Report

LOOK_EVERY = 0.5  # seconds
EXTENT = ("games", "pairs", "methods", "handicaps", "concurrency")


@dataclass(frozen=True)
class Cell:
    """A match of so many games. `make`, if it is not the usual one, is a function of a module."""

    title: str
    contestants: tuple[str, str]
    terms: Terms
    folder: Path
    games: int
    make: Callable[[str, Callable[[str], None]], Contestant] = make_contestant

    def match(self) -> Match:
        return Match(self.contestants, self.terms, self.folder, self.make)


def play_cells(cells: Sequence[Cell], concurrency: int, report: Report) -> list[Match]:
    """Plays all matches to their ends, so many games at once, and gives them in the order of the cells.

    With more than one at once each match has a process of its own: threads of one would wait for each other's Python.
    Every cell is looked at before the first game, so that one which cannot be played ends the command at once. Ctrl-C
    keeps all games that have ended.
    """
    if concurrency < 1 or any(cell.games < 1 for cell in cells):
        raise InputError("games and concurrency must be 1 or more")
    matches = [cell.match() for cell in cells]

    def tell(now: Cell) -> None:
        done = sum(min(len(match.outcomes), cell.games) for match, cell in zip(matches, cells, strict=True))
        report(Progress("games", done, sum(cell.games for cell in cells), now.title))

    todo = [
        (cell, match) for cell, match in zip(cells, matches, strict=True) if len(match.outcomes) < cell.games
    ]
    if concurrency == 1 or len(todo) == 1:
        for cell, match in todo:
            tell(cell)
            for _ in match.play(cell.games, concurrency):
                tell(cell)
    else:
        _play_in_processes(todo, concurrency, tell)
    return matches


def folder_for(request: Request, table: str, size: int, settings: Mapping[str, Any]) -> Path:
    """Where the matches of a table on a board are kept: other settings have another folder, and `settings.json` in it.

    How many games are played, of which cells, and how many at once, is no part of them.
    """
    kept = {key: value for key, value in settings.items() if key not in EXTENT} | {
        "pool": str(request.pool or "")
    }
    text = json.dumps(kept, indent=1, sort_keys=True) + "\n"
    name = f"{size}x{size}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    folder = request.work / table / name
    if not (folder / "settings.json").is_file():
        write_whole(folder / "settings.json", text)
    return folder


class _Child(NamedTuple):
    cell: Cell
    match: Match
    process: BaseProcess
    error: Connection


def _play_in_processes(
    todo: list[tuple[Cell, Match]], concurrency: int, tell: Callable[[Cell], None]
) -> None:
    """Plays each match in a process, so many at a time. InputError if one of them fails."""
    waiting, running = list(todo), list[_Child]()
    try:
        while waiting or running:
            while waiting and len(running) < concurrency:
                running.append(_start(*waiting.pop(0)))
            time.sleep(LOOK_EVERY)
            for child in list(running):
                is_alive = child.process.is_alive()
                child.match.read_results()
                tell(child.cell)
                if not is_alive:
                    running.remove(child)
                    _finish(child)
    finally:  # what is still running has been interrupted, or another one has failed
        for child in running:
            child.process.terminate()
        for child in running:
            child.process.join()


def _start(cell: Cell, match: Match) -> _Child:
    context = multiprocessing.get_context("spawn")
    error, other = context.Pipe(duplex=False)
    process = context.Process(target=_play, args=(cell, other), daemon=True)
    with _ignoring_ctrl_c():
        process.start()
    other.close()
    return _Child(cell, match, process, error)


@contextlib.contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """A process that is started here never sees Ctrl-C: this one hears of it, and ends the other."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _finish(child: _Child) -> None:
    child.process.join()
    with contextlib.suppress(EOFError):
        raise InputError(f"{child.cell.title}: {child.error.recv()}")
    if child.process.exitcode:
        raise InputError(
            f"{child.cell.title}: the process that played it ended with code {child.process.exitcode}; its games are "
            f"kept in {child.cell.folder}"
        )


def _play(cell: Cell, error: Connection) -> None:
    """In a process of its own; an error is sent as text. It ends when the process that started it is gone."""
    parent = multiprocessing.parent_process()
    try:
        for _ in cell.match().play(cell.games):
            if parent is not None and not parent.is_alive():
                return
    except InputError as reason:
        error.send(str(reason))
