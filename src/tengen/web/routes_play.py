"""Games against the server."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from tengen.web.requests import DeadRequest, MoveRequest, PlayRequest, TheService, WhoAsks
from tengen.web.routes_games import sgf_file

router = APIRouter(tags=["play"])


@router.post("/api/play")
def start(body: PlayRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Begins a game. The opponent's moves come as `play` events."""
    wish = body.model_dump()
    clock = body.clock
    wish["clock"] = None if clock is None else [clock.main, clock.period, clock.periods]
    return service.plays.start(wish, caller.tab, caller.address)


@router.get("/api/play")
def listed(
    service: TheService, caller: WhoAsks, ids: Annotated[str | None, Query(max_length=4000)] = None
) -> dict[str, Any]:
    """The games of this tab, or those with these ids (joined by commas)."""
    wanted = [id for id in (ids or "").split(",") if id]
    return {"games": service.plays.listed(caller.tab, wanted)}


@router.get("/api/play/{id}")
def state(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """The state of a game."""
    return service.plays.get(id, caller.tab, caller.address)


@router.post("/api/play/{id}/move")
def move(id: str, body: MoveRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Your move. 409 with the state if the game has changed since `version`; 422 if the move is illegal."""
    return service.plays.change(
        id, lambda play, now: play.play(body.vertex, body.version, now), caller.tab, caller.address
    )


@router.post("/api/play/{id}/undo")
def undo(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Takes your last move back, and the answer to it."""
    return service.plays.change(id, lambda play, now: play.undo(now), caller.tab, caller.address)


@router.post("/api/play/{id}/resign")
def resign(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Resigns the game."""
    return service.plays.change(id, lambda play, now: play.resign(now), caller.tab, caller.address)


@router.post("/api/play/{id}/dead")
def dead(id: str, body: DeadRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Marks strings as dead, or as alive if they are marked as dead."""
    return service.plays.change(
        id, lambda play, _: play.toggle_dead(body.vertices), caller.tab, caller.address
    )


@router.post("/api/play/{id}/accept")
def accept(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Accepts the count: the game is over."""
    return service.plays.change(id, lambda play, _: play.accept(), caller.tab, caller.address)


@router.post("/api/play/{id}/resume")
def resume(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Plays on instead of counting: the last passes are taken back."""
    return service.plays.change(id, lambda play, now: play.resume(now), caller.tab, caller.address)


@router.post("/api/play/{id}/hint")
def hint(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """The best moves in your position, as an analysis."""
    return service.plays.hint(id, caller.address)


@router.post("/api/play/{id}/game")
def to_game(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Makes the game a game to review or to estimate."""
    return service.plays.to_game(id, caller.tab)


@router.get("/api/play/{id}/sgf", response_class=Response)
def sgf(id: str, service: TheService) -> Response:
    """The game so far."""
    return sgf_file(service.plays.sgf(id).encode(), "played.sgf")
