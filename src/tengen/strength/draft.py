"""The preparation of a pool of games for strength models (thesis, Sections 4.1.1 and 4.7.1).

Games are filtered; a strong net decides games that ended by resignation or on time; Glicko-2 rates the pool; and
games are drawn for training (T), validation (V), test (E) and exhibition (X), all from one pool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from tengen.errors import InputError
from tengen.files import replacing
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.go.game import WHITE_BIT
from tengen.go.result import ResultKind
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.read_results import results_from, results_of
from tengen.ratings.results import BLACK, WHITE, Results
from tengen.ratings.system import Array, Ratings

AHEAD = 10  # A: a label is the player's rating this many games later
SURE = 0.6  # a game is left out if the net gives its winner less than this
FEW_GAMES = 4  # players of the exhibition set have at most this many earlier games
SIZE = 19
PASS = SIZE * SIZE
ROW = "row in the pool"
SET_SIZES = {"T": 10_000, "V": 5_000, "E": 5_000, "X": 5_000}

# Black's win rate in the last position of each game.
Judge = Callable[[GameStore], Array]


def judge_by(evaluator: Evaluator, progress: Report = silent, batch: int = 32) -> Judge:
    """A judge that evaluates with a net, so many positions at a time."""
    evaluator.card.require("win_by_komi", "it cannot say who has won")

    def judge(store: GameStore) -> Array:
        chance = np.empty(len(store))
        for first in range(0, len(store), batch):
            games = range(first, min(first + batch, len(store)))
            found = evaluator.evaluate([store.game(i).position() for i in games])
            chance[games.start : games.stop] = [given(each.win).of(Color.BLACK) for each in found]
            progress(Progress("judging", games.stop, len(store)))
        return chance

    return judge


class Step(NamedTuple):
    """One step of the preparation: how many games it left out, and how many remain."""

    what: str
    left_out: int
    left: int


@dataclass(frozen=True, eq=False)
class Draft:
    """A prepared pool. `sets` (n) holds "T", "V", "E", "X" or ""; `labels` (n, 2) rating numbers.

    `results.row` is the game's row in the pool of games that was prepared, `ids` its id there.
    `ratings_before` (n, 2) and `prediction` (n) are Glicko-2's.
    `mean` and `deviation` are those of the labels of the training set, by which labels are normalised.
    """

    results: Results
    ids: list[str]
    ratings_before: Array
    prediction: Array
    labels: Array
    sets: npt.NDArray[np.str_]
    mean: float
    deviation: float
    steps: list[Step] = field(default_factory=list)
    seed: int = 0

    def games(self, name: str) -> npt.NDArray[np.int64]:
        """The games of a set, in order."""
        return np.flatnonzero(self.sets == name)

    def normalised(self) -> Array:
        """The labels r(p | t) of Section 4.7.1 (n, 2): zero mean and unit deviation over the training set."""
        return (self.labels - self.mean) / self.deviation

    def to_json(self) -> dict[str, Any]:
        """What the preparation did; the games themselves are in the file that `write` writes."""
        return {
            "steps": [step._asdict() for step in self.steps],
            "sets": {name: len(self.games(name)) for name in "TVEX"},
            "players": len(self.results.players),
            "label_mean": self.mean,
            "label_deviation": self.deviation,
        }

    def write(self, path: Path) -> None:
        names = pl.Series(self.results.players, dtype=pl.String)
        frame = pl.DataFrame(
            {
                "id": self.ids,
                "row": self.results.row,
                "time": self.results.time,
                "black": names.gather(self.results.black),
                "white": names.gather(self.results.white),
                "score": self.results.score,
                "head_start": self.results.head_start,
                "set": self.sets,
                "black_label": self.labels[:, BLACK],
                "white_label": self.labels[:, WHITE],
                "black_rating": self.ratings_before[:, BLACK],
                "white_rating": self.ratings_before[:, WHITE],
                "predicted_score": self.prediction,
            }
        )
        facts = {"mean": self.mean, "deviation": self.deviation, "seed": self.seed, "steps": self.steps}
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            frame.write_parquet(temporary, compression="zstd", metadata={"tengen.draft": json.dumps(facts)})

    @staticmethod
    def open(path: Path) -> Draft:
        """Reads a draft. Raises InputError if the file is not one."""
        if not path.is_file():
            raise InputError(f"{path}: no such draft; make one with `tengen strength prepare POOL -o {path}`")
        try:
            facts = json.loads(pl.read_parquet_metadata(path)["tengen.draft"])
            frame = pl.read_parquet(path, glob=False)
            return Draft(
                results_from(frame.rename({"head_start": "ranks"})),
                frame["id"].to_list(),
                frame.select("black_rating", "white_rating").to_numpy(),
                frame["predicted_score"].to_numpy(),
                frame.select("black_label", "white_label").to_numpy(),
                frame["set"].to_numpy().astype(np.str_),
                facts["mean"],
                facts["deviation"],
                [Step(*step) for step in facts["steps"]],
                facts["seed"],
            )
        except (pl.exceptions.PolarsError, KeyError, OSError) as error:
            raise InputError(f"{path}: not a draft, or cut short ({type(error).__name__})") from None


def prepare(
    store: GameStore,
    judge: Judge | None = None,
    sizes: Mapping[str, int] = SET_SIZES,
    seed: int = 0,
) -> Draft:
    """Filters, adjudicates, rates and draws. Without a judge all recorded results are kept."""
    steps = [Step("games in the pool", 0, len(store))]
    store = _filter(GameStore(store.frame.with_row_index(ROW)), steps)
    if judge is not None:
        store = _adjudicate(store, judge, steps)
    results, report = results_of(store.frame, "the pool")
    for reason, count in report.left_out.items():
        steps.append(Step(reason, count, steps[-1].left - count))
    if not len(results):
        raise InputError("no game of the pool is left; the steps show the reasons:\n" + _steps_text(steps))
    chosen = store.frame.select("id", ROW)[results.row]
    results = replace(results, row=chosen[ROW].to_numpy().astype(np.int64))
    ratings = Glicko2().rate(results)
    labels = rating_labels(ratings)
    sets = draw_sets(results, labels, sizes, seed)
    training = labels[sets == "T"]
    return Draft(
        results,
        chosen["id"].to_list(),
        ratings.before,
        ratings.prediction,
        labels,
        sets,
        float(training.mean()),
        float(training.std(ddof=1)),
        steps,
        seed,
    )


def rating_labels(ratings: Ratings, ahead: int = AHEAD) -> Array:
    """r'(p | t) of Section 4.7.1 (n, 2): the player's rating number `ahead` games later, or the last one."""
    return np.asarray(ratings.after.ravel()[ratings.results.ahead(ahead)])


def draw_sets(
    results: Results, labels: Array, sizes: Mapping[str, int] = SET_SIZES, seed: int = 0
) -> npt.NDArray[np.str_]:
    """Draws disjoint sets: "T", "V", "E", "X", or "" for each game (n).

    Validation and test games are drawn from all games. Training games are won by the player with the higher label,
    and both players have at least A games to come. Players of exhibition games have at most 4 earlier games. Each set
    has its own random order and takes the first games of it, so that a larger draft contains the games of a smaller
    one, and their features can be used again. Raises InputError with the numbers if a set cannot be filled.
    """
    rng = np.random.default_rng(seed)
    sets = np.full(len(results), "", dtype="U1")
    later = results.games_of_players[results.sides] - 1 - results.earlier_games
    agrees = (labels[:, BLACK] - labels[:, WHITE]) * (results.score - 0.5) > 0
    eligible = {
        "V": np.ones(len(results), dtype=np.bool_),
        "E": np.ones(len(results), dtype=np.bool_),
        "X": (results.earlier_games <= FEW_GAMES).all(axis=1),
        "T": agrees & (later >= AHEAD).all(axis=1),
    }
    for name, wanted in eligible.items():
        free = np.flatnonzero(wanted & (sets == ""))
        if len(free) < sizes[name]:
            raise InputError(
                f"set {name} needs {sizes[name]:,} games, but only {len(free):,} of the {len(results):,} "
                "qualify and are not drawn already: ask for smaller sets"
            )
        order = rng.permutation(len(results))
        sets[free[np.argsort(order[free])[: sizes[name]]]] = name
    return sets


def _filter(store: GameStore, steps: list[Step]) -> GameStore:
    """The filters of Section 4.1.1. A game passes a filter if the record does not have the field."""
    decided = [ResultKind.SCORE.value, ResultKind.RESIGN.value, ResultKind.TIME.value]
    keep = {
        "not on a 19x19 board": pl.col("size") == SIZE,
        "handicap stones": (pl.col("handicap") < 2) & (pl.col("setup").bin.size() == 0),
        "five seconds a move or less": (pl.col("time_per_move") > 5).fill_null(True),
        "fewer than 20 moves": pl.col("move_count") >= 20,
        "not ranked": pl.col("ranked").fill_null(True),
        "not decided by counting, resignation or time": pl.col("result").is_in(decided)
        & pl.col("winner").is_not_null(),
    }
    for what, condition in keep.items():
        store = _step(store, store.frame.select(condition).to_series().to_numpy(), what, steps)
    return _step(store, ~_early_pass(store), "a pass before move 50", steps)


def _early_pass(store: GameStore) -> npt.NDArray[np.bool_]:
    """Whether one of the first 49 moves is a pass (n)."""
    records = store.records()
    where = np.flatnonzero((records.moves_flat & ~np.uint16(WHITE_BIT)) == PASS)
    game = np.searchsorted(records.move_offsets, where, side="right") - 1
    early = np.zeros(len(store), dtype=np.bool_)
    early[game[where - records.move_offsets[game] < 49]] = True
    return early


def _adjudicate(store: GameStore, judge: Judge, steps: list[Step]) -> GameStore:
    """Replaces the winners of games that were not counted; drops games whose winner is uncertain."""
    open_ = store.frame["result"].is_in([ResultKind.RESIGN.value, ResultKind.TIME.value]).to_numpy()
    chance = np.full(len(store), 1.0)
    chance[open_] = judge(store.filter(pl.lit(pl.Series(open_))))
    if not np.all((chance >= 0) & (chance <= 1)):
        raise ValueError("the judge gave a win rate that is not between 0 and 1")
    sure = np.maximum(chance, 1 - chance) >= SURE
    said = np.where(open_, np.where(chance > 0.5, "B", "W"), store.frame["winner"].to_numpy())
    changed = int((said != store.frame["winner"].to_numpy())[sure].sum())
    store = GameStore(store.frame.with_columns(winner=pl.Series(said.astype(np.str_), dtype=pl.String)))
    store = _step(store, sure, f"the net less than {SURE:.0%} sure of the winner", steps)
    steps.append(Step(f"(the net names another winner in {changed:,} games)", 0, len(store)))
    return store


def _step(store: GameStore, keep: npt.NDArray[np.bool_], what: str, steps: list[Step]) -> GameStore:
    kept = GameStore(store.frame.filter(pl.Series(keep.astype(np.bool_))))
    steps.append(Step(what, len(store) - len(kept), len(kept)))
    return kept


def _steps_text(steps: list[Step]) -> str:
    return "\n".join(f"  {step.what}: {step.left_out:,} left out, {step.left:,} left" for step in steps)
