"""The `tengen` command: finds the command, turns errors into messages and exit codes."""

from __future__ import annotations

import sys

from cyclopts import App
from rich.console import Console
from rich.text import Text

from tengen.errors import InputError

app = App(name="tengen", help="Software for the game of Go.")
# Commands are named by import path, so that `tengen gtp` does not wait for what `tengen games` needs.
app.command("tengen.cli.games:app", name="games", help="Pools of games: import, show, filter, export.")
app.command(
    "tengen.cli.rate:app", name="rate", help="Ratings from results: Elo, Glicko-2, whole-history rating."
)
app.command("tengen.cli.predict:app", name="predict", help="Compare a game's moves with a net's.")
app.command("tengen.cli.show:app", name="show", help="Show a game: board, players, result.")
app.command("tengen.cli.evaluate:app", name="evaluate", help="Measure nets on games.")
app.command("tengen.cli.train:app", name="train", help="Teach nets from games.")
app.command(
    "tengen.cli.reproduce:app",
    name="reproduce",
    help="Draw a published figure, or make a table, with your own data.",
)
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
