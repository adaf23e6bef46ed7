"""One game between two contestants."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from tengen.engine.contestant import RESIGN, Contestant, OwnContestant
from tengen.engine.openings import Opening
from tengen.engine.process import EngineError
from tengen.engine.terms import Terms
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.result import Result, ResultKind
from tengen.go.settle import settle


def play_game(
    black: Contestant,
    white: Contestant,
    terms: Terms,
    opening: Opening,
    seed: int,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Game, dict[Color, float], str | None]:
    """Plays one game: the record with its result, the seconds each side took, and the failure that ended it."""
    game = terms.game()
    game.black, game.white = black.name, white.name
    game.moves = list(opening.moves)
    if opening.source:
        game.info["GC"] = f"Opening: {opening.source}"
    sides = {Color.BLACK: black, Color.WHITE: white}
    clocks = {color: terms.time.start() for color in sides}
    spent = dict.fromkeys(sides, 0.0)
    mover = Color.BLACK
    try:
        for mover in sides:
            sides[mover].begin(game, seed + mover)
        position = game.position()
        while not position.is_over and position.move_number < terms.max_moves:
            if stopped():
                raise KeyboardInterrupt
            mover = position.to_move
            started = time.perf_counter()
            move = sides[mover].move(game, clocks[mover])
            took = time.perf_counter() - started
            spent[mover] += took
            clocks[mover] = clocks[mover].after(took)
            if clocks[mover].flagged:
                game.result = Result(ResultKind.TIME, mover.opponent)
                return game, spent, None
            if move == RESIGN:
                game.result = Result(ResultKind.RESIGN, mover.opponent)
                return game, spent, None
            if (why := position.refusal(move, mover)) is not None:
                raise EngineError("illegal", f"{position.vertex(move)} is illegal: {why}")
            position.play(move)
            game.moves.append(Move(mover, move))
            mover = mover.opponent
            sides[mover].told(mover.opponent, position.vertex(move))
    except EngineError as failure:
        kind = ResultKind.TIME if failure.kind == "timeout" else ResultKind.FORFEIT
        game.result = Result(kind, mover.opponent)
        return game, spent, f"{sides[mover].name}: {failure.kind}: {failure}"
    game.result = _count(game, black, white)
    return game, spent, None


def _count(game: Game, black: Contestant, white: Contestant) -> Result:
    """The result that both sides give. If they differ: that of a player of ours, else playouts judge what is dead."""
    claims: list[Result] = []
    for side in (black, white):
        with contextlib.suppress(EngineError):
            if (claim := side.score(game)) is not None:
                claims.append(claim)
    if claims and all(claim.winner == claims[0].winner for claim in claims):
        return claims[0]
    for side in (black, white):
        if isinstance(side, OwnContestant) and (claim := side.score(game)) is not None:
            return claim
    return settle(game.position()).score.result
