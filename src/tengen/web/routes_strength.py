"""Estimates of strength."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from tengen.web.requests import StrengthRequest, TheService, WhoAsks

router = APIRouter(tags=["strength"])


@router.post("/api/strength", status_code=202)
def start(body: StrengthRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Estimates a player's strength from games: a job of kind "strength", whose result has the report.

    Where it is not clear whose strength is meant, the answer is 422 with the players to choose from.
    """
    job = service.strengths.start(body.games, body.player, body.net, body.scale, caller.tab, caller.address)
    return service.jobs.to_json(job)


@router.get("/api/strength/{job}.json", response_class=Response)
def report(job: str, service: TheService) -> Response:
    """The report of a job that is done, as a file."""
    text = json.dumps(service.strengths.report(job), ensure_ascii=False, indent=2)
    return Response(
        text,
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="strength.json"'},
    )


@router.get("/api/strength/{job}.png", response_class=Response)
def picture(job: str, service: TheService) -> Response:
    """The report of a job that is done, drawn."""
    return Response(service.strengths.picture(job), media_type="image/png")
