"""Table 4 of the CGI paper: the methods of dynamic komi in even games."""

from __future__ import annotations

from typing import Any

from tengen.papers.cgi_data import TABLE_4
from tengen.papers.komi_matches import EVEN, METHODS, PAPERS, Plan, Played, net_of
from tengen.papers.komi_matches import SETTINGS as COMMON
from tengen.papers.komi_tables import described, is_better, rows
from tengen.papers.reproduction import Outcome, Request

TITLE = "Dynamic komi in even games: six methods, and ours, against one opponent"
SETTINGS: dict[str, Any] = COMMON | {"methods": f"{PAPERS},errors,ml-dk+errors", "komi": EVEN.komi}


def plan(request: Request, settings: dict[str, Any]) -> Plan:
    column = EVEN._replace(komi=settings["komi"])
    return Plan(request, settings, "cgi-table4", [column], net_of(settings))


def run(request: Request) -> Outcome:
    """Plays each cell, or goes on with it: the games are kept in the work folder."""
    made = plan(request, SETTINGS | dict(request.settings))
    played = made.play()
    return Outcome(rows(played, TABLE_4), described(made, played) + findings(played))


def findings(played: Played) -> list[str]:
    others = [name for name in PAPERS.split(",") if name != "ml-dk"]
    notes = is_better(
        "ML-DK is better than all other methods in even games",
        [played.difference("ml-dk", other) for other in others],
    )
    for ours in ("errors", "score"):
        claim = f"{METHODS[ours].title} is better than no dynamic komi"
        notes += is_better(claim, [played.difference(ours, "none")])
    return notes
