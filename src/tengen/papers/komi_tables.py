"""Tables 4, 5 and 6 as they are printed: the paper's figures beside ours, differences, and a sentence a finding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tengen.engine.significance import Z_POWER, Difference, Z
from tengen.papers.cgi_data import TABLE_4, TABLE_5
from tengen.papers.komi_matches import BASE, METHODS, Plan, Played
from tengen.papers.reproduction import Row

Printed = Mapping[str, Mapping[str, tuple[float, float]]]
# Two methods play alike if the whole interval of their difference lies within so many points, of 100.
ALIKE = 5.0
PAPER_GAMES = 250


def rows(played: Played, printed: Printed) -> list[Row]:
    """A row a cell: the win rate with its interval, and the difference to no dynamic komi over the same games."""
    found = []
    for (column, method), match in played.matches.items():
        figures = printed.get(method, {}).get(column)
        low, high = match.tally.interval()
        ours = f"{match.tally.score:.1%} ({low:.1%} to {high:.1%}) of {match.tally.games}"
        difference = None if method == BASE else played.difference(method, BASE, [column])
        if difference is not None:
            ours += f"; less none {points(difference)}: {difference.verdict()}"
        published = "" if figures is None else f"{figures[0]:.1f} ± {figures[1]:.2f} %"
        found.append(Row(f"{column}, {METHODS[method].title}", published, ours))
    return found


def points(difference: Difference) -> str:
    """
    >>> points(Difference(0.05, 0.5, 400))
    '+5.0 (+0.1 to +9.9) points'
    """
    low, high = difference.interval()
    return f"{100 * difference.mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) points"


def is_better(claim: str, differences: Sequence[Difference | None]) -> list[str]:
    """A sentence on a claim that all these differences are above 0; none if nothing was played for it."""
    there = [difference for difference in differences if difference is not None]
    if not there or len(there) < len(differences):
        return []
    verdicts = [difference.verdict() for difference in there]
    verdict = (
        "holds" if set(verdicts) == {"better"} else "does not hold" if "worse" in verdicts else "not decided"
    )
    return [f"{claim}: {verdict} ({', '.join(points(difference) for difference in there)})."]


def is_alike(claim: str, difference: Difference | None) -> list[str]:
    """A sentence on a claim that two methods play alike."""
    if difference is None:
        return []
    low, high = (100 * bound for bound in difference.interval())
    verdict = (
        "holds"
        if -ALIKE < low <= high < ALIKE
        else "does not hold"
        if difference.verdict() != "not decided"
        else "not decided"
    )
    return [f"{claim} (within {ALIKE:g} points): {verdict} ({points(difference)})."]


def what_decides(played: Played, even: Played | None) -> list[str]:
    """How many games would decide between SS-R and ML-DK: by our paired games, and by the paper's own figures."""
    notes = []
    ours = together(played, even, "ml-dk", "ss-r")
    if ours is not None:
        needed = ours.pairs_to_decide()
        is_with_even = even is not None and even.difference("ml-dk", "ss-r") is not None
        notes.append(
            f"ML-DK less SS-R, {ours.pairs:,} games of each{' with the even games' if is_with_even else ''}: "
            f"{points(ours)}: {ours.verdict()}. "
            + (
                "No number of games would decide it: no difference was seen."
                if needed is None
                else f"A difference of this size shows in four of five trials with {needed:,} games of each method."
            )
        )
    mean, half, games = paper_difference()
    notes.append(
        f"In the paper's figures over even games and H1 to H4 ML-DK is better than SS-R by {100 * mean:.1f} ± "
        f"{100 * half:.1f} points, which decides nothing. Unpaired games need {games:,} of each method in each of the "
        "five columns for a difference of this size."
    )
    return notes


def together(played: Played, even: Played | None, first: str, second: str) -> Difference | None:
    """The difference over this table's games and those of the even games, if there are any."""
    parts = [part.difference(first, second) for part in (played, even) if part is not None]
    there = [part for part in parts if part is not None]
    if not there:
        return None
    pairs = sum(part.pairs for part in there)
    mean = sum(part.mean * part.pairs for part in there) / pairs
    square = sum((part.deviation**2 + part.mean**2) * part.pairs for part in there) / pairs
    return Difference(mean, math.sqrt(max(square - mean**2, 0.0)), pairs)


def paper_difference() -> tuple[float, float, int]:
    """ML-DK less SS-R by Tables 4 and 5: the mean over the five columns, the half width of its 95 % interval, and the
    games a cell that would show it in four of five trials.

    >>> mean, half, games = paper_difference()
    >>> round(mean, 4), round(half, 3), games
    (0.0128, 0.034, 3701)
    """
    cells = [
        (table["ml-dk"][column][0] / 100, table["ss-r"][column][0] / 100)
        for table in (TABLE_4, TABLE_5)
        for column in table["ml-dk"]
    ]
    mean = sum(a - b for a, b in cells) / len(cells)
    variance = sum(a * (1 - a) + b * (1 - b) for a, b in cells) / len(cells) ** 2  # with one game a cell
    games = math.ceil(variance * ((Z + Z_POWER) / mean) ** 2)
    return mean, Z * math.sqrt(variance / PAPER_GAMES), games


def described(plan: Plan, played: Played) -> list[str]:
    """How our games were played, beside the paper's."""
    settings = plan.settings
    openings = (
        f"openings of {settings['opening_moves']} moves from {plan.request.pool}"
        if plan.request.pool
        else f"openings of {settings['opening_moves']} moves that the policy draws"
    )
    notes = [
        f"Ours: {played.size}x{played.size}, {settings['rules']} rules, {plan.net}, {settings['visits']} visits a "
        f"move, {settings['rollouts']} rollouts a leaf, lambda {settings['weight']:g}, against {played.opponent}; "
        f"{openings}, the same games for all methods. The paper: 19x19, 250 games a cell, 1 s a move, against an "
        "earlier CGI.",
        "Intervals are of 95 %: Wilson's for win rates, those of Agresti and Min for differences over the same games.",
    ]
    if played.failures:
        notes.append(f"{played.failures} games were lost by a failure of a program; they count as lost.")
    return notes
