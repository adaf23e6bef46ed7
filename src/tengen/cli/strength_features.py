"""`tengen strength features`: the features of every move of many games, kept on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.games.store import GameStore
    from tengen.go.game import Game


def features(
    pool: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    net: str | None = None,
    precision: str | None = None,
    draft: Path | None = None,
    window: int = 500,
    limit: int | None = None,
    batch: int = 16,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Extract the features of every move of a pool's games with a net, and keep them: the input of strength models.

    The features of a move are the six of Section 4.5 of the thesis, the net's trunk vector at the move, and the mean
    trunk vector over the policy. Games whose features are there already are not evaluated again: a run that was
    stopped, by Ctrl-C or a power cut, goes on where it was.

    Example: tengen strength features kgs.parquet -o features --net b15c192 --draft draft.parquet

    Parameters
    ----------
    pool
        A pool that `tengen games import` wrote.
    output
        The folder to keep features in; each net has its own folder there.
    net
        A net by name (`tengen nets list`) or file; the strongest at hand if not given.
    precision
        fp32, int16 or int8; the net's usual one if not given. They are kept apart.
    draft
        A draft that `tengen strength prepare` made of this pool: only the games of its windows are evaluated; all
        games if not given.
    window
        How many moves of a player the windows of the draft hold.
    limit
        At most so many games, the first ones of the pool; all if not given.
    batch
        Positions that the net evaluates at once.
    threads
        Batches that are evaluated side by side; as many as there are cores if not given.
    json_
        Print the counts as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.strength.feature_store import FeatureStore
    from tengen.strength.features import features_of, must_judge

    for name, value in (("limit", limit), ("batch", batch), ("window", window), ("threads", threads)):
        if value is not None and value < 1:
            raise InputError(f"--{name} must be at least 1, not {value}")
    store = GameStore.open(pool)
    rows = list(range(len(store))) if draft is None else _rows_of_draft(store, pool, draft, window)
    workers = threads or available_threads()
    evaluator = open_net(net, precision, 1)
    must_judge(evaluator)
    sizes = store.frame["size"].to_list()
    fit = [row for row in rows if sizes[row] in evaluator.card.board_sizes]
    other_sizes = len(rows) - len(fit)
    fit = fit[:limit]
    if not fit:
        raise InputError(f"{pool}: none of its games is on a board that {evaluator.card.name} plays on")

    def games() -> Iterator[Game]:
        for row in fit:
            yield store.game(row)

    start = time.perf_counter()
    moves = known = 0
    with (
        FeatureStore(output, evaluator) as kept,
        progress_bar(f"features by {evaluator.card.name}") as bar,
    ):
        for found in features_of(games(), evaluator, kept, bar, batch, workers, total=len(fit)):
            moves += len(found)
        known = kept.found
        folder = kept.folder
    seconds = time.perf_counter() - start
    if json_:
        print(
            json.dumps(
                {
                    "games": len(fit),
                    "known": known,
                    "other_sizes": other_sizes,
                    "moves": moves,
                    "net": evaluator.card.name,
                    "folder": str(folder),
                    "seconds": round(seconds, 3),
                }
            )
        )
        return
    said = f"{len(fit):,} games, {moves:,} moves; {known:,} games were known, the others took {seconds:.1f} s"
    print(said)
    if other_sizes:
        print(f"{other_sizes:,} games left out: on boards that {evaluator.card.name} does not play on")
    Console().print(Text(f"Kept in: {folder}"))


def _rows_of_draft(store: GameStore, pool: Path, path: Path, window: int) -> list[int]:
    from tengen.errors import InputError
    from tengen.strength.draft import Draft
    from tengen.strength.windows import drafted_games, needed_games

    draft = Draft.open(path)
    ids = store.frame["id"].to_list()
    places = zip(draft.results.row.tolist(), draft.ids, strict=True)
    if any(row >= len(ids) or ids[row] != id_ for row, id_ in places):
        raise InputError(f"{path}: not a draft of {pool}: its games are others, or in another order")
    return [int(row) for row in needed_games(draft, store.records(), drafted_games(draft), window)]
