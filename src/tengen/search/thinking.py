"""When to stop thinking about a move on a clock: early if the choice cannot change any more, late if it is close."""

from __future__ import annotations

from collections.abc import Sequence

from tengen.go.color import Color
from tengen.search.clock import Pace
from tengen.search.player import Candidate

# How many times more visits the time that is left may allow than the present rate says.
SAFETY = 1.25
# How far below the best move's lower bound the win rate of a move must be that is given up while it has visits to come.
BEHIND = 0.05
# Win rates that differ by less are close.
CLOSE = 0.01


def is_enough(
    pace: Pace, candidates: Sequence[Candidate], mover: Color, share: float, spent: float, leaf: float
) -> bool:
    """Whether a search that took `spent` seconds so far, and takes `leaf` seconds for a visit, may end.

    candidates: the best one first, by the rule by which the move is chosen; that takes only moves with a `share` of the
    most visits.
    """
    if spent >= pace.usual:
        return not is_close(candidates, mover, share)
    return pace.unused_is_kept and is_decided(
        candidates, mover, share, SAFETY * (pace.usual - spent) / max(leaf, 1e-9)
    )


def is_decided(candidates: Sequence[Candidate], mover: Color, share: float, visits_left: float) -> bool:
    """Whether the first candidate stays the first, even if another one gets all the visits that are left.

    The other cannot be chosen if it has too few visits even then. Otherwise it must stay behind in visits, and its win
    rate must be clearly below the lower bound of the best one's.
    """
    if not candidates:
        return False
    best = candidates[0]
    bound, most = best.lower_bound(mover), max(c.visits for c in candidates)
    for other in candidates[1:]:
        visits = other.visits + visits_left
        if visits < share * most:
            continue
        value = other.searched_win_rate
        if bound is None or value is None or visits >= best.visits or value.of(mover) + BEHIND >= bound:
            return False
    return visits_left < best.visits


def is_close(candidates: Sequence[Candidate], mover: Color, share: float) -> bool:
    """Whether more visits may well change the choice.

    Another move has more visits than the best one, or it may be chosen and has about the same win rate.
    """
    if not candidates or candidates[0].searched_win_rate is None:
        return False
    best, most = candidates[0], max(c.visits for c in candidates)
    least = candidates[0].searched_win_rate.of(mover) - CLOSE
    return any(
        other.visits > best.visits
        or (
            other.visits >= share * most
            and other.searched_win_rate is not None
            and other.searched_win_rate.of(mover) >= least
        )
        for other in candidates[1:]
    )
