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
    "tengen.cli.analyze:app",
    name="analyze",
    help="Answer KataGo's JSON analysis queries, for KaTrain and others.",
)
app.command("tengen.cli.gtp:app", name="gtp", help="Speak GTP: the engine, for a client or a server.")
app.command("tengen.cli.match:app", name="match", help="Play a match between two players or GTP programs.")
app.command("tengen.cli.regress:app", name="regress", help="Answer GNU Go's regression suites.")
app.command("tengen.cli.review:app", name="review", help="Review games: mistakes, graphs, ownership.")
app.command("tengen.cli.tournament:app", name="tournament", help="Play everyone against everyone.")
app.command("tengen.cli.games:app", name="games", help="Pools of games: import, show, filter, export.")
app.command("tengen.cli.show:app", name="show", help="Show a game: board, players, result.")


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
