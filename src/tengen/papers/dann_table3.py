"""Table 3 of the DANN paper: groups of games against GNU Go, with and without long-term evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tengen.engine.match import Match
from tengen.engine.outcome import Outcome as Played
from tengen.engine.outcome import tally_of
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.papers.dann_long_term import slug
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.progress import Progress

TITLE = "Games against GNU Go, with and without long-term evaluation"
SETTINGS: dict[str, Any] = {
    "dann": "",  # an exported DANN; its rows are left out if empty
    "net": "tengen",  # the other predictor; it also judges the lines of DANN's moves if the reward needs a judge
    "agent": "",  # the one that ships if empty
    "rows": "all",  # or some of: dann dann-lte net net-lte net-puct
    "groups": 3,
    "games": 20,  # of a group; the paper has 100
    # What held-out positions of Figure 5 favour among lines with moves after the candidate.
    "steps": 5,
    "candidates": 5,
    "lines": 8,
    "reward": "lead",
    "scale": 50.0,  # of S with the other predictor,
    "dann_scale": 15.0,  # and with DANN, whose p is not as good
    "opponent": "both",  # with the other predictor,
    "dann_opponent": "self",  # and with DANN, which takes too long to move in lines
    "seconds": 0.0,  # of a move of PUCT; 0: the mean of a move with LTE
    "level": 10,  # of GNU Go
    "concurrency": 2,  # games at once
    "seed": 1,
}
ROWS = {
    "dann": "DANN alone",
    "dann-lte": "DANN + LTE",
    "net": "{net} alone",
    "net-lte": "{net} + LTE",
    "net-puct": "{net} + PUCT at the time of LTE",
}
# Printed for GNU Go 3.8, level 10: mean and deviation of three groups of 100 games.
PUBLISHED = {"dann-lte": "100 ±0.0 %"}
OTHERS = "The paper's other programs: 8-layer + MCTS 91.0 %, 12-layer + MCTS 97.2 % and 100 ±0.0 %."


def run(request: Request) -> Outcome:
    """Plays each row's groups, or goes on with them: the games are kept in the work folder."""
    settings = SETTINGS | dict(request.settings)
    rows = []
    for key in wanted_rows(settings):
        contestant = contestant_of(request, settings, key)
        groups = play_groups(request, settings, key, contestant)
        rows.append(_row(settings, key, groups))
    how = f"{settings['candidates']} candidates, {settings['lines']} lines, {settings['steps']} steps"
    answered = f"opponent {settings['opponent']} ({settings['dann_opponent']} with DANN)"
    notes = [
        f"Ours: {settings['groups']} groups of {settings['games']} games against GNU Go 3.8 at level "
        f"{settings['level']}, komi 7.5, Chinese rules; {how}, reward {settings['reward']}, {answered}. The deviation "
        "is that of the groups' means, as in the paper; then comes the 95 % interval of all games.",
        OTHERS,
    ]
    return Outcome(rows, notes)


def wanted_rows(settings: dict[str, Any]) -> list[str]:
    names = list(ROWS) if settings["rows"] == "all" else str(settings["rows"]).replace(",", " ").split()
    if unknown := [name for name in names if name not in ROWS]:
        raise InputError(f"Table 3 has no row '{unknown[0]}' here: there are {', '.join(ROWS)}")
    if settings["dann"]:
        return names
    if settings["rows"] != "all" and any(name.startswith("dann") for name in names):
        raise InputError("rows of DANN need an exported DANN: --set dann=FOLDER")
    return [name for name in names if not name.startswith("dann")]


def contestant_of(request: Request, settings: dict[str, Any], key: str) -> str:
    """The player of a row. PUCT gets the mean time that a move takes with LTE, whose games are played before."""
    whose, _, how = key.partition("-")
    net = settings[whose]
    if how == "lte":
        if whose == "dann" and settings["reward"] != "captures":
            net = f"{net}+{settings['net']}"
        prefix = "dann_" if whose == "dann" else ""
        chosen = ",".join(f"{name}={settings[name]}" for name in ("steps", "candidates", "lines", "reward"))
        own = ",".join(f"{name}={settings[prefix + name]}" for name in ("scale", "opponent"))
        agent = f",agent={settings['agent']}" if settings["agent"] else ""
        return f"long-term:net={net},{chosen},{own}{agent}"
    if how == "puct" and settings["seconds"]:
        return f"puct:net={net},time={settings['seconds']:.2f}"
    if how == "puct":
        before = f"{whose}-lte"
        groups = play_groups(request, settings, before, contestant_of(request, settings, before))
        return f"puct:net={net},time={seconds_a_move(groups):.2f}"
    return f"policy:net={net}"


def play_groups(request: Request, settings: dict[str, Any], key: str, contestant: str) -> list[list[Played]]:
    """The games of a row's groups, played to their end."""
    opponent = f"gnugo --mode gtp --level {settings['level']} --chinese-rules"
    title, games = _title(settings, key), settings["games"]
    groups = []
    for group in range(settings["groups"]):
        folder = request.work / "dann-table3" / slug(contestant) / f"group-{group + 1}"
        terms = Terms(komi=7.5, rules="chinese", seed=settings["seed"] + 1_000_000 * group)
        match, stage = Match((contestant, opponent), terms, folder), f"{title}, group {group + 1}"
        request.progress(Progress(stage, min(len(match.outcomes), games), games, str(match.tally)))
        for _ in match.play(games, settings["concurrency"]):
            request.progress(Progress(stage, len(match.outcomes), games, str(match.tally)))
        groups.append([match.outcomes[number] for number in range(games)])
    return groups


def _title(settings: dict[str, Any], key: str) -> str:
    return ROWS[key].format(net=Path(settings["net"]).name)


def seconds_a_move(groups: list[list[Played]]) -> float:
    """Of the first contestant, which makes half of the moves."""
    games = [one for group in groups for one in group]
    return sum(one.seconds[0] for one in games) / max(sum(one.moves for one in games) / 2, 1)


def _row(settings: dict[str, Any], key: str, groups: list[list[Played]]) -> Row:
    shares = [100 * tally_of(group).score for group in groups]
    whole = tally_of([one for group in groups for one in group])
    low, high = whole.interval()
    ours = (
        f"{np.mean(shares):.1f} ±{np.std(shares):.1f} % ({low:.1%} to {high:.1%}) of {whole.games}, "
        f"{seconds_a_move(groups):.2f} s a move"
    )
    return Row(_title(settings, key), PUBLISHED.get(key, ""), ours)
