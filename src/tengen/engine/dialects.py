"""The layouts of analysis over GTP: Leela Zero's, KataGo's, Sabaki's and CGOS's, all in the view of the side to move.

Sabaki takes a number with a decimal point for a fraction, and one without for ten-thousandths: every fraction here
has a point.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tengen.engine.barred import bar
from tengen.engine.raw_fields import raw_fields
from tengen.engine.session import CommandError
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation
from tengen.search.owners import Owned
from tengen.search.player import Candidate, Question, Root


@dataclass(slots=True)
class Request:
    """The arguments of an analysis command. `interval` is in seconds."""

    color: Color
    interval: float | None = None
    min_moves: int = 0
    max_moves: int = 10_000
    ownership: bool = False
    ownership_deviation: bool = False
    moves_ownership: bool = False
    moves_ownership_deviation: bool = False
    root_info: bool = False
    pv_visits: bool = False
    pv_edge_visits: bool = False  # in a tree without transpositions, those of the node an edge leads to
    no_result: bool = False
    avoid: dict[Color, dict[int, int]] = field(default_factory=dict)

    def question(self, stop: Callable[[], bool] | None = None) -> Question:
        wanted = min(self.min_moves, self.max_moves)
        return Question(
            interval=self.interval,
            banned=self.avoid,
            ownership=self.ownership or self.ownership_deviation,
            moves_ownership=self.moves_ownership or self.moves_ownership_deviation,
            min_moves=wanted,
            evaluation=self.root_info,
            no_result=self.no_result,
            stop=stop,
        )


def parse_request(arguments: list[str], position: Position) -> Request:
    """`[color] [interval] [key value]...`, as Leela Zero and KataGo read it."""
    words = list(arguments)
    request = Request(position.to_move)
    allowed = False
    if words and words[0].lower() in ("b", "w", "black", "white"):
        request.color = Color.parse(words.pop(0))
    if words and words[0].isdigit():
        request.interval = int(words.pop(0)) / 100
    while words:
        key = words.pop(0).lower()
        try:
            if key in ("b", "w", "black", "white"):
                request.color = Color.parse(key)
            elif key == "interval":
                request.interval = max(float(words.pop(0)), 0.0) / 100
            elif key == "minmoves":
                request.min_moves = int(words.pop(0))
            elif key == "maxmoves":
                request.max_moves = int(words.pop(0))
            elif key == "ownership":
                request.ownership = _truth(words.pop(0))
            elif key == "rootinfo":
                request.root_info = _truth(words.pop(0))
            elif key == "pvvisits":
                request.pv_visits = _truth(words.pop(0))
            elif key in ("avoid", "allow"):
                color, vertices, depth = Color.parse(words.pop(0)), words.pop(0).split(","), int(words.pop(0))
                if allowed or (key == "allow" and request.avoid):
                    raise CommandError("allow may be given once, and not with avoid")
                if depth < 1:
                    raise ValueError(f"a depth is 1 or more, not {depth}")
                allowed = key == "allow"
                points = {position.pass_ if v.lower() == "pass" else position.point(v) for v in vertices}
                bar(request.avoid, color, points, depth, position.size, others=allowed)
            elif key == "ownershipstdev":
                request.ownership_deviation = _truth(words.pop(0))
            elif key == "movesownership":
                request.moves_ownership = _truth(words.pop(0))
            elif key == "movesownershipstdev":
                request.moves_ownership_deviation = _truth(words.pop(0))
            elif key == "noresultvalue":
                request.no_result = _truth(words.pop(0))
            elif key == "pvedgevisits":
                request.pv_edge_visits = _truth(words.pop(0))
            else:
                raise CommandError(f"unknown argument '{key}'")
        except IndexError:
            raise CommandError(f"'{key}' needs a value") from None
        except ValueError as error:
            raise CommandError(f"{key}: {error}") from None
    return request


def _truth(word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise ValueError(f"'{word}' is neither true nor false")
    return word.lower() == "true"


def _shown(root: Root, request: Request) -> list[Candidate]:
    return list(root.candidates[: max(request.max_moves, 1)])


def _line(position: Position, candidate: Candidate) -> str:
    return " ".join(position.vertex(move) for move in candidate.variation)


def _visits(candidate: Candidate) -> str:
    return " ".join(map(str, candidate.variation_visits))


def _of(value: WinRate | Lead | None, color: Color) -> float | None:
    return None if value is None else value.of(color)


def leela(position: Position, root: Root, request: Request) -> str:
    """Win rates and priors in ten-thousandths. Here as in the other dialects, what is unknown is left out."""
    mover = root.to_move
    infos = []
    for order, c in enumerate(_shown(root, request)):
        rate, least = _of(c.win_rate, mover), c.lower_bound(mover)
        infos.append(
            f"info move {position.vertex(c.move)} visits {c.visits} "
            + ("" if rate is None else f"winrate {round(rate * 10_000)} ")
            + f"prior {round(c.prior * 10_000)} "
            + ("" if least is None else f"lcb {round(least * 10_000)} ")
            + f"order {order} pv {_line(position, c)}"
        )
    return " ".join(infos)


def sabaki(position: Position, root: Root, request: Request) -> str:
    mover = root.to_move
    return " ".join(
        f"info move {position.vertex(c.move)} visits {c.visits} "
        + ("" if c.win_rate is None else f"winrate {c.win_rate.of(mover):.6f} ")
        + ("" if c.lead is None else f"scoreLead {c.lead.of(mover):.2f} ")
        + f"prior {c.prior:.6f} order {order} pv {_line(position, c)}"
        for order, c in enumerate(_shown(root, request))
    )


def _katago_values(of: Candidate | Root, mover: Color) -> str:
    rate, lead, score = _of(of.win_rate, mover), _of(of.lead, mover), of.score
    text = "" if rate is None else f"utility {2 * rate - 1:.6f} winrate {rate:.6f} "
    if lead is not None:
        text += f"scoreMean {lead:.4f} scoreLead {lead:.4f} "  # one value under two names, as in KataGo
    if score is not None:
        text += f"scoreStdev {score.deviation:.4f} scoreSelfplay {score.mean.of(mover):.4f} "
    return text


def _long_term_values(candidate: Candidate, mover: Color) -> str:
    """Not KataGo's: what the player long-term says of a candidate that it has read."""
    if (found := candidate.long_term) is None:
        return ""
    reward = f"longTermReward {found.reward.of(mover):.4f} longTermStdev {found.deviation:.4f} "
    return f"{reward}longTermScore {found.score:.6f} "


def _raw_values(said: Evaluation, position: Position) -> str:
    """Those that KataGo writes here; the JSON protocol has them all."""
    fields = raw_fields(said, position.rules, position.to_move)
    names = ("rawStWrError", "rawStScoreError", "rawVarTimeLeft")
    return "".join(f" {name} {fields[name]:.6f}" for name in names if name in fields)


def katago(position: Position, root: Root, request: Request) -> str:
    mover = root.to_move
    infos = []
    for order, c in enumerate(_shown(root, request)):
        least = c.lower_bound(mover)
        infos.append(
            f"info move {position.vertex(c.move)} visits {c.visits} edgeVisits {c.visits} "
            + _katago_values(c, mover)
            + ("" if c.no_result is None else f"noResultValue {c.no_result:.6f} ")
            + f"prior {c.prior:.6f} "
            + ("" if least is None else f"lcb {least:.6f} utilityLcb {2 * least - 1:.6f} ")
            + f"weight {c.visits} "
            + ("" if c.symmetry_of is None else f"isSymmetryOf {position.vertex(c.symmetry_of)} ")
            + _long_term_values(c, mover)
            + f"order {order} pv {_line(position, c)}"
            + (" pvVisits " + _visits(c) if request.pv_visits else "")
            + (" pvEdgeVisits " + _visits(c) if request.pv_edge_visits else "")
            + _boards(
                "movesOwnership", c.owned, mover, request.moves_ownership, request.moves_ownership_deviation
            )
        )
    text = " ".join(infos)
    if request.root_info:
        values = _katago_values(root, mover)
        text += f" rootInfo visits {root.visits} {values}weight {root.visits}"
        if root.searched.differs(position.rules.komi):
            text += f" komiUsed {root.searched.komi:.3f}"
        if root.evaluation is not None:
            text += _raw_values(root.evaluation, position)
    return text + _boards("ownership", root.owned, mover, request.ownership, request.ownership_deviation)


def _boards(name: str, owned: Owned | None, mover: Color, mean: bool, deviation: bool) -> str:
    """KataGo's ` ownership 0.1 ...` and ` ownershipStdev 0.1 ...`, where they are wanted."""
    text = ""
    if owned is not None and mean:
        sign = 1 if mover is Color.BLACK else -1
        text += f" {name} " + " ".join(f"{sign * x:.6f}" for x in owned.mean.ravel())
    if owned is not None and deviation:
        text += f" {name}Stdev " + " ".join(f"{x:.6f}" for x in owned.deviation.ravel())
    return text


_CGOS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+"


def _cgos_values(win_rate: WinRate | None, lead: Lead | None, mover: Color) -> dict[str, object]:
    values: dict[str, object] = {}
    if win_rate is not None:
        values["winrate"] = round(win_rate.of(mover), 4)
    if lead is not None:
        values["score"] = round(lead.of(mover), 2)
    return values


def cgos(position: Position, root: Root) -> str:
    """One line of JSON, as the CGOS server keeps it with a move; `pv` is what follows the move."""
    mover = root.to_move
    answer: dict[str, object] = _cgos_values(root.win_rate, root.lead, mover) | {
        "visits": root.visits,
        "moves": [
            {"move": position.vertex(c.move)}
            | _cgos_values(c.win_rate, c.lead, mover)
            | {
                "prior": round(c.prior, 6),
                "pv": " ".join(position.vertex(m) for m in c.variation[1:]),
                "visits": c.visits,
            }
            for c in root.candidates[:10]
        ],
    }
    if root.ownership is not None:
        owned = root.ownership.ravel() * (1 if mover is Color.BLACK else -1)
        answer["ownership"] = "".join(_CGOS[round(x)] for x in np.clip((owned + 1) / 2, 0, 1) * 62)
    return json.dumps(answer, separators=(",", ":"))
