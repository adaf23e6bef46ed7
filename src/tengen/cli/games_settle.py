"""`tengen games settle`: who owned what at the end of counted games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tengen.cli.console import print_line
from tengen.cli.progress import progress_bar
from tengen.progress import Progress


def settle(
    pool: Path,
    *,
    net: str | None = None,
    again: Annotated[bool, Parameter(negative=())] = False,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Work out how the counted games of a pool ended: the margin by area and the owner of every point.

    Playouts judge the last position. Where its count does not agree with the recorded score the owners stay unknown.
    The pool is written again whole when all is done; Ctrl-C leaves it as it was. Games that were settled before are
    left as they are. Training reads what is found here, and works it out itself where it is absent.

    Example: tengen games settle pool.parquet --net b15c192

    Parameters
    ----------
    pool
        The pool to settle.
    net
        A net (a name or a folder) whose ownership counts as much as the playouts; playouts alone
        judge if not given.
    again
        Settle the games as well whose board did not agree with the record before.
    threads
        Threads for the playouts; all cores if not given. The pool is the same for any number.
    json_
        Print the counts as JSON.
    """
    import os

    from tengen.errors import InputError
    from tengen.games.settling import settle_pool, unsettled
    from tengen.games.store import GameStore
    from tengen.games.summary import Summary

    if threads is not None and threads < 1:
        raise InputError("--threads must be positive")
    ownership = None
    if net:
        from tengen.cli.ownership import net_ownership
        from tengen.nets.library import open_net

        ownership = net_ownership(open_net(net))
    before = GameStore.open(pool)
    todo = int(before.frame.select(unsettled(again).sum()).item())
    with progress_bar("settling") as bar:

        def show(progress: Progress) -> None:
            bar.at(int(progress.done), int(progress.total or 0))

        settled = settle_pool(
            pool, ownership, again=again, threads=threads or os.cpu_count() or 1, report=show
        )
    counts = Summary.of(settled).endings
    if json_:
        print(json.dumps({"games": len(settled), "settled": todo} | counts))
        return
    if todo:
        print_line(f"{todo:,} of {len(settled):,} games settled and written to {pool}.")
    else:
        print_line(f"{pool}: no counted game is left to settle.")
    print_line(
        f"Owners are known for {counts['known']:,}; for {counts['disagrees']:,} the board does not agree."
    )
