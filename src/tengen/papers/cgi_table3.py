"""Table 3 of the CGI paper: matches between programs that differ in their value net alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from tengen.engine.significance import Tally
from tengen.engine.terms import Terms
from tengen.errors import InputError
from tengen.papers.cells import Cell, play_cells
from tengen.papers.cgi_data import TABLE_3
from tengen.papers.cgi_nets import NETS, open_nets, title_of
from tengen.papers.findings import finding
from tengen.papers.reproduction import Outcome, Request, Row

TITLE = "Matches between programs with different value nets (PUCT with rollouts)"
# What the paper finds (IV.A): the second of each pair is ahead of the first.
AHEAD = (
    ("vn", "ml_vn"),
    ("vn", "bv_vn"),
    ("vn", "bv_ml_vn"),
    ("ml_vn", "bv_ml_vn"),
    ("bv_vn", "bv_ml_vn"),
)
SETTINGS: dict[str, Any] = NETS | {
    "policy": "",  # the net that gives the moves of all programs
    "matches": 300,  # games of a pair
    "visits": 100,  # of each move, the same for all
    "rollouts": 1,  # from each leaf
    "weight": 0.5,  # lambda
    "komi": 7.5,
    "opening_moves": 6,  # of a game of --pool; each opening is played with both colours
    "concurrency": 2,  # games at once
    "seed": 1,
}


def run(request: Request) -> Outcome:
    """Plays each pair, or goes on with it: the games are kept in the work folder."""
    settings = SETTINGS | dict(request.settings)
    if not settings["policy"]:
        raise InputError("no policy net is given: --set policy=FOLDER; the value nets give no moves")
    keys = [key for key in NETS if settings[key]]
    if len(keys) < 2:
        raise InputError(
            f"a match needs two value nets: --set {' --set '.join(f'{key}=FOLDER' for key in NETS)}"
        )
    nets = open_nets(settings, keys)
    if request.pool is None:
        raise InputError("matches need a pool of openings: --pool GAMES.parquet, on the board of the nets")
    terms = Terms(
        size=nets.size,
        komi=settings["komi"],
        openings=str(request.pool),
        opening_moves=settings["opening_moves"],
        seed=settings["seed"],
    )
    pairs = list(combinations(keys, 2))
    cells = [
        Cell(
            f"{title_of(first)} against {title_of(second)}",
            (contestant(settings, first), contestant(settings, second)),
            terms,
            request.work / "cgi-table3" / f"{first}-{second}",
            settings["matches"],
        )
        for first, second in pairs
    ]
    played = play_cells(cells, settings["concurrency"], request.progress)
    tallies = {pair: match.tally for pair, match in zip(pairs, played, strict=True)}
    rows = [_row(pair, tally) for pair, tally in tallies.items()]
    notes = [
        f"Ours: {nets.size}x{nets.size}, komi {settings['komi']:g}, {settings['visits']} visits a move, "
        f"{settings['rollouts']} rollouts a leaf, lambda {settings['weight']:g}, moves of {settings['policy']}, paired "
        "openings. The paper: 19x19, 500 games a pair, 1 s a move on one GPU and six cores.",
        "BV-VN against VN is printed as 66.6 %, a misprint: its complement is 39.4 %.",
        *_findings(tallies),
    ]
    return Outcome(rows, notes)


def contestant(settings: dict[str, Any], key: str) -> str:
    """A player of ours with the policy net and one value net; it compares win rates alone, as the paper's."""
    search = ",".join(f"{name}={settings[name]}" for name in ("visits", "rollouts", "weight"))
    return f"puct:net={settings['policy']}+{settings[key]},{search},score_weight=0,spread_weight=0,name={key}"


def _findings(tallies: Mapping[tuple[str, str], Tally]) -> list[str]:
    said = []
    for pair in AHEAD:
        if pair in tallies:
            low, high = tallies[pair].interval()
            claim = f"{title_of(pair[1])} is ahead of {title_of(pair[0])} in play"
            said.append(finding(claim, 0.5 - high, 0.5 - low))
    return said


def _row(pair: tuple[str, str], tally: Tally) -> Row:
    low, high = tally.interval()
    verdict = "worse" if high < 0.5 else "better" if low > 0.5 else "not decided"
    ours = f"{tally.score:.1%} ({low:.1%} to {high:.1%}) of {tally.games}: {verdict}"
    return Row(f"{title_of(pair[0])} against {title_of(pair[1])}", TABLE_3.get(pair, ""), ours)
