"""`/strength`: the estimate as a plain HTML form, for browsers without scripts and for curl."""

from __future__ import annotations

import asyncio
import html
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from tengen.errors import InputError
from tengen.strength.words import SCALE_NAMES
from tengen.web.refusal import RefusalError
from tengen.web.requests import TheService, WhoAsks
from tengen.web.service import Service
from tengen.web.uploads import MULTIPART, read_form

router = APIRouter(tags=["form"])
_STYLE = Path(__file__).parent / "form.css"
# Seconds that a browser waits; then it gets a page that looks again by itself.
_PATIENCE = 20.0

_TOP = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>How strong am I? Tengen</title><link rel="stylesheet" href="/form.css">{head}</head><body><main>
<h1><a href="/strength">How strong am I?</a></h1>
"""
_BOTTOM = "</main></body></html>\n"
_FORM = """
<p>Choose game records of one player: SGF, GIB or NGF files, or a zip of them. The more moves, the narrower the
estimate.</p>
<form method="post" action="/strength" enctype="multipart/form-data">
<p><label>Games <input type="file" name="files" multiple required accept=".sgf,.gib,.ngf,.zip"></label></p>
<p><label>Player, if the games do not show it <input name="player" maxlength="100" autocomplete="off"></label></p>
<p><label>Ranks of <select name="scale">{scales}</select></label></p>
<p><button>Estimate</button></p></form>
<p>From a terminal:</p>
<pre>curl -F files=@game.sgf -H 'Accept: application/json' {address}/strength</pre>
"""


_ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": "The estimate." if status == 200 else "The form again, with the reason.",
        "content": {"text/html": {}, "application/json": {}},
    }
    for status in (200, 400, 404, 413, 415, 422, 429)
}


@router.get("/form.css", include_in_schema=False)
async def style() -> FileResponse:
    return FileResponse(_STYLE, media_type="text/css", headers={"cache-control": "no-cache"})


@router.get("/strength", response_class=HTMLResponse, responses=_ANSWERS)
async def show_form(request: Request, service: TheService, job: str | None = None) -> Response:
    """The form, or the estimate of a job."""
    if job is None:
        return HTMLResponse(_page(_form(request)))
    return await _shown(service, job[:64])


_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {"multipart/form-data": MULTIPART}}}


@router.post("/strength", openapi_extra=_BODY, response_class=HTMLResponse, responses=_ANSWERS)
async def estimate(request: Request, service: TheService, caller: WhoAsks) -> Response:
    """Estimates a player's strength from files. It waits for the estimate, and answers with JSON where `Accept`
    asks for it, with a page otherwise. Fields: `files`, `player`, `scale`, `net`."""
    as_json = "application/json" in request.headers.get("accept", "")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    fields: dict[str, str] = {}
    ids: list[str] = []
    try:
        if kind not in ("multipart/form-data", "application/x-www-form-urlencoded"):
            raise RefusalError(415, "send a form: multipart/form-data with the field 'files'")
        uploads, fields = await read_form(request, service.limits)
        ids = [id for id in fields.get("games", "").split(",")[: service.limits.files] if id]
        if not ids:
            added = await run_in_threadpool(service.games.add_uploads, uploads, caller.tab)
            ids = [game["id"] for game in added["games"]]
        job = await run_in_threadpool(
            service.strengths.start,
            ids,
            fields.get("player", "")[:100] or None,
            fields.get("net") or None,
            fields.get("scale") or None,
            caller.tab,
            caller.address,
        )
    except (RefusalError, InputError) as error:
        refusal = error if isinstance(error, RefusalError) else RefusalError(422, str(error))
        if as_json:
            raise refusal from None
        return HTMLResponse(_page(_refused(request, refusal, ids, fields)), refusal.status)
    waited = 0.0
    try:
        while not job.ended.is_set() and (as_json or waited < _PATIENCE):
            await asyncio.sleep(0.05)
            waited += 0.05
            if as_json and await request.is_disconnected():
                service.jobs.cancel(job.id)
                return Response(status_code=499)
    except asyncio.CancelledError:
        service.jobs.cancel(job.id)
        raise
    if not as_json:
        return await _shown(service, job.id)
    if job.state != "done":
        raise RefusalError(422, job.error or "the estimate was cancelled")
    return JSONResponse(job.result["report"])


async def _shown(service: Service, id: str) -> Response:
    try:
        job = await run_in_threadpool(service.jobs.get, id)
    except RefusalError as refusal:
        return HTMLResponse(_page(_paragraph(str(refusal))), refusal.status)
    if job["kind"] != "strength":
        return HTMLResponse(_page(_paragraph("This is no estimate.")), 404)
    if job["state"] in ("waiting", "running"):
        place = f", number {job['place']} in line" if job["place"] else ""
        progress = job["progress"]
        how_far = (
            f", {progress['done']:.0f} of {progress['total']:.0f} moves"
            if progress and progress["total"]
            else ""
        )
        again = f'<meta http-equiv="refresh" content="3; url=/strength?job={html.escape(id)}">'
        return HTMLResponse(_page(_paragraph(f"The estimate is {job['state']}{place}{how_far}."), again))
    if job["state"] != "done":
        return HTMLResponse(_page(_paragraph(job["error"] or "The estimate was cancelled.")), 422)
    return HTMLResponse(_page(_report(id, job["result"]["report"])))


def _page(body: str, head: str = "") -> str:
    return _TOP.format(head=head) + body + _BOTTOM


def _paragraph(text: str) -> str:
    return f"<p>{html.escape(text)}</p>"


def _form(request: Request) -> str:
    scales = "".join(f'<option value="{name}">{title}</option>' for name, title in SCALE_NAMES.items())
    address = html.escape(f"{request.url.scheme}://{request.headers.get('host', '')}")
    return _FORM.format(scales=scales, address=address)


def _refused(request: Request, refusal: RefusalError, ids: list[str], fields: dict[str, str]) -> str:
    """The reason; where the player must be chosen, the choice."""
    text = f'<p class="error" role="alert">{html.escape(str(refusal))}</p>'
    players = refusal.fields.get("players")
    if not players or not ids:
        return text + _form(request)
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{html.escape(value)}">'
        for name, value in (
            ("games", ",".join(ids)),
            ("scale", fields.get("scale", "")),
            ("net", fields.get("net", "")),
        )
    )
    buttons = "".join(
        f'<p><button name="player" value="{html.escape(player["name"])}">{html.escape(player["name"])}</button> '
        f"{player['games']} game{'s' if player['games'] != 1 else ''}</p>"
        for player in players
    )
    return (
        f'{text}<form method="post" action="/strength" enctype="multipart/form-data">{hidden}'
        f"<h2>Whose strength?</h2>{buttons}</form>"
    )


def _report(id: str, report: dict[str, Any]) -> str:
    escape = html.escape
    rows = "".join(
        f"<tr><td>{escape(row['file'])}</td><td>{row['moves']}</td><td>{escape(row['rank'] or '')}</td>"
        f"<td>{escape(' to '.join(row['ranks80'] or []))}</td></tr>"
        for row in report["by_game"]
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in report["notes"])
    moves = "".join(
        f"<h2>Moves that {word} the estimate most</h2><ul>"
        + "".join(
            f"<li>{escape(m['file'])}, move {m['move']}: {m['color']} {m['vertex']} ({m['influence']:+.2f})</li>"
            for m in report[word]
        )
        + "</ul>"
        for word in ("raised", "lowered")
        if report[word]
    )
    others = "".join(
        f"<li>{escape(o['scale'].upper())}: about {escape(o['rank'])}</li>" for o in report["other_scales"]
    )
    return (
        f"<p><strong>{escape(report['player'])}</strong> {escape(report['sentence'])}.</p>"
        f"<p>From {report['moves']:,} moves of {report['games']:,} games. "
        f"The net that judges: {escape(report['net_sentence'])}.</p>"
        f'<p><img src="/api/strength/{escape(id)}.png" alt="The estimate and its intervals, game by game"></p>'
        + (f"<h2>To be kept in mind</h2><ul>{notes}</ul>" if notes else "")
        + f"<h2>Game by game</h2><table><tr><th>game</th><th>moves</th><th>rank</th><th>80 %</th></tr>{rows}</table>"
        + moves
        + (f"<h2>On other servers, approximately</h2><ul>{others}</ul>" if others else "")
        + f'<p><a href="/api/strength/{escape(id)}.json">As JSON</a></p>'
    )
