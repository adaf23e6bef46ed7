"""Table 5 of the CGI paper: the methods of dynamic komi in handicap games."""

from __future__ import annotations

from typing import Any

from tengen.papers import cgi_table4
from tengen.papers.cgi_data import TABLE_5
from tengen.papers.komi_matches import METHODS, Plan, Played, handicap_columns, net_of
from tengen.papers.komi_tables import described, is_alike, is_better, rows, what_decides
from tengen.papers.reproduction import Outcome, Request

TITLE = "Dynamic komi in handicap games: six methods, and ours, as White against one opponent"
SETTINGS: dict[str, Any] = {
    **{key: value for key, value in cgi_table4.SETTINGS.items() if key != "komi"},
    "handicaps": "1,2,3,4",  # stones; 1 is no stone
}


def plan(request: Request, settings: dict[str, Any]) -> Plan:
    return Plan(request, settings, "cgi-table5", handicap_columns(settings["handicaps"]), net_of(settings))


def run(request: Request) -> Outcome:
    """Plays each cell, or goes on with it: the games are kept in the work folder."""
    settings = SETTINGS | dict(request.settings)
    made = plan(request, settings)
    played = made.play()
    shared = {key: settings[key] for key in settings.keys() & cgi_table4.SETTINGS.keys()}
    even = cgi_table4.plan(request, cgi_table4.SETTINGS | shared).read()
    return Outcome(rows(played, TABLE_5), described(made, played) + findings(played, even))


def findings(played: Played, even: Played | None) -> list[str]:
    """What the text to Table 5 says, over all columns unless it names one."""

    def better(first: str, second: str = "none", *columns: str) -> list[str]:
        where = f" at {' and '.join(columns)}" if columns else ""
        other = METHODS[second].title
        claim = f"{METHODS[first].title} is better than {other}{where}"
        there = {column.name for column in played.columns}
        return is_better(claim, [played.difference(first, second, columns)]) if set(columns) <= there else []

    notes = better("ss-r") + better("ml-dk") + better("ss-b") + better("ss-m")
    notes += better("ss-r", "ss-b") + better("ss-b", "ss-m")
    notes += is_alike("VS-M plays as well as no dynamic komi", played.difference("vs-m", "none"))
    notes += better("ml-dk", "ss-r", "H1", "H3") + better("ss-r", "ml-dk", "H2", "H4")
    notes += better("errors") + better("score") + better("errors", "ml-dk") + better("ml-dk+errors", "ml-dk")
    return notes + what_decides(played, even)
