"""`tengen serve`: the web page and its API."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

app = App(
    name="serve",
    help_epilogue="""\
Example: tengen serve

Example, for others in the same network: tengen serve --host 0.0.0.0

Example, behind a proxy: tengen serve --name go.example.org --limit files=20 --limit visits=400""",
)


@app.default
def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    next_port: Annotated[bool, Parameter(negative=())] = False,
    net: str | None = None,
    threads: int | None = None,
    data: Path | None = None,
    name: Annotated[list[str] | None, Parameter(negative=())] = None,
    limit: Annotated[list[str] | None, Parameter(negative=())] = None,
    browser: bool = False,
) -> None:
    """Serve the web page: how strong am I, review my game, play me. Ctrl-C ends it.

    The server answers this machine only, unless `--host` says otherwise. It has no users and no passwords: whoever
    reaches it may use it, within its limits.

    Parameters
    ----------
    host
        The address to listen at; 0.0.0.0 for all of this machine.
    port
        The port; 0 for any free one.
    next_port
        Take the next free port if this one is in use.
    net
        The net that judges if the user chooses no other; the one that ships if not given.
    threads
        Searches that run at once, each on a core; all cores if not given.
    data
        The folder for games, reviews and analyses; `tengen` in the user's data folder if not given.
    name
        A host name by which browsers reach the server, for example behind a proxy; this machine's
        own if not given. May be given more than once.
    limit
        name=value: a bound on what one user may ask for. `--limit help` lists them, with their values if not given.
    browser
        Open the page in a browser, where there is one.
    """
    from tengen.settings import describe, read_settings, set_keys
    from tengen.web.limits import Limits

    if "help" in (limit or ()):
        for each in describe(Limits):
            print(f"{each.name}={each.default}  {each.meaning}")
        return
    from tengen.errors import InputError
    from tengen.nets.library import find_card
    from tengen.nets.runtime import available_threads
    from tengen.strength.model import default_net
    from tengen.web.server import bind
    from tengen.web.server import serve as run
    from tengen.web.service import Service
    from tengen.web.store import data_folder

    limits = read_settings(Limits, set_keys({}, limit or [], "--limit"), "--limit", "limit")
    if threads is not None and threads < 1:
        raise InputError("--threads must be 1 or more")
    if net is not None and net != "fake":
        find_card(net)  # complains before the port is bound
    with bind(host, port, next_port) as sock:
        service = Service(data or data_folder(), net or default_net(), threads or available_threads(), limits)
        run(service, sock, host, name or (), browser)
