"""A pool of games on disk and in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen import _native
from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.endings import Area, FinalBoards, final_boards, final_columns
from tengen.games.records import Records
from tengen.games.schema import ADDED, SCHEMA, VERSION, frame_of
from tengen.go.color import Color
from tengen.go.fields import parse_rules
from tengen.go.game import Game, Setup, unpack
from tengen.go.result import Result, ResultKind
from tengen.go.rules import PRESETS, Rules

_COLORS = {"B": Color.BLACK, "W": Color.WHITE}


class GameStore:
    """Games in columns; `tengen.games.schema` says which. Immutable: filtering gives another store.

    `frame` is a Polars DataFrame, for everything that has no method here.
    """

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    @staticmethod
    def open(path: str | Path) -> GameStore:
        """Reads a pool. Raises InputError if it is not one, or was cut short."""
        path = Path(path)
        if not path.is_file():
            raise InputError(f"{path}: no such pool; make one with `tengen games import ... -o {path}`")
        try:
            frame = pl.read_parquet(path, glob=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            text = str(error).strip().splitlines()
            raise InputError(
                f"{path}: not a pool of games, or cut short ({text[0] if text else 'unreadable'})"
            ) from None
        absent = [name for name in ADDED if name not in frame.columns]
        frame = frame.with_columns(pl.lit(None, SCHEMA[name]).alias(name) for name in absent)
        missing = [name for name, dtype in SCHEMA.items() if frame.schema.get(name) != dtype]
        if missing:
            raise InputError(
                f"{path}: not a pool of games: column {missing[0]} is missing or of another type"
            )
        return GameStore(frame)

    @staticmethod
    def from_games(
        games: Sequence[Game],
        margins: Sequence[float | None] | None = None,
        owners: Sequence[Area | None] | None = None,
        source: str = "",
    ) -> GameStore:
        """A pool of these games, in this order, and how they ended where that is known.

        `margins`: Black's points less White's by area before komi. `owners`: uint8 [size, size], 0 nobody, 1 Black, 2
        White, as `Settled.area`. A game that a pool cannot hold raises InputError with its number, from 1.
        """
        none: list[None] = [None] * len(games)
        margins, owners = none if margins is None else margins, none if owners is None else owners
        if not len(games) == len(margins) == len(owners):
            raise ValueError(
                f"{len(games)} games, {len(margins)} margins, {len(owners)} owners: one a game is needed"
            )
        for number, (game, owner) in enumerate(zip(games, owners, strict=True), start=1):
            if owner is not None and owner.shape != (game.size, game.size):
                raise ValueError(f"game {number} is on {game.size}x{game.size}, its owners are {owner.shape}")
        texts = [game.to_sgf().encode() for game in games]
        bounds = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        batch = _native.read_sgf(b"".join(texts), bounds)
        line = (batch.entry + 1).astype(np.int32)
        frame, rejects = frame_of(
            batch, pl.Series([source], dtype=pl.String).new_from_index(0, len(batch)), line
        )
        if len(rejects):
            number, move, reason = rejects.select("line", "move", "reason").row(0)
            raise InputError(f"game {number}" + (f", move {move}" if move else "") + f": {reason}")
        return GameStore(frame.with_columns(final_columns(margins, owners)))

    def write(self, path: str | Path) -> None:
        """Writes the pool under another name first, so that `path` is never half a file."""
        with replacing(Path(path)) as temporary:
            try:
                self.frame.write_parquet(temporary, compression="zstd", metadata={"tengen.pool": VERSION})
            except pl.exceptions.PolarsError as error:  # what Polars makes of a full disk
                raise InputError(f"{path}: cannot be written; is the disk full? ({error})") from None

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def identity(self) -> str:
        """Changes with the games and their order, and not with what the pool says of how they ended."""
        return hashlib.sha256("".join(self.frame["id"]).encode()).hexdigest()

    def __iter__(self) -> Iterator[Game]:
        for row in self.frame.iter_rows(named=True):
            yield _game(row)

    def __getitem__(self, i: int) -> Game:
        return self.game(i)

    def game(self, i: int) -> Game:
        """The i-th game, as `Game.from_sgf` would read it from its file."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"the pool has {len(self)} games: there is no game {i}")
        return _game(self.frame.row(i, named=True))

    def find(self, id_: str) -> Game:
        """The game of that id, of which the first digits do."""
        rows = self.frame.filter(pl.col("id").str.starts_with(id_))
        if len(rows) != 1:
            raise InputError(f"{len(rows)} games of the pool have an id that starts with '{id_}'")
        return _game(rows.row(0, named=True))

    def filter(self, *predicates: pl.Expr) -> GameStore:
        """The games for which all hold: `store.filter(pl.col("size") == 19, pl.col("komi") > 6)`."""
        return GameStore(self.frame.filter(*predicates))

    def records(self) -> Records:
        """All games as flat arrays, in the order of the pool."""
        moves, move_offsets = _join(self.frame["moves"])
        setup, setup_offsets = _join(self.frame["setup"])
        table, codes = _rules_table(self.frame["rules"], self.frame["rules_written"])
        colors = {"B": int(Color.BLACK), "W": int(Color.WHITE)}
        return Records(
            sizes=self.frame["size"].to_numpy(),
            moves_flat=moves,
            move_offsets=move_offsets,
            setup_flat=setup,
            setup_offsets=setup_offsets,
            komi=self.frame["komi"].to_numpy(),
            first_to_move=self.frame["first_to_move"]
            .replace_strict(colors, return_dtype=pl.UInt8)
            .to_numpy(),
            winner=self.frame["winner"].replace_strict(colors, default=0, return_dtype=pl.UInt8).to_numpy(),
            rules=codes,
            rules_table=table,
            ranks=self.frame.select(
                pl.col("black_rank_number", "white_rank_number").cast(pl.Float32).fill_null(np.nan)
            ).to_numpy(),
        )

    def endings(self) -> FinalBoards:
        """How the games ended, as far as the pool says: margins and owners by area. All on one board size."""
        return final_boards(self.frame)

    def split(
        self,
        parts: Mapping[str, float],
        by: Literal["game", "player"] = "game",
        seed: int = 0,
    ) -> dict[str, GameStore]:
        """Disjoint parts, by share: `split({"train": 0.9, "test": 0.1})`.

        The same game falls into the same part in every pool, on every machine. By player, all games of a
        player fall into one part; games between players of different parts are in none.
        """
        if not parts or any(share < 0 for share in parts.values()) or abs(sum(parts.values()) - 1) > 1e-6:
            raise ValueError(f"the shares of the parts must be 0 or more and add up to 1, not {dict(parts)}")
        bounds = np.cumsum(list(parts.values()))[:-1]
        if by == "game":
            part = _part_of(self.frame["id"], bounds, seed)
            other = part
        else:
            part = _part_of(self.frame["black"], bounds, seed)
            other = _part_of(self.frame["white"], bounds, seed)
        return {
            name: GameStore(self.frame.filter((part == i) & (other == i))) for i, name in enumerate(parts)
        }

    def split_by_year(self, parts: Mapping[str, range | list[int]]) -> dict[str, GameStore]:
        """Parts by the year of the game: `split_by_year({"test": [2015], "train": range(2016, 2019)})`."""
        return {name: self.filter(pl.col("year").is_in(list(years))) for name, years in parts.items()}


def _part_of(names: pl.Series, bounds: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.int64]:
    """The part each name belongs to, by a hash that is the same everywhere."""
    unique = names.unique(maintain_order=True)
    key = str(seed).encode()
    places = [
        int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, key=key).digest(), "big") / 2**64
        for name in unique.to_list()
    ]
    parts = np.searchsorted(bounds, places, side="right")
    return names.replace_strict(unique, pl.Series(parts), return_dtype=pl.Int64).to_numpy()


def _join(column: pl.Series) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.int64]]:
    data = column.to_list()
    offsets = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum([len(d) // 2 for d in data], out=offsets[1:])
    return np.frombuffer(b"".join(data), dtype="<u2").astype(np.uint16, copy=False), offsets


def _rules_table(names: pl.Series, written: pl.Series) -> tuple[tuple[Rules, ...], npt.NDArray[np.uint8]]:
    """Codes are small numbers: presets in their order, then other rules as they come."""
    table = list(PRESETS.values())
    pairs = pl.DataFrame({"name": names, "written": written})
    unique = pairs.unique(maintain_order=True)
    codes = []
    for name, text in unique.iter_rows():
        rules = _rules(name, text)
        if rules not in table:
            table.append(rules)
        codes.append(table.index(rules))
    joined = pairs.join(
        unique.with_columns(code=pl.Series(codes, dtype=pl.UInt8)),
        on=["name", "written"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    return tuple(table), joined["code"].to_numpy()


def _rules(name: str | None, written: str | None) -> Rules:
    if name:
        return PRESETS[name]
    return parse_rules(written or "") or PRESETS["chinese"]


def _game(row: dict[str, object]) -> Game:
    def text(name: str) -> str:
        value = row[name]
        return value if isinstance(value, str) else ""

    setup = unpack(np.frombuffer(row["setup"], dtype="<u2"))  # type: ignore[call-overload]
    info = {"EV": text("event"), "PC": text("place"), "GN": text("name")}
    if row["main_time"] is not None:
        info["TM"] = f"{row['main_time']:g}"
    if row["overtime_period"] is not None:
        if row["overtime_periods"] is not None:
            info["OT"] = f"{row['overtime_periods']}x{row['overtime_period']:g} byo-yomi"
        elif row["overtime_stones"] == 1:
            info["OT"] = f"{row['overtime_period']:g} fischer"
        else:
            info["OT"] = f"{row['overtime_stones']}/{row['overtime_period']:g} Canadian"
    return Game(
        size=int(row["size"]),  # type: ignore[call-overload]
        rules=_rules(row["rules"], row["rules_written"]).with_komi(row["komi"]),  # type: ignore[arg-type]
        black=text("black"),
        white=text("white"),
        black_rank=text("black_rank"),
        white_rank=text("white_rank"),
        date=text("date_written"),
        handicap=int(row["handicap"]),  # type: ignore[call-overload]
        result=Result(ResultKind(row["result"]), _COLORS.get(text("winner")), row["margin"]),  # type: ignore[arg-type]
        setup=Setup(
            [m.point for m in setup if m.color is Color.BLACK],
            [m.point for m in setup if m.color is Color.WHITE],
        ),
        first_to_move=_COLORS[text("first_to_move")],
        moves=unpack(np.frombuffer(row["moves"], dtype="<u2")),  # type: ignore[call-overload]
        info={key: value for key, value in info.items() if value},
    )
