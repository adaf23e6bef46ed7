"""Info, nets, events, jobs and games."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from tengen.web.refusal import RefusalError
from tengen.web.requests import TAB, LastEvent, TheService, WhoAsks
from tengen.web.uploads import MULTIPART, read_form

router = APIRouter()


@router.get("/api/info", tags=["info"])
def info(service: TheService) -> dict[str, Any]:
    """What the server can do: nets, players, rules, limits, examples."""
    return service.info()


@router.post("/api/nets/{name}/pull", status_code=202, tags=["info"])
def pull(name: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Brings one of KataGo's nets to the server: a job of kind "pull"."""
    return service.pull(name, caller.tab)


@router.get("/api/events", tags=["events"], response_class=StreamingResponse)
async def events(
    service: TheService,
    tab: Annotated[str, Query(pattern=TAB)],
    last: LastEvent = None,
    last_event_id: Annotated[str | None, Header(max_length=64)] = None,
) -> StreamingResponse:
    """The event stream of a tab. `Last-Event-ID`, or `last`, resumes after that event."""
    stream = service.hub.stream(tab, last_event_id or last)
    return StreamingResponse(
        stream,
        media_type="text/event-stream",
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


@router.get("/api/jobs/{id}", tags=["jobs"])
def job(id: str, service: TheService) -> dict[str, Any]:
    """A job: its state, place in line, progress, and its result when it is done."""
    return service.jobs.get(id)


@router.delete("/api/jobs/{id}", tags=["jobs"])
def cancel_job(id: str, service: TheService) -> dict[str, Any]:
    """Cancels a job."""
    return service.jobs.cancel(id)


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": MULTIPART,
            "application/json": {
                "schema": {
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {"sgf": {"type": "string"}},
                            "required": ["sgf"],
                            "additionalProperties": False,
                        },
                        {
                            "type": "object",
                            "properties": {"example": {"type": "string"}},
                            "required": ["example"],
                            "additionalProperties": False,
                        },
                    ]
                }
            },
        },
    }
}


@router.post("/api/games", tags=["games"], openapi_extra=_BODY)
async def add_games(request: Request, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Adds games: files (.sgf, .gib, .ngf, or .zip of these), the text of one SGF, or an example by name."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    games, tab = service.games, caller.tab
    if kind == "multipart/form-data":
        uploads, _ = await read_form(request, service.limits)
        return await run_in_threadpool(games.add_uploads, uploads, tab)
    if kind != "application/json":
        raise RefusalError(415, "send multipart/form-data with files, or application/json")
    data = await request.body()
    if len(data) > service.limits.body_bytes:
        raise RefusalError(413, f"the game is larger than {service.limits.file_bytes / 1e6:g} MB")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise RefusalError(400, "the body is no JSON") from None
    match body:
        case {"sgf": str(text), **rest} if not rest:
            return await run_in_threadpool(games.add_text, text, tab)
        case {"example": str(name), **rest} if not rest:
            return await run_in_threadpool(games.add_example, name, tab)
    raise RefusalError(422, 'send {"sgf": "..."} or {"example": "..."}')


@router.get("/api/games", tags=["games"])
def list_games(service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """The games of this tab, the newest first."""
    return {"games": service.games.of_tab(caller.tab) if caller.tab else []}


@router.get("/api/games/{id}", tags=["games"])
def get_game(id: str, service: TheService) -> dict[str, Any]:
    """A game with its setup and moves."""
    return service.games.whole(id)


@router.get("/api/games/{id}/sgf", tags=["games"], response_class=Response)
def game_sgf(id: str, service: TheService) -> Response:
    """The record as it was sent, in UTF-8."""
    return sgf_file(service.games.sgf(id), "game.sgf")


def sgf_file(data: bytes, name: str) -> Response:
    """`name` is one of ours, never a user's."""
    return Response(
        data,
        media_type="application/x-go-sgf",
        headers={"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
    )
