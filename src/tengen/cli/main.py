"""The `tengen` command: finds the command, turns errors into messages and exit codes."""

from __future__ import annotations

import sys

from cyclopts import App
from rich.console import Console
from rich.text import Text

from tengen.errors import InputError

app = App(name="tengen", help="Software for the game of Go.")
# Commands are named by import path, so that `tengen gtp` does not wait for what `tengen games` needs.
app.command(
    "tengen.cli.eval:app",
    name="eval",
    help="Evaluate a position: win rate, lead, moves, ownership, win rate by komi.",
)
app.command("tengen.cli.nets:app", name="nets", help="Nets: list, show, pull, convert, bench.")
app.command("tengen.cli.bench:app", name="bench", help="How fast this machine runs Tengen.")
    "tengen.cli.analyze:app",
    name="analyze",
    help="Answer KataGo's JSON analysis queries, for KaTrain and others.",
)
app.command("tengen.cli.gtp:app", name="gtp", help="Speak GTP: the engine, for a client or a server.")
app.command("tengen.cli.match:app", name="match", help="Play a match between two players or GTP programs.")
app.command("tengen.cli.review:app", name="review", help="Review games: mistakes, graphs, ownership.")
app.command("tengen.cli.tournament:app", name="tournament", help="Play everyone against everyone.")
app.command("tengen.cli.games:app", name="games", help="Pools of games: import, show, filter, export.")
app.command(
    "tengen.cli.rate:app", name="rate", help="Ratings from results: Elo, Glicko-2, whole-history rating."
)
app.command(
    "tengen.cli.reproduce:app",
    name="reproduce",
    help="Draw a published figure, or make a table, with your own data.",
)
app.command("tengen.cli.score:app", name="score", help="Count a game; dead stones given or guessed.")
app.command("tengen.cli.show:app", name="show", help="Show a game: board, players, result.")
app.command("tengen.cli.strength:app", name="strength", help="The strength of players from their moves.")


def main() -> None:
    try:
        sys.exit(app())
    except InputError as error:
        # What the user gave may be in the message: its brackets are no markup.
        message = Text.assemble(("tengen: ", "red"), str(error))
        Console(stderr=True, highlight=False, soft_wrap=True).print(message)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
