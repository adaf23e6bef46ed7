"""The bodies of requests, and who asks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from tengen.web.service import Service

TAB = r"^[A-Za-z0-9_-]{1,64}$"
Id = Annotated[str, Field(min_length=1, max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
Vertex = Annotated[str, Field(min_length=2, max_length=4, description="A point such as Q16, or pass.")]
Colour = Literal["B", "W"]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class StrengthRequest(Body):
    """Whose strength, from which games."""

    games: Annotated[list[Id], Field(min_length=1, max_length=500)]
    player: Name | None = Field(
        None, description="The player; 'black' or 'white' where records have no names."
    )
    net: Name | None = None
    scale: Literal["fox", "kgs", "ogs", "egf"] | None = None


class ReviewRequest(Body):
    game: Id
    net: Name | None = None


class FocusRequest(Body):
    turn: Annotated[int, Field(ge=0, le=100_000)]


class LineMove(Body):
    color: Colour
    vertex: Vertex


class AnalysisRequest(Body):
    """A position of a game, or of a variation (`line`) that begins there."""

    game: Id
    turn: Annotated[int, Field(ge=0, le=100_000)]
    line: Annotated[list[LineMove], Field(max_length=400)] = []
    net: Name | None = None
    visits: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class ClockRequest(Body):
    """Main time and Japanese overtime, in seconds."""

    main: Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]
    period: Annotated[float, Field(ge=0, le=3_600, allow_inf_nan=False)] = 0
    periods: Annotated[int, Field(ge=0, le=100)] = 0


class PlayRequest(Body):
    """A new game against the server."""

    size: Literal[9, 13, 19] = 19
    handicap: Annotated[int, Field(ge=0, le=9)] = 0
    rules: Literal["chinese", "japanese", "tromp-taylor", "aga", "new-zealand"] = "chinese"
    komi: Annotated[float, Field(ge=-150, le=150, multiple_of=0.5, allow_inf_nan=False)] | None = None
    you: Colour = "B"
    clock: ClockRequest | None = None
    net: Name | None = None
    player: Name = "puct"
    visits: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    komi_method: Name | None = None
    options: dict[str, Any] | None = None


class MoveRequest(Body):
    vertex: Vertex
    version: int


class DeadRequest(Body):
    vertices: Annotated[list[Vertex], Field(min_length=1, max_length=400)]


class Caller:
    """Who asks: the tab, if the request names one, and the address."""

    def __init__(self, tab: str, address: str) -> None:
        self.tab = tab
        self.address = address


def caller_of(
    request: Request,
    x_tab: Annotated[
        str | None, Header(pattern=TAB, description="The tab that asks: events go to it.")
    ] = None,
) -> Caller:
    address = request.client.host if request.client else ""
    return Caller(x_tab or "", address)


def service_of(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


WhoAsks = Annotated[Caller, Depends(caller_of)]
TheService = Annotated[Service, Depends(service_of)]
LastEvent = Annotated[str | None, Query(max_length=64)]
