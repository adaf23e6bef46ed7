"""`tengen strength`: the strength of players from their moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar
from tengen.cli.strength_estimate import estimate, vs
from tengen.cli.strength_features import features
from tengen.cli.strength_models import calibrate, evaluate, export, ranks, search

app = App(name="strength")
app.default(estimate)
for _command in (vs, features, ranks, export, calibrate, evaluate, search):
    app.command(_command)

_console = Console()


@app.command
def prepare(
    pool: Path,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    net: str | None = None,
    training: int = 10_000,
    validation: int = 5_000,
    test: int = 5_000,
    exhibition: int = 5_000,
    seed: int = 0,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Prepare a pool for strength models: filter, rate by Glicko-2, label, and draw sets T, V, E and X.

    The steps are those of Section 4.1.1 of the thesis; the games that each leaves out are counted. The label of a
    player is the player's rating ten games later. With a net, the winner of a resigned or timed-out game is the side
    with the higher win rate in the last position, and the game is left out where that win rate is below 60 %; without a
    net, all results stay as they are written.

    Example: tengen strength prepare kgs.parquet -o draft.parquet --net b15c192 --training 2000 --exhibition 300

    Parameters
    ----------
    pool
        A pool that `tengen games import` wrote.
    output
        The draft to write: one row a game, with its set, labels and Glicko-2's ratings before it.
    net
        A net by name (`tengen nets list`) or file, which decides who won games that were not counted; none if not
        given.
    training
        Games to draw for T, won by the player with the higher label.
    validation
        Games to draw for V.
    test
        Games to draw for E.
    exhibition
        Games to draw for X, of players with no more than 4 earlier games.
    seed
        Another seed draws other sets.
    json_
        Print the counts as JSON.
    """
    from tengen.games.store import GameStore
    from tengen.strength.draft import judge_by
    from tengen.strength.draft import prepare as prepare_draft

    sizes = {"T": training, "V": validation, "E": test, "X": exhibition}
    store = GameStore.open(pool)
    with progress_bar("preparing" if net is None else "judging") as bar:
        judge = None
        if net is not None:
            from tengen.nets.library import open_net

            judge = judge_by(open_net(net), bar)
        draft = prepare_draft(store, judge, sizes, seed)
    draft.write(output)
    if json_:
        print(json.dumps(draft.to_json()))
        return
    table = Table("step", "left out", "left")
    for column in table.columns[1:]:
        column.justify = "right"
    for step in draft.steps:
        table.add_row(step.what, f"{step.left_out:,}" if step.left_out else "", f"{step.left:,}")
    for name, size in sizes.items():
        table.add_row(f"drawn for {name}", "", f"{size:,}")
    _console.print(table)
    black = float(draft.results.score.mean())
    _console.print(f"{len(draft.results.players):,} players; Black won {black:.2%}", highlight=False)
    _console.print(f"labels of T: mean {draft.mean:.2f}, deviation {draft.deviation:.2f}", highlight=False)
    _console.print(Text(f"Written: {output}"))
