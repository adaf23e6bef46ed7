"""`tengen measure boards`: how far a net is from a reference net, on boards of any size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from tengen.cli.console import console, print_line
from tengen.cli.measure_cells import figure_table, number, share
from tengen.cli.progress import progress_bar


def boards(
    net: str,
    reference: str,
    records: list[Path],
    /,
    *,
    positions: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 1_000,
    where: Annotated[list[str] | None, Parameter(negative=())] = None,
    threads: int | None = None,
    precision: str | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Measure how far a net is from a stronger one, by board size: leads, win rates, first moves; without search.

    Positions are drawn with a fixed seed, so many on each board size, and judged at the komi and rules of the record.
    How the games ended does not matter. Intervals (95 %) are from resampled games.

    Example: tengen measure boards tengen b15c192 examples --where size=[9,13]

    Parameters
    ----------
    net
        The net that is measured: a name, a file or the folder of a training run.
    reference
        The net that it is compared with.
    records
        Pools, records, or folders of records.
    positions
        How many positions on each board size.
    where
        key=value that games must meet, all games if not given, as in a recipe's filter: size=[9,13], years=[2015] ...
    threads
        Threads of the nets; all cores if not given.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    json_
        Print the figures as JSON.
    """
    from tengen.training import machine

    machine.prepare()
    from tengen.prediction.games import open_games
    from tengen.prediction.net_distance import measure_distance
    from tengen.prediction.predictors import open_net_or_run, precision_of
    from tengen.settings import set_keys

    with progress_bar("opening") as bar:
        store = open_games(records, set_keys({}, where or [], "--where"), bar.complain)
        nets = [open_net_or_run(name, precision, threads) for name in (net, reference)]
        found = measure_distance(nets[0], nets[1], store, positions, report=bar)
    if json_:
        about = {
            key: {"net": one.card.name, "precision": precision_of(one)}
            for key, one in zip(("net", "reference"), nets, strict=True)
        }
        print(json.dumps({**about, "boards": [one.to_json() for one in found]}))
        return
    titles = [
        f"{one.card.name} in {precision_of(one)}" if precision_of(one) else one.card.name for one in nets
    ]
    print_line(f"{titles[0]}: distance from {titles[1]}. In brackets: 95 %, from resampled games.")
    table = figure_table(
        "board", "games", "positions", "lead, points", "median", "win rate", "same first move"
    )
    for one in found:
        table.add_row(
            f"{one.size}x{one.size}",
            f"{one.games:,}",
            f"{one.positions:,}",
            "" if one.lead is None else number(one.lead.estimate(), 2),
            "" if one.lead_median is None else f"{one.lead_median:.2f}",
            "" if one.win is None else share(one.win.estimate()),
            "" if one.same_move is None else share(one.same_move.share()),
        )
    console.print(table)
