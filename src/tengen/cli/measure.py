"""`tengen measure`: how well nets predict moves and judge positions; the prediction of moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators
from rich.console import Console
from rich.table import Table

from tengen.cli.measure_boards import boards
from tengen.cli.measure_reading import reading
from tengen.cli.measure_review import review
from tengen.cli.measure_value import value
from tengen.cli.progress import progress_bar

app = App(
    name="measure",
    help="""\
Measure how well nets predict the moves of games, judge who wins, find mistakes, and judge where reading decides.

Example: tengen measure policy b15c192 pool.parquet --positions 2000""",
)
app.command(boards)
app.command(reading)
app.command(review)
app.command(value, usage="Usage: tengen measure value [OPTIONS] NET... POOL")


@app.command
def policy(
    net: str,
    pool: Path,
    *,
    top: Annotated[int, Parameter(validator=validators.Number(gte=1, lte=10))] = 3,
    bagging: Annotated[bool, Parameter(negative=())] = False,
    positions: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 100_000,
    where: Annotated[list[str] | None, Parameter(negative=())] = None,
    threads: int | None = None,
    precision: str | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Measure how often the played move is among a net's first ones, with 95 % intervals, by phase of the game.

    Positions are drawn with a fixed seed and not mirrored; those in which the player passed are left out.

    Example: tengen measure policy out/runs/tengen-96x6 kgs.parquet --where years=[2015] --where min_rank=6d

    Parameters
    ----------
    net
        A net by name or file, one of ours or KataGo's, or the folder of a training run (its last checkpoint).
    pool
        The games.
    top
        Print top-1 to top-N.
    bagging
        Evaluate each position in its eight symmetries and take the mean.
    positions
        How many positions.
    where
        key=value that games must meet, all games if not given, as in a recipe's filter: years=[2015], min_rank=6d,
        max_handicap=0 ...
    threads
        Threads of the net; all cores if not given.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    json_
        Print the figures as JSON.
    """
    from tengen.training import machine

    machine.prepare()
    from tengen.prediction.accuracy import interval, measure
    from tengen.prediction.predictors import examples_for, open_net_or_run, policy_of, predict_by
    from tengen.settings import set_keys
    from tengen.training.pools import open_pools

    evaluator = policy_of(open_net_or_run(net, precision, threads))
    predict = predict_by(evaluator)
    store = open_pools([pool], set_keys({}, where or [], "--where"))
    examples = examples_for(evaluator, store.records())
    with progress_bar("positions") as bar:
        figures = measure(predict, examples, positions, bagging, progress=bar)
    if json_:
        about = {
            "net": evaluator.card.name,
            "precision": evaluator.precision,
            "pool": str(pool),
            "bagging": bagging,
        }
        print(json.dumps({**about, "figures": figures.to_json(top)}))
        return
    table = Table("", "positions", *(f"top-{n}" for n in range(1, top + 1)), "nats")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, part in figures.by_phase().items():
        cells = []
        for n in range(1, top + 1):
            low, high = interval(part.top(n), len(part))
            cells.append(f"{100 * part.top(n):.2f} ± {50 * (high - low):.2f} %")
        table.add_row(name, f"{len(part):,}", *cells, f"{part.cross_entropy:.4f}")
    console = Console()
    how = "mean of eight symmetries" if bagging else "no bagging"
    console.print(
        f"{evaluator.card.name} in {evaluator.precision} on {pool}: {len(store):,} games, {how}",
        highlight=False,
        markup=False,
    )
    console.print(table)
