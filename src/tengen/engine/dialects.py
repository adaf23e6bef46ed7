"""How analysis is written: Leela Zero's, KataGo's, Sabaki's and CGOS's ways, all for the side to move.

Sabaki tells fractions from ten-thousandths by the point in a number, so every fraction here has one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tengen.engine.session import CommandError
from tengen.go.color import Color
from tengen.go.position import Position
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
    avoid: dict[Color, tuple[frozenset[int], int]] = field(default_factory=dict)

    def question(self, stop: Callable[[], bool] | None = None) -> Question:
        wanted = min(self.min_moves, self.max_moves)
        return Question(
            interval=self.interval,
            banned=self.avoid,
            ownership=self.ownership or self.ownership_deviation,
            moves_ownership=self.moves_ownership or self.moves_ownership_deviation,
            min_moves=wanted,
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
                points = frozenset(
                    position.pass_ if v.lower() == "pass" else position.point(v) for v in vertices
                )
                if key == "allow":
                    allowed = True
                    points = frozenset(range(position.pass_ + 1)) - points
                before = request.avoid.get(color, (frozenset[int](), depth))
                if before[1] != depth:
                    raise CommandError("all avoided moves of a colour must have the same depth")
                request.avoid[color] = (before[0] | points, depth)
            elif key == "ownershipstdev":
                request.ownership_deviation = _truth(words.pop(0))
            elif key == "movesownership":
                request.moves_ownership = _truth(words.pop(0))
            elif key == "movesownershipstdev":
                request.moves_ownership_deviation = _truth(words.pop(0))
            elif key == "pvedgevisits":
                if _truth(words.pop(0)):
                    raise CommandError(f"{key} is not supported")
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


def leela(position: Position, root: Root, request: Request) -> str:
    """Win rates and priors in ten-thousandths."""
    mover = root.to_move
    infos = []
    for order, c in enumerate(_shown(root, request)):
        rate = round(c.win_rate.of(mover) * 10_000)
        infos.append(
            f"info move {position.vertex(c.move)} visits {c.visits} winrate {rate} "
            f"prior {round(c.prior * 10_000)} lcb {rate} order {order} pv {_line(position, c)}"
        )
    return " ".join(infos)


def sabaki(position: Position, root: Root, request: Request) -> str:
    mover = root.to_move
    return " ".join(
        f"info move {position.vertex(c.move)} visits {c.visits} winrate {c.win_rate.of(mover):.6f} "
        f"scoreLead {c.lead.of(mover):.2f} prior {c.prior:.6f} order {order} pv {_line(position, c)}"
        for order, c in enumerate(_shown(root, request))
    )


def katago(position: Position, root: Root, request: Request) -> str:
    mover = root.to_move
    infos = []
    for order, c in enumerate(_shown(root, request)):
        rate, lead = c.win_rate.of(mover), c.lead.of(mover)
        infos.append(
            f"info move {position.vertex(c.move)} visits {c.visits} utility {2 * rate - 1:.6f} "
            f"winrate {rate:.6f} scoreMean {lead:.4f} scoreLead {lead:.4f} scoreSelfplay {lead:.4f} "
            f"prior {c.prior:.6f} lcb {rate:.6f} utilityLcb {2 * rate - 1:.6f} order {order} "
            f"pv {_line(position, c)}"
            + (" pvVisits " + " ".join(map(str, c.variation_visits)) if request.pv_visits else "")
            + _boards(
                "movesOwnership", c.owned, mover, request.moves_ownership, request.moves_ownership_deviation
            )
        )
    text = " ".join(infos)
    if request.root_info:
        rate, lead = root.win_rate.of(mover), root.lead.of(mover)
        text += (
            f" rootInfo visits {root.visits} utility {2 * rate - 1:.6f} winrate {rate:.6f} "
            f"scoreMean {lead:.4f} scoreLead {lead:.4f} scoreSelfplay {lead:.4f}"
        )
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


def cgos(position: Position, root: Root) -> str:
    """One line of JSON, as the CGOS server keeps it with a move; `pv` is what follows the move."""
    mover = root.to_move
    answer: dict[str, object] = {
        "winrate": round(root.win_rate.of(mover), 4),
        "score": round(root.lead.of(mover), 2),
        "visits": root.visits,
        "moves": [
            {
                "move": position.vertex(c.move),
                "winrate": round(c.win_rate.of(mover), 4),
                "score": round(c.lead.of(mover), 2),
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
