"""Results from tables, pools and game records. Games that cannot be rated are counted and left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tengen.errors import InputError
from tengen.games.importing import read_games
from tengen.go.color import Color
from tengen.go.files import BROKEN, decompressed, kind_of
from tengen.go.result import Result, ResultKind
from tengen.progress import Report as ReportProgress
from tengen.progress import silent
from tengen.ratings.handicap import head_start
from tengen.ratings.results import SECONDS_A_DAY, Results

# Names of columns in tables, the preferred one first; case does not matter.
NAMES = {
    "id": ("id", "game_id", "gameid", "file"),
    "date": ("datetime", "date", "dt", "ended", "timestamp"),
    "black": ("black", "black_id", "black_name", "player black", "black player", "pb"),
    "white": ("white", "white_id", "white_name", "player white", "white player", "pw"),
    "score": ("score",),
    "result": ("result", "re"),
    "winner": ("winner",),
    "handicap": ("handicap", "ha"),
    "komi": ("komi", "km"),
    "size": ("size", "board_size", "sz"),
    "rules": ("rules", "ru"),
}
TABLES = (".csv", ".tsv", ".txt", ".parquet")
BROKEN_RECORD = "a record that cannot be read"
NO_NAME = "a player without a name"
AGAINST_SELF = "a player against himself"
NOT_A_NUMBER = "not a number (score, komi or handicap)"
NO_RESULT = "no result, or one that cannot be read"
NO_DATE = "no date, or one that cannot be read"
TWICE = "the same game twice"
UNORDERED = "dated before the game above it"
EXAMPLES = 3

_DATE = r"(?:^|\D)(\d{4})[-./年](\d{1,2})[-./月](\d{1,2})(?:\D|$)"
_TIME = r"(?:^|\D)\d{4}[-./年]\d{1,2}[-./月]\d{1,2}日?[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?"
_COMMON_DATES = ("%Y-%m-%d", "%Y.%m.%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")


@dataclass
class Report:
    """What was found in a table of results: how many games were read and rated, and the faults.

    `left_out` counts the games that are not rated, by reason. `reordered` games were dated before the game above
    them; they are rated at their date. `examples` names a few rows for each reason.
    """

    read: int = 0
    rated: int = 0
    players: int = 0
    dated: bool = True
    left_out: dict[str, int] = field(default_factory=dict)
    reordered: int = 0
    examples: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        table = asdict(self)
        del table["examples"]
        return table

    def lines(self) -> list[str]:
        """The report as text, one line for each finding."""
        out = [f"{self.read:,} games read, {self.rated:,} rated, {self.players:,} players"]
        for reason, count in self.left_out.items():
            out.append(f"{count:,} left out: {reason}{self._where(reason)}")
        if self.reordered:
            out.append(f"{self.reordered:,} put in order: {UNORDERED}{self._where(UNORDERED)}")
        if not self.dated:
            out.append("no dates: rated in the order of the table, one game a day where days count")
        return out

    def _where(self, reason: str) -> str:
        places = self.examples.get(reason)
        return f" ({', '.join(places)})" if places else ""


def read_results(path: Path, progress: ReportProgress = silent) -> tuple[Results, Report]:
    """Results from a table of results, a pool of games, or game records.

    Tables are CSV or TSV, plain or compressed (.xz, .gz, .bz2), or Parquet; anything else, also a folder, is
    read as game records. Raises InputError if there are no columns for two players and a result.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file() and kind_of(path) in TABLES:
        return results_of(read_table(path), str(path))
    games, _, found = read_games([path], progress=progress)
    if not found.read:
        raise InputError(f"{path}: no game records found, nor a table (.csv, .tsv, .parquet) of results")
    pool, report = results_of(games, str(path))
    report.read = found.read
    for reason, count in ((BROKEN_RECORD, sum(found.rejected.values())), (TWICE, found.duplicates)):
        if count:
            report.left_out[reason] = report.left_out.get(reason, 0) + count
    return pool, report


def read_table(path: Path) -> pl.DataFrame:
    """The table in a file, unchanged; all columns of CSV and TSV are text."""
    try:
        if kind_of(path) == ".parquet":
            return pl.read_parquet(path, glob=False)
        with path.open("rb") as raw:
            data = decompressed(raw, path.suffix).read()
        header = data.split(b"\n", 1)[0].decode(errors="replace")
        separator = max("\t,;", key=header.count)
        return pl.read_csv(
            data,
            separator=separator,
            quote_char=None if separator == "\t" else '"',
            infer_schema=False,
            truncate_ragged_lines=True,
            encoding="utf8-lossy",
        )
    except (pl.exceptions.PolarsError, *BROKEN) as error:
        text = str(error).strip().splitlines()
        raise InputError(
            f"{path}: cannot be read as a table of games ({text[0] if text else 'damaged'})"
        ) from None


def results_of(table: pl.DataFrame, where: str) -> tuple[Results, Report]:
    """The games of a table that can be rated, in the order of play; `where` names the table in errors."""
    columns = _columns(table, where)
    n = table.height
    black, white = (columns[side].cast(pl.String).str.strip_chars() for side in ("black", "white"))
    score = _scores(columns, black, white)
    time, to_the_minute = _times(columns)
    dated = time is not None and time.null_count() < n
    ranks = _head_starts(columns, n)
    if time is None or not dated:
        # One day for each game, so that periods and absences have a meaning.
        time = pl.Series(np.arange(n, dtype=np.int64) * int(SECONDS_A_DAY))

    frame = pl.DataFrame({"black": black, "white": white, "score": score, "time": time, "ranks": ranks})
    frame = frame.with_row_index("row")
    wrong = {
        NO_NAME: pl.col("black").fill_null("").eq("") | pl.col("white").fill_null("").eq(""),
        AGAINST_SELF: pl.col("black") == pl.col("white"),
        NOT_A_NUMBER: pl.col("score").is_nan() | pl.col("ranks").is_nan(),
        NO_RESULT: pl.col("score").is_null(),
        NO_DATE: pl.col("time").is_null(),
    }
    report = Report(read=n, dated=dated)
    for reason, condition in wrong.items():
        frame = _leave_out(frame, frame.select(condition.fill_null(False)).to_series(), reason, report)
    if "id" in columns:
        ids = columns["id"].cast(pl.String).gather(frame["row"])
        repeated = ~ids.is_first_distinct() & ids.is_not_null() & (ids != "")
        frame = _leave_out(frame, repeated, TWICE, report)
    if to_the_minute:
        same = ~frame.select(pl.struct("black", "white", "score", "time").is_first_distinct()).to_series()
        frame = _leave_out(frame, same, TWICE, report)

    before = frame["time"].diff() < 0
    report.reordered = int(before.sum())
    if report.reordered:
        report.examples[UNORDERED] = _places(frame["row"].filter(before.fill_null(False)))
        frame = frame.sort("time", maintain_order=True)
    pool = results_from(frame)
    report.rated, report.players = len(pool), len(pool.players)
    return pool, report


def _columns(table: pl.DataFrame, where: str) -> dict[str, pl.Series]:
    """The known columns, by our names; columns of dictionaries or lists are ignored."""
    present = {name.strip().lower(): name for name in reversed(table.columns)}
    found = {}
    for ours, theirs in NAMES.items():
        name = next((present[t] for t in theirs if t in present), None)
        if name is not None and not table[name].dtype.is_nested():
            found[ours] = table[name]
    for side in ("black", "white"):
        if side not in found:
            raise InputError(
                f"{where}: no column with {side.capitalize()}'s name (looked for {', '.join(NAMES[side])}; "
                f"found {', '.join(table.columns) or 'nothing'})"
            )
    if not {"score", "result", "winner"} & found.keys():
        raise InputError(f"{where}: no column with the result (looked for result, score, winner)")
    return found


def _scores(columns: dict[str, pl.Series], black: pl.Series, white: pl.Series) -> pl.Series:
    """Black's score: 1, 0.5 or 0; null where it cannot be read, NaN where the table has NaN."""
    if "score" in columns:
        return _numeric_scores(columns["score"])
    if "winner" in columns:
        return _winner_scores(columns, black, white)
    text = columns["result"].cast(pl.String)
    values = text.unique().drop_nulls()
    numbers = values.cast(pl.Float64, strict=False)
    if "1" in values and numbers.is_between(0, 1).fill_null(False).all():
        return _numeric_scores(text)
    read = {value: _score_of(Result.parse(value)) for value in values.to_list()}
    # "NaN" must stay NaN, not become an unknown result.
    read |= {v: float("nan") for v in values.to_list() if v.strip().lower() == "nan"}
    return text.replace_strict(list(read), list(read.values()), default=None, return_dtype=pl.Float64)


def _numeric_scores(column: pl.Series) -> pl.Series:
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    allowed = numbers.is_in([0.0, 0.5, 1.0]) | numbers.is_nan()
    return pl.select(pl.when(allowed).then(numbers)).to_series()


def _winner_scores(columns: dict[str, pl.Series], black: pl.Series, white: pl.Series) -> pl.Series:
    """From the winner: "B", "W", "Black", "White" or the player's name; draws are in `result` or `winner`."""
    winner = columns["winner"].cast(pl.String).str.strip_chars()
    kind = columns["result"].cast(pl.String) if "result" in columns else winner
    letter = winner.str.to_lowercase()
    kinds = kind.unique().drop_nulls()
    drawn = [
        k for k in kinds.to_list() if Result.parse(k).kind is ResultKind.DRAW or k == ResultKind.DRAW.value
    ]
    return pl.select(
        pl.when(letter.is_in(["b", "black"]) | (winner == black))
        .then(1.0)
        .when(letter.is_in(["w", "white"]) | (winner == white))
        .then(0.0)
        .when(kind.is_in(drawn))
        .then(0.5)
    ).to_series()


def _score_of(result: Result) -> float | None:
    if result.winner is not None:
        return 1.0 if result.winner is Color.BLACK else 0.0
    return 0.5 if result.kind is ResultKind.DRAW else None


def _times(columns: dict[str, pl.Series]) -> tuple[pl.Series | None, bool]:
    """Seconds since 1970, null where there is no date; and whether the hour and minute are known.

    Without a column of dates, dates in file names are used (dataset/2006/04/28/...).
    """
    column = columns.get("date")
    if column is None:
        if "id" not in columns or columns["id"].dtype != pl.String:
            return None, False
        column = columns["id"].str.extract(r"((?:^|\D)\d{4}[-./]\d{1,2}[-./]\d{1,2}(?:\D|$))")
        column = column.str.replace_all("/", "-")
    if column.dtype.is_temporal():
        return column.cast(pl.Datetime("us")).dt.epoch("s"), column.dtype != pl.Date
    if column.dtype.is_numeric():
        return column.cast(pl.Int64, strict=False), True
    text = column.cast(pl.String)
    for form in _COMMON_DATES:  # fast, if all dates of the table have one form
        times = text.str.to_datetime(form, strict=False)
        if times.null_count() == text.null_count():
            return times.dt.epoch("s"), "%H" in form
    return _mixed_times(text)


def _mixed_times(column: pl.Series) -> tuple[pl.Series, bool]:
    """Seconds since 1970 of dates in any usual form, with or without a time, or as Unix timestamps."""
    text = pl.lit(column)
    hour = text.str.extract(_TIME, 1)
    parts = [text.str.extract(_DATE, i).str.zfill(2) for i in (1, 2, 3)]
    clock = [
        hour.fill_null("0").str.zfill(2),
        text.str.extract(_TIME, 2).fill_null("00"),
        text.str.extract(_TIME, 3).fill_null("00"),
    ]
    moment = pl.concat_str([*parts, *clock], separator=" ")
    parsed = moment.str.to_datetime("%Y %m %d %H %M %S", strict=False).dt.epoch("s")
    seconds = text.str.extract(r"^\s*(\d{9,10})(?:\.\d+)?\s*$").cast(pl.Int64)  # a Unix timestamp
    times = pl.select(pl.coalesce(parsed, seconds)).to_series()
    exact = pl.select(hour.is_not_null() | seconds.is_not_null()).to_series()
    return times, bool(exact.any())


def _head_starts(columns: dict[str, pl.Series], n: int) -> pl.Series:
    """Black's head start in ranks; NaN where komi or handicap is not a plausible number."""
    if "handicap" not in columns and "komi" not in columns:
        return pl.Series(np.zeros(n))

    def numbers(name: str, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        column = columns.get(name)
        if column is None:
            return np.zeros(n), np.zeros(n, dtype=bool)
        text = column.cast(pl.String).str.strip_chars().replace("", None)
        values = text.cast(pl.Float64, strict=False).to_numpy()
        present = text.is_not_null().to_numpy()
        sensible = (values >= low) & (values <= high)
        return np.where(present & ~sensible, np.nan, np.nan_to_num(values)), present

    handicap, _ = numbers("handicap", 0, 50)
    komi, komi_known = numbers("komi", -400, 400)
    size = columns["size"].cast(pl.Int64, strict=False).fill_null(19).to_numpy() if "size" in columns else 19
    rules = (
        columns["rules"].cast(pl.String).fill_null("japanese").to_numpy()
        if "rules" in columns
        else "japanese"
    )
    ranks = head_start(handicap, np.where(komi_known, komi, 0.5), size, rules)
    even = (handicap < 1) & ~komi_known  # komi is not recorded: assume a fair one
    ranks = np.where(even, 0.0, ranks)
    return pl.Series(np.where(np.isnan(handicap), np.nan, ranks))


def _leave_out(frame: pl.DataFrame, wrong: pl.Series, reason: str, report: Report) -> pl.DataFrame:
    count = int(wrong.sum())
    if not count:
        return frame
    report.left_out[reason] = report.left_out.get(reason, 0) + count
    report.examples.setdefault(reason, _places(frame["row"].filter(wrong)))
    return frame.filter(~wrong)


def _places(rows: pl.Series) -> list[str]:
    """A few rows by number; the first game is row 1."""
    return [f"row {row + 1}" for row in rows.head(EXAMPLES).to_list()]


def results_from(frame: pl.DataFrame) -> Results:
    """Results from valid rows (black, white, score, time, ranks, row) in order.

    Players are numbered in the order in which they appear.
    """
    sides = pl.DataFrame({"name": pl.concat([frame["black"], frame["white"]])})
    order = (
        np.arange(sides.height).reshape(2, -1).T.ravel()
    )  # Black, White of game 0, Black, White of game 1 ...
    players = sides["name"].gather(order).unique(maintain_order=True)
    numbers = pl.DataFrame({"name": players, "number": pl.Series(range(len(players)), dtype=pl.Int32)})
    codes = sides.join(numbers, on="name", how="left", maintain_order="left")["number"].to_numpy()
    return Results(
        players=players.to_list(),
        black=codes[: frame.height].copy(),
        white=codes[frame.height :].copy(),
        score=frame["score"].to_numpy().astype(np.float64),
        time=frame["time"].to_numpy().astype(np.int64),
        head_start=frame["ranks"].to_numpy().astype(np.float64),
        row=frame["row"].to_numpy().astype(np.int64),
    )
