"""`tengen predict`: which moves of a game a net expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console
from rich.table import Table

from tengen.cli.progress import progress_bar

app = App(name="predict")


@app.default
def predict(
    game: Path,
    *,
    net: str | None = None,
    plot: Path | None = None,
    bagging: Annotated[bool, Parameter(negative=())] = False,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Print rank and probability of each move of a game by a net, and how often each player agrees with the net.

    Example: tengen predict game.sgf --net out/runs/tengen-96x6 --plot boards/

    Parameters
    ----------
    game
        The record: .sgf (its main line is read), .gib or .ngf.
    net
        A net by name, an .onnx or KataGo file, or the folder of a training run; the strongest at hand if not
        given.
    plot
        A folder for drawings of each position with the net's candidates (SVG).
    bagging
        Evaluate each position in its eight symmetries and take the mean.
    threads
        Threads of the net; all cores if not given.
    json_
        Print the moves as JSON.
    """
    from tengen.training import machine

    machine.prepare()
    from tengen.go.color import Color
    from tengen.go.game import Game
    from tengen.nets.evaluator import Bagged
    from tengen.nets.library import strongest
    from tengen.prediction.agreement import draw_candidates, expected_moves, summary, to_json
    from tengen.prediction.predictors import open_net_or_run

    record = Game.from_file(game)
    evaluator = open_net_or_run(net or strongest(), threads=threads)
    with progress_bar("looking at moves") as bar:
        moves = expected_moves(record, Bagged(evaluator) if bagging else evaluator, bar)
    totals = {color: summary(moves, color) for color in Color}
    if plot:
        draw_candidates(record, moves, plot)
    if json_:
        print(json.dumps({"net": evaluator.card.name, **to_json(moves)}))
        return
    console = Console()
    table = Table(
        "move", "", "played", "rank", "probability", "expected", title=str(game), title_justify="left"
    )
    for column in (0, 3, 4):
        table.columns[column].justify = "right"
    for m in moves:
        expected = ", ".join(f"{vertex} {share:.0%}" for vertex, share in m.candidates[:3])
        style = "bold" if m.rank == 1 else None
        table.add_row(
            str(m.number),
            m.color.letter,
            m.vertex,
            str(m.rank),
            f"{m.probability:.1%}",
            expected,
            style=style,
        )
    console.print(table)
    names = {Color.BLACK: record.black, Color.WHITE: record.white}
    for color, total in totals.items():
        if total.moves:
            who = f"{color} ({names[color]})" if names[color] else str(color)
            console.print(
                f"{who}: {total.moves} moves, top-1 {total.top1:.1%}, top-3 {total.top3:.1%}, "
                f"mean probability {total.mean_probability:.1%}",
                highlight=False,
                markup=False,
            )
    if plot:
        console.print(f"Drawings: {plot}", highlight=False, markup=False)
