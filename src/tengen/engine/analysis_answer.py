"""Answers of KataGo's JSON analysis protocol, from root statistics.

Beyond KataGo's fields, `rootInfo` has `winrateByKomi` (pairs of komi and win rate), `komiUsed` and `lcb`, and a
candidate that the player long-term has read has `longTerm`. A field that needs an output which the net does not have
is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.engine.analysis_query import Query
from tengen.engine.position_hash import position_hashes
from tengen.engine.raw_fields import raw_fields
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.search.owners import Owned
from tengen.search.player import FinalScore, Root


def answer_of(query: Query, position: Position, root: Root) -> dict[str, Any]:
    """The fields of an answer that come from the search."""
    view = root.to_move if query.view == "SIDETOMOVE" else Color.parse(query.view)

    def values(win_rate: WinRate | None, lead: Lead | None, score: FinalScore | None) -> dict[str, float]:
        """What is unknown is left out."""
        found: dict[str, float] = {}
        if win_rate is not None:
            found["winrate"] = round(win_rate.of(view), 6)
        if lead is not None:
            found["scoreLead"] = round(lead.of(view), 4)
        if score is not None:
            found["scoreSelfplay"] = round(score.mean.of(view), 4)
            found["scoreStdev"] = round(score.deviation, 4)
        if win_rate is not None:
            found["utility"] = round(2 * found["winrate"] - 1, 6)
        return found

    infos = []
    for order, (c, selection) in enumerate(zip(root.candidates, selection_values(root), strict=True)):
        info: dict[str, Any] = {
            "move": position.vertex(c.move),
            "visits": c.visits,
            "edgeVisits": c.visits,  # the same in a tree without transpositions
            "prior": round(c.prior, 8),
        }
        info |= values(c.win_rate, c.lead, c.score)
        if c.lead is not None:
            info["scoreMean"] = info["scoreLead"]  # as in KataGo, which keeps the old name
        if c.no_result is not None:
            info["noResultValue"] = round(c.no_result, 8)
        if (bound := c.lower_bound(root.to_move)) is not None:
            least = WinRate(bound, root.to_move).of(view)
            info |= {"lcb": round(least, 6), "utilityLcb": round(2 * least - 1, 6)}
        info |= {"order": order, "weight": float(c.visits), "edgeWeight": float(c.visits)}
        info["playSelectionValue"] = float(selection)
        if c.symmetry_of is not None:
            info["isSymmetryOf"] = position.vertex(c.symmetry_of)
        if c.long_term is not None:
            info["longTerm"] = {
                "reward": round(c.long_term.reward.of(view), 4),
                "rewardStdev": round(c.long_term.deviation, 4),
                "score": round(c.long_term.score, 8),
            }
        info["pv"] = [position.vertex(m) for m in c.variation[: query.pv_length]]
        if query.include_pv_visits:
            info["pvVisits"] = list(c.variation_visits[: query.pv_length])
            info["pvEdgeVisits"] = info["pvVisits"]
        info |= _boards(c.owned, view, query.include_moves_ownership, query.include_moves_ownership_stdev)
        infos.append(info)
    root_info: dict[str, Any] = {
        "currentPlayer": root.to_move.letter,
        "visits": root.visits,
        "komiUsed": round(root.searched.komi, 3),
    }
    root_info |= values(root.win_rate, root.lead, root.score)
    if root.win_rate is not None:
        root_info["lcb"] = root_info["winrate"]
    root_info["weight"] = float(root.visits)
    root_info["thisHash"], root_info["symHash"] = position_hashes(position)
    if root.evaluation is not None:
        root_info |= raw_fields(root.evaluation, position.rules, view)
    if root.komi_labels is not None and root.win_by_komi is not None:
        root_info["winrateByKomi"] = [
            [round(float(k), 1), round(WinRate(float(w), Color.BLACK).of(view), 4)]
            for k, w in zip(root.komi_labels, root.win_by_komi, strict=True)
        ]
    answer: dict[str, Any] = {"moveInfos": infos, "rootInfo": root_info}
    return answer | _boards(root.owned, view, query.include_ownership, query.include_ownership_stdev)


def selection_values(root: Root) -> list[int]:
    """What the order follows: the visits of a candidate, but never less than those of one ranked below it."""
    most, values = 0, []
    for candidate in reversed(root.candidates):
        most = max(most, candidate.visits)
        values.append(most)
    return values[::-1]


def _boards(owned: Owned | None, view: Color, mean: bool, deviation: bool) -> dict[str, list[float]]:
    """`ownership` and `ownershipStdev`, where they are wanted."""
    boards: dict[str, list[float]] = {}
    if owned is not None and mean:
        sign = 1 if view is Color.BLACK else -1
        boards["ownership"] = [round(sign * float(x), 6) for x in owned.mean.ravel()]
    if owned is not None and deviation:
        boards["ownershipStdev"] = [round(float(x), 6) for x in owned.deviation.ravel()]
    return boards


def policy_of(position: Position, policy: npt.NDArray[np.float32]) -> list[float]:
    """The prior of every point and of the pass; -1 where a move is illegal."""
    legal = set(position.legal_moves)
    return [round(float(p), 8) if i in legal else -1 for i, p in enumerate(policy)]
