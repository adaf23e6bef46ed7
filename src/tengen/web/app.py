"""The FastAPI app: routes, errors, the built page."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from tengen.errors import InputError
from tengen.web import form, routes_games, routes_play, routes_review, routes_strength
from tengen.web.refusal import RefusalError
from tengen.web.security import Guard
from tengen.web.service import Service

STATIC = Path(__file__).parent / "static"
_ERROR = {
    "description": "What was wrong and what to do.",
    "content": {
        "application/json": {
            "schema": {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
        }
    },
}
_ERRORS: dict[int | str, dict[str, Any]] = dict.fromkeys(
    (400, 403, 404, 405, 409, 413, 415, 421, 422, 429, 503), _ERROR
)


def make_app(service: Service, host: str = "127.0.0.1", names: Iterable[str] = ()) -> FastAPI:
    """The app of a service, which it closes at its end."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = 64
        service.warm_up()
        yield
        service.close()

    app = FastAPI(
        title="Tengen",
        version=version("tengen"),
        description="Estimate strength, review games and play. All values are in Black's view. See docs/api.md.",
        lifespan=lifespan,
        docs_url=None,  # their pages load from other hosts
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=_ERRORS,
    )
    app.state.service = service
    app.add_middleware(Guard, limits=service.limits, host=host, names=tuple(names))
    app.add_exception_handler(RefusalError, _refused)
    app.add_exception_handler(InputError, _bad_input)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    for routes in (routes_games, routes_strength, routes_review, routes_play, form):
        app.include_router(routes.router)
    _add_page(app)
    return app


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, RefusalError)
    return JSONResponse(error.to_json(), error.status)


def _bad_input(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 422)


def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path", "header"))
    sentence = f"{where[:80]}: {first['msg']}" if where else first["msg"]
    return JSONResponse({"error": sentence}, 422)


def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    sentence = "there is no such page" if error.status_code == 404 else str(error.detail)
    return JSONResponse({"error": sentence}, error.status_code, headers=error.headers)


def _add_page(app: FastAPI) -> None:
    """The files of the built page. They are read at the start: no address can reach any other file."""
    for file in sorted(STATIC.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            send = _sender(file)
            app.add_route(f"/{file.relative_to(STATIC).as_posix()}", send, methods=["GET", "HEAD"])
            if file == STATIC / "index.html":
                app.add_route("/", send, methods=["GET", "HEAD"])


def _sender(file: Path) -> Any:
    """Answers with the file, or with 304 to a browser that has it: the tag is the hash of its content."""
    data = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = {"etag": f'"{hashlib.sha256(data).hexdigest()[:32]}"', "cache-control": "no-cache"}

    async def send(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=kind, headers=headers)

    return send
