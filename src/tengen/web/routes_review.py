"""Reviews, and analyses of single positions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse, Response

from tengen.web.requests import AnalysisRequest, FocusRequest, ReviewRequest, TheService, WhoAsks
from tengen.web.routes_games import sgf_file
from tengen.web.security import REPORT_POLICY

router = APIRouter(tags=["review"])
Turn = Annotated[int, Path(ge=0, le=100_000)]


@router.post("/api/reviews", status_code=202)
def start(body: ReviewRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Reviews a game: the state, and the job that does it. The state grows in `review` events."""
    return service.reviews.start(body.game, body.net, caller.tab, caller.address)


@router.get("/api/reviews/{id}")
def state(id: str, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """The state of a review; one that was cut off goes on."""
    return service.reviews.get(id, caller.tab, caller.address)


@router.delete("/api/reviews/{id}")
def stop(id: str, service: TheService) -> dict[str, Any]:
    """Stops a review; what it has found is kept."""
    return service.reviews.stop(id)


@router.get("/api/reviews/{id}/turns/{n}")
def turn(id: str, n: Turn, service: TheService) -> dict[str, Any]:
    """The deepest analysis of the position after n moves."""
    return service.reviews.turn(id, n)


@router.post("/api/reviews/{id}/focus", status_code=202)
def focus(id: str, body: FocusRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """The position on screen: it gets the next visits, and `analysis` events. The last wish of a tab counts."""
    service.focus(id, body.turn, caller.tab, caller.address)
    return {"review": id, "turn": body.turn}


@router.get("/api/reviews/{id}/annotated.sgf", response_class=Response)
def annotated(id: str, service: TheService) -> Response:
    """The record with a comment at every move, and better lines beside the mistakes."""
    return sgf_file(service.reviews.annotated(id), "review.sgf")


@router.get("/api/reviews/{id}/report.html", response_class=HTMLResponse)
def report(id: str, service: TheService) -> HTMLResponse:
    """The review as one page that loads nothing else."""
    return HTMLResponse(service.reviews.report(id), headers={"content-security-policy": REPORT_POLICY})


@router.post("/api/analyses", status_code=202)
def analyse(body: AnalysisRequest, service: TheService, caller: WhoAsks) -> dict[str, Any]:
    """Searches a position of a game or of a variation; the results come as `analysis` events with this id."""
    line: list[tuple[str, str]] = [(move.color, move.vertex) for move in body.line]
    id = service.analyse(body.game, body.turn, line, body.net, body.visits, caller.tab, caller.address)
    return {"analysis": id}


@router.delete("/api/analyses/{id}", status_code=202)
def stop_analysis(id: str, service: TheService) -> dict[str, Any]:
    """Stops an analysis; nothing happens if it has ended."""
    service.stop_analysis(id)
    return {"analysis": id}
