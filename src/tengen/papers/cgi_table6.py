"""Table 6 of the CGI paper: dynamic komi in handicap games with a plain value net, where it acts on rollouts alone."""

from __future__ import annotations

from typing import Any

from tengen.errors import InputError
from tengen.nets.komi import KomiKind, komi_kind
from tengen.nets.library import open_net
from tengen.papers import cgi_table5
from tengen.papers.cgi_data import TABLE_6
from tengen.papers.komi_matches import METHODS, Plan, Played, handicap_columns, net_of
from tengen.papers.komi_tables import described, is_alike, is_better, rows
from tengen.papers.reproduction import Outcome, Request

TITLE = "Dynamic komi in handicap games with a plain value net"
SETTINGS: dict[str, Any] = cgi_table5.SETTINGS | {
    "vn": "",  # the plain value net of our program; the opponent has `value` or `net`, as in Table 5
    "methods": "none,ss-r,ml-dk",
}


def run(request: Request) -> Outcome:
    """Plays each cell, or goes on with it: the games are kept in the work folder."""
    settings = SETTINGS | dict(request.settings)
    plain = net_of(settings | {"net": ""}, "vn")
    if komi_kind(open_net(settings["vn"]).card) is not KomiKind.FLAT:
        raise InputError(
            f"vn={settings['vn']} has win rates at several komi: Table 6 is about a net that knows one komi only"
        )
    made = Plan(request, settings, "cgi-table6", handicap_columns(settings["handicaps"]), plain)
    played = made.play()
    labelled = None
    if settings["value"] or settings["net"]:
        labelled = cgi_table5.plan(request, {key: settings[key] for key in cgi_table5.SETTINGS}).read()
    return Outcome(rows(played, TABLE_6), described(made, played) + findings(played, labelled))


def findings(played: Played, labelled: Played | None) -> list[str]:
    """labelled: the same methods with a multi-labelled net, from Table 5."""
    notes = []
    for method in ("ss-r", "ml-dk"):
        title = METHODS[method].title
        claim = f"With the plain net {title} plays as well as no dynamic komi"
        notes += is_alike(claim, played.difference(method, "none"))
        if labelled is not None and (found := labelled.difference(method, method, other=played)) is not None:
            notes += is_better(
                f"{title} is better with the multi-labelled net than with the plain one", [found]
            )
    if labelled is None:
        notes.append(
            "Play cgi-table5 with the same settings (--set value=...) to see what the multi-labelled net gains."
        )
    return notes
