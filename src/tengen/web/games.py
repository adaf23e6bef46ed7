"""The games of the server: reading what users send, and keeping it."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from sgfmill.sgf import Sgf_game

from tengen import _native
from tengen.errors import InputError
from tengen.games.sources import records_in
from tengen.go.game import Game
from tengen.go.sgf import sgf_tree
from tengen.web.examples import EXAMPLES, example_sgf
from tengen.web.limits import Limits
from tengen.web.refusal import RefusalError, not_found
from tengen.web.store import Store


@dataclass(frozen=True, slots=True)
class Upload:
    """One file as it was sent. The name is shown, never used as a path."""

    name: str
    data: bytes


def new_id() -> str:
    """A random id that nobody can guess."""
    return secrets.token_urlsafe(12)


def shown_name(name: str) -> str:
    """The last part of a file's name, on one line of at most 100 printable characters.

    >>> shown_name("../../etc/passwd"), shown_name("C:\\\\games\\\\my game.sgf")
    ('passwd', 'my game.sgf')
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    return "".join(c if c.isprintable() else "?" for c in last)[:100] or "game"


class Games:
    """Games in the store, by id."""

    def __init__(self, store: Store, limits: Limits) -> None:
        self._store = store
        self._limits = limits

    def add_uploads(self, uploads: list[Upload], tab: str) -> dict[str, Any]:
        """Reads files and archives; those that cannot be read are named with the reason."""
        if len(uploads) > self._limits.files:
            raise RefusalError(
                413, f"{len(uploads)} files at once: send at most {self._limits.files}, or a zip of them"
            )
        kept: list[tuple[str, bytes, Game]] = []
        problems: list[dict[str, str]] = []
        for upload in uploads:
            room = self._limits.files - len(kept)
            for name, record, reason in records_in(upload.name, upload.data, self._limits.file_bytes, room):
                file = shown_name(name)
                try:
                    if reason == "too large":
                        raise InputError(f"larger than {self._limits.file_bytes / 1e6:g} MB")
                    if reason:
                        raise InputError(reason)
                    kept.append((file, record, self._read(record)))
                except InputError as error:
                    problems.append({"file": file, "reason": str(error).removeprefix("SGF: ")})
        return self._answer(kept, problems, tab)

    def add_text(self, text: str, tab: str) -> dict[str, Any]:
        """One game that was pasted."""
        if len(text.encode()) > self._limits.file_bytes:
            raise RefusalError(413, f"the game is larger than {self._limits.file_bytes / 1e6:g} MB")
        if "(;" not in text.replace(" ", "").replace("\n", "").replace("\r", ""):
            raise RefusalError(
                422, "this is no SGF: there is no '(;' in it. Paste the whole text of the file."
            )
        try:
            record = text.encode("utf-8-sig", "replace")
            return self._answer([("pasted.sgf", record, self._read(record))], [], tab)
        except InputError as error:
            raise RefusalError(422, f"the game cannot be read: {str(error).removeprefix('SGF: ')}") from None

    def add_example(self, name: str, tab: str) -> dict[str, Any]:
        if name not in EXAMPLES:
            raise RefusalError(422, f"there is no such example: choose one of {', '.join(EXAMPLES)}")
        record = example_sgf(name)
        return self._answer([(f"{name}.sgf", record, self._read(record))], [], tab)

    def add_record(self, record: bytes, file: str, tab: str) -> dict[str, Any]:
        """Keeps a game from its SGF; its facts."""
        return self._add(file, record, self._read(record), tab)

    def _add(self, file: str, record: bytes, game: Game, tab: str) -> dict[str, Any]:
        facts = {"id": new_id(), "file": file, **facts_of(game)}
        self._store.add_game(facts["id"], tab, record, facts)
        return facts

    def get(self, id: str) -> tuple[Game, dict[str, Any]]:
        """RefusalError if there is none."""
        found = self._store.game(id)
        if found is None:
            raise not_found("game")
        record, facts = found
        return self._read(record), facts

    def sgf(self, id: str) -> bytes:
        """The record as it was sent, in UTF-8."""
        found = self._store.game(id)
        if found is None:
            raise not_found("game")
        return found[0]

    def tree(self, id: str) -> Sgf_game:
        """The whole tree, with the comments and variations that were sent; of a tree that is too deep or broken
        beside its main line, the main line alone."""
        record = self.sgf(id)
        try:
            tree = sgf_tree(record)
            tree.serialise()
            if len(tree.get_main_sequence()) > self._limits.moves + 1:
                raise ValueError
        except (InputError, ValueError, RecursionError):
            return sgf_tree(self._read(record).to_sgf())
        return tree

    def of_tab(self, tab: str) -> list[dict[str, Any]]:
        return self._store.games_of(tab)

    def whole(self, id: str) -> dict[str, Any]:
        """The facts, the setup and all moves."""
        game, facts = self.get(id)
        return facts | record_of(game)

    def _read(self, record: bytes) -> Game:
        game = Game.from_sgf(record)
        if len(game.moves) > self._limits.moves:
            raise InputError(f"{len(game.moves):,} moves, more than {self._limits.moves:,}")
        # What players and programs wrote is shown on one line; nobody needs more of it.
        return replace(
            game,
            black=_line(game.black),
            white=_line(game.white),
            black_rank=_line(game.black_rank),
            white_rank=_line(game.white_rank),
            date=_line(game.date),
        )

    def _answer(
        self, kept: list[tuple[str, bytes, Game]], problems: list[dict[str, str]], tab: str
    ) -> dict[str, Any]:
        if not kept:
            if problems:
                first = problems[0]
                more = f" ({len(problems)} files cannot be read)" if len(problems) > 1 else ""
                raise RefusalError(422, f"{first['file']}: {first['reason']}{more}", problems=problems)
            raise RefusalError(422, "there is no game in what was sent: send .sgf, .gib, .ngf or .zip files")
        games = [self._add(file, record, game, tab) for file, record, game in kept]
        return {"games": games, "problems": problems, "players": players_of([game for *_, game in kept])}


def players_of(games: Sequence[Game]) -> list[dict[str, Any]]:
    """Who plays in the games, those with most games first."""
    names = Counter(name for game in games for name in dict.fromkeys((game.black, game.white)) if name)
    return [{"name": name, "games": count} for name, count in names.most_common()]


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:100]


def facts_of(game: Game) -> dict[str, Any]:
    """What is known of a game without its moves."""
    return {
        "black": game.black,
        "white": game.white,
        "black_rank": game.black_rank,
        "white_rank": game.white_rank,
        "date": game.date,
        "size": game.size,
        "komi": game.komi,
        "handicap": game.handicap,
        "rules": game.rules.name,
        "result": str(game.result),
        "move_count": len(game.moves),
    }


def record_of(game: Game) -> dict[str, Any]:
    """Setup, who begins, and moves, as vertices."""

    def vertices(points: list[int]) -> list[str]:
        return [_native.format_vertex(point, game.size) for point in points]

    return {
        "setup": {"B": vertices(game.setup.black), "W": vertices(game.setup.white)},
        "to_move": game.start().to_move.letter,
        "moves": [
            {"color": move.color.letter, "vertex": _native.format_vertex(move.point, game.size)}
            for move in game.moves
        ],
    }
