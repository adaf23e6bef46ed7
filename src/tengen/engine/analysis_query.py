"""Queries of KataGo's JSON analysis protocol: an object is checked field by field and becomes a Query."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tengen.engine import kata_params, kata_rules
from tengen.engine.barred import bar
from tengen.engine.kata_params import SearchParams
from tengen.engine.options import PlayerMaker
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.position import Position
from tengen.go.rules import Rules, Scoring
from tengen.search.player import Limit, Question

DEFAULT_PV = 15
_NUMBERED = re.compile(r"\((\d{1,2}),(\d{1,2})\)")  # column and row from the upper left, both from 0
_FIELDS = frozenset(
    [
        "id",
        "moves",
        "initialStones",
        "initialPlayer",
        "rules",
        "komi",
        "whiteHandicapBonus",
        "boardXSize",
        "boardYSize",
        "analyzeTurns",
        "maxVisits",
        "includeOwnership",
        "includeOwnershipStdev",
        "includeMovesOwnership",
        "includeMovesOwnershipStdev",
        "includePolicy",
        "includePVVisits",
        "includeNoResultValue",
        "avoidMoves",
        "allowMoves",
        "overrideSettings",
        "reportDuringSearchEvery",
        "firstReportDuringSearchAfter",
        "priority",
        "priorities",
        "analysisPVLen",
    ]
)
_KATAGO_SETTINGS = ("maxVisits", "maxTime", "reportAnalysisWinratesAs")


class FieldError(Exception):
    """A query that cannot be answered, and the field that is at fault."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.field = name


@dataclass(frozen=True, slots=True)
class Query:
    """What one line asks; one job a turn."""

    id: str
    game: Game
    turns: tuple[int, ...]
    priorities: tuple[int, ...]
    question: Question
    params: SearchParams
    view: str = "BLACK"
    pv_length: int = DEFAULT_PV
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the player in `overrideSettings`."""
    unused: tuple[str, ...] = ()
    """Names in `overrideSettings` that are not known here."""
    unknown: tuple[str, ...] = ()
    """Fields of the query that are not known here."""


def _take(query: dict[str, Any], name: str, kind: type | tuple[type, ...], default: Any, what: str) -> Any:
    value = query.get(name, default)
    if value is default:
        return default
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise FieldError(name, f"Must be {what}")
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(name, f"Must be {what}")
    return value


def _color(name: str, value: object) -> Color:
    try:
        return Color.parse(str(value))
    except ValueError:
        raise FieldError(name, f"Could not parse player: {value}") from None


def _point(name: str, size: int, value: object) -> int:
    text = str(value)
    if text.lower() == "pass":
        return size * size
    if (match := _NUMBERED.fullmatch(text)) and max(x := int(match[1]), y := int(match[2])) < size:
        return y * size + x
    try:
        return Position(size).point(text)
    except ValueError:
        raise FieldError(name, f"Could not parse board location: {text}") from None


def parse_query(query: dict[str, Any], limit: Limit, maker: PlayerMaker) -> Query:
    """Checks every field; raises FieldError on the first that is wrong.

    `limit` holds where the query has none of its own; `maker` knows the options of the player.
    """
    identity = query.get("id")
    if not isinstance(identity, str):
        raise FieldError("id", "Query must have an id, and it must be a string")
    width = _take(query, "boardXSize", int, None, "an integer from 2 to 19")
    height = _take(query, "boardYSize", int, None, "an integer from 2 to 19")
    for name, side in (("boardXSize", width), ("boardYSize", height)):
        if side is None or not 2 <= side <= 19:
            raise FieldError(name, "Must be an integer from 2 to 19")
    if width != height:
        raise FieldError("boardYSize", "Must be the same as boardXSize: boards here are square")
    komi = _take(query, "komi", (int, float), None, "a number")
    if komi is not None and (abs(komi) > 150 or komi * 2 != round(komi * 2)):
        raise FieldError("komi", "Must be an integer or half-integer from -150 to 150")
    if "rules" not in query:
        raise FieldError("rules", "Must specify rules")
    try:
        rules = kata_rules.parse(query["rules"], 7.5)
        rules = rules.with_komi(_usual_komi(query["rules"], rules) if komi is None else float(komi))
        if "whiteHandicapBonus" in query:
            rules = kata_rules.changed(rules, "whiteHandicapBonus", query["whiteHandicapBonus"])
    except ValueError as error:
        raise FieldError("rules", str(error)) from None
    game = _game(query, width, rules)
    turns = _take(query, "analyzeTurns", list, None, "a list of turns")
    turns = [len(game.moves)] if turns is None else turns
    for turn in turns:
        if type(turn) is not int or not 0 <= turn <= len(game.moves):
            raise FieldError("analyzeTurns", f"Invalid turn number: {turn}")
    priority = _take(query, "priority", int, 0, "an integer")
    priorities = _take(query, "priorities", list, None, "a list of integers, one a turn")
    if priorities is None:
        priorities = [priority] * len(turns)
    if len(priorities) != len(turns) or any(type(p) is not int for p in priorities):
        raise FieldError("priorities", "Must be a list of integers, one a turn of analyzeTurns")
    settings = _take(query, "overrideSettings", dict, {}, "an object")
    visits = _take(query, "maxVisits", int, settings.get("maxVisits"), "an integer of 1 or more")
    if visits is not None and (type(visits) is not int or visits < 1):
        raise FieldError("maxVisits", "Must be an integer of 1 or more")
    options = {name: value for name, value in settings.items() if name in maker.names}
    limit = _limit(settings, options, visits, limit)
    view = str(settings.get("reportAnalysisWinratesAs", "BLACK")).upper()
    if view not in ("BLACK", "WHITE", "SIDETOMOVE"):
        raise FieldError("overrideSettings", "reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE")
    every, first = (
        _take(query, name, (int, float), None, "a number of seconds")
        for name in ("reportDuringSearchEvery", "firstReportDuringSearchAfter")
    )
    for name, seconds in (("reportDuringSearchEvery", every), ("firstReportDuringSearchAfter", first)):
        if seconds is not None and seconds <= 0:
            raise FieldError(name, "Must be above 0")
    pv_length = _take(query, "analysisPVLen", int, DEFAULT_PV, "an integer of 1 or more")
    if pv_length < 1:
        raise FieldError("analysisPVLen", "Must be an integer of 1 or more")
    ownership = _take(query, "includeOwnership", bool, False, "true or false")
    deviation, moves, moves_deviation = (
        _take(query, name, bool, False, "true or false")
        for name in ("includeOwnershipStdev", "includeMovesOwnership", "includeMovesOwnershipStdev")
    )
    return Query(
        id=identity,
        game=game,
        turns=tuple(turns),
        priorities=tuple(priorities),
        question=Question(
            limit,
            interval=every,
            first_report=first,
            banned=_banned(query, width),
            ownership=ownership or deviation,
            moves_ownership=moves or moves_deviation,
            evaluation=True,
            no_result=_take(query, "includeNoResultValue", bool, False, "true or false"),
        ),
        params=_params(settings),
        view=view,
        pv_length=pv_length,
        include_ownership=ownership,
        include_ownership_stdev=deviation,
        include_moves_ownership=moves,
        include_moves_ownership_stdev=moves_deviation,
        include_policy=_take(query, "includePolicy", bool, False, "true or false"),
        include_pv_visits=_take(query, "includePVVisits", bool, False, "true or false"),
        options=_checked(options, maker),
        unused=tuple(sorted(set(settings) - set(maker.names) - {*_KATAGO_SETTINGS, *kata_params.NAMES})),
        unknown=tuple(sorted(query.keys() - _FIELDS)),
    )


def _limit(settings: dict[str, Any], options: dict[str, Any], visits: int | None, limit: Limit) -> Limit:
    """The bounds of the search: `maxVisits` and `maxTime`, else our own `visits` and `time`, else the usual ones."""
    seconds = settings.get("maxTime", options.get("time", limit.seconds))
    if seconds is not None and (not isinstance(seconds, (int, float)) or not seconds > 0):
        raise FieldError("overrideSettings", "maxTime must be a number above 0")
    visits = options.get("visits", limit.visits) if visits is None else visits
    if visits is not None and (type(visits) is not int or visits < 1):
        raise FieldError("overrideSettings", "visits must be an integer of 1 or more")
    return Limit(visits, seconds)


def _params(settings: dict[str, Any]) -> SearchParams:
    params = SearchParams()
    for name in kata_params.NAMES:
        if name in settings:
            try:
                params = params.changed(name, settings[name])
            except ValueError as error:
                raise FieldError("overrideSettings", f"{name} {error}") from None
    return params


def _checked(options: dict[str, Any], maker: PlayerMaker) -> dict[str, Any]:
    try:
        maker.check(options)
    except InputError as error:
        raise FieldError("overrideSettings", str(error)) from None
    return options


def _usual_komi(given: object, rules: Rules) -> float:
    """Of a preset by name, or of the way of counting."""
    try:
        return Rules.named(str(given)).komi
    except ValueError:
        return 6.5 if rules.scoring is Scoring.TERRITORY else 7.5


def _pairs(query: dict[str, Any], name: str, size: int) -> list[tuple[Color, int]]:
    pairs = []
    for item in _take(query, name, list, [], "a list of pairs of player and location"):
        if not isinstance(item, list) or len(item) != 2:
            raise FieldError(name, "Must be a list of pairs of player and location")
        pairs.append((_color(name, item[0]), _point(name, size, item[1])))
    return pairs


def _game(query: dict[str, Any], size: int, rules: Rules) -> Game:
    setup = Setup()
    for color, point in _pairs(query, "initialStones", size):
        if point == size * size:
            raise FieldError("initialStones", "A stone needs a point")
        (setup.black if color is Color.BLACK else setup.white).append(point)
    if "moves" not in query:
        raise FieldError("moves", "Must specify moves")
    moves = [Move(color, point) for color, point in _pairs(query, "moves", size)]
    first = _color("initialPlayer", query["initialPlayer"]) if "initialPlayer" in query else None
    game = Game(size=size, rules=rules, setup=setup, first_to_move=first, moves=moves)
    try:
        position = game.start()
    except ValueError as error:
        raise FieldError("initialStones", str(error)) from None
    for number, move in enumerate(moves):
        if position.refusal(move.point, move.color) is not None:
            raise FieldError("moves", f"Illegal move {number}: {position.vertex(move.point)}")
        position.play_as(move.color, move.point)
    return game


def _banned(query: dict[str, Any], size: int) -> dict[Color, dict[int, int]]:
    """The moves of each colour that are barred, with the depth from which they are allowed.

    Every list of `avoidMoves` and `allowMoves` holds on its own, up to its own depth.
    """
    if "avoidMoves" in query and "allowMoves" in query:
        raise FieldError("allowMoves", "Cannot specify both allowMoves and avoidMoves")
    name = "allowMoves" if "allowMoves" in query else "avoidMoves"
    banned: dict[Color, dict[int, int]] = {}
    for item in _take(query, name, list, [], "a list of objects"):
        if not isinstance(item, dict) or not isinstance(item.get("moves"), list):
            raise FieldError(name, "Must be a list of objects with player, moves and untilDepth")
        color, depth = _color(name, item.get("player")), item.get("untilDepth")
        if type(depth) is not int or depth < 1:
            raise FieldError(name, "untilDepth must be an integer of 1 or more")
        points = {_point(name, size, v) for v in item["moves"]}
        bar(banned, color, points, depth, size, name == "allowMoves")
    return banned
