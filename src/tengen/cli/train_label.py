"""`tengen train label`: what a strong net says of the positions of a pool, stored for training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def label(
    pool: Path,
    *,
    net: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    positions: int | None = None,
    where: Annotated[list[str] | None, Parameter(negative=())] = None,
    ends: float = 0.1,
    varied: float = 0.25,
    seed: int = 1,
    precision: Literal["fp32", "int16", "int8"] | None = None,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Label positions of a pool with what a strong net says of them: moves, win rate, lead and owners.

    Recipes name the labels (data.sources), and any number of runs learn from them. Killed at any moment, the same
    command goes on; with more --positions it adds to labels that are there. The same seed gives the same positions for
    any number of threads.

    Example: tengen train label out/pools/kgs6d.parquet --net b15c192 -o out/labels/kgs6d.parquet --positions 100000

    Parameters
    ----------
    pool
        A pool of games on one board size.
    net
        The teacher, a net with policy, win rate, margin and ownership: a name, a folder, or a file.
    output
        The file of labels to write.
    positions
        How many positions are drawn from the games, the boards after their last moves among them; all if not given.
    where
        key=value that games must meet, all games if not given, as in a recipe's filter: not_years=[2015], size=[9] ...
    ends
        The share of positions that is drawn from the last four of each game.
    varied
        The share of positions at which the net is asked with another komi and other rules than the game's.
    seed
        Another seed gives other positions.
    precision
        fp32, int16 or int8; the fastest of those that are near enough to fp32 if not given.
    threads
        Threads; all cores if not given.
    json_
        Print the counts as JSON.
    """
    import time

    from tengen.cli.progress import progress_bar
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.settings import set_keys
    from tengen.training.labelling import Draw
    from tengen.training.labelling import label as make

    draw = Draw(seed, ends, varied, set_keys({}, where or [], "--where"))
    with progress_bar("opening the net") as bar:
        evaluator = open_net(net, precision, 1)
        began = time.monotonic()
        count = make(
            pool, evaluator, output, draw, positions, threads=threads or available_threads(), report=bar
        )
    seconds = round(time.monotonic() - began, 1)
    if json_:
        print(json.dumps({"labels": count, "net": evaluator.card.name, "seconds": seconds}))
        return
    print(f"{output}: {count:,} positions of {pool.name}, labelled by {evaluator.card.name}")
