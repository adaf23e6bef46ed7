"""KataGo's JSON analysis protocol: one query a line, one answer a line for every turn asked about.

Win rates and leads are Black's unless the query's `overrideSettings` asks for another view. Beyond KataGo's
fields an answer's `rootInfo` has `winrateByKomi` (pairs of komi and win rate) and `komiUsed`.
"""

from __future__ import annotations

import itertools
import json
import math
import queue
import re
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, BinaryIO, TextIO

from tengen.engine import kata_rules
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move, Setup
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.go.rules import Rules, Scoring
from tengen.nets.evaluation import given
from tengen.search.owners import Owned
from tengen.search.player import Limit, Player, Question, Root

MAX_QUERY = 16 << 20
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
        "avoidMoves",
        "allowMoves",
        "overrideSettings",
        "reportDuringSearchEvery",
        "priority",
        "priorities",
        "analysisPVLen",
    ]
)


class FieldError(Exception):
    """A query that cannot be answered, and the field that is at fault."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.field = name


@dataclass(frozen=True, slots=True)
class Query:
    """What one line asks; one task a turn."""

    id: str
    game: Game
    turns: tuple[int, ...]
    priorities: tuple[int, ...]
    question: Question
    view: str = "BLACK"
    report_every: float | None = None
    pv_length: int = DEFAULT_PV
    include_ownership: bool = False
    include_ownership_stdev: bool = False
    include_moves_ownership: bool = False
    include_moves_ownership_stdev: bool = False
    include_policy: bool = False
    include_pv_visits: bool = False
    unused: tuple[str, ...] = ()
    """Names in `overrideSettings` that mean nothing here."""
    unknown: tuple[str, ...] = ()
    """Fields of the query that mean nothing here."""


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


def parse_query(query: dict[str, Any], limit: Limit) -> Query:
    """Checks every field; raises FieldError on the first that is wrong."""
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
    visits = _take(query, "maxVisits", int, None, "an integer of 1 or more")
    if visits is not None and visits < 1:
        raise FieldError("maxVisits", "Must be an integer of 1 or more")
    settings = _take(query, "overrideSettings", dict, {}, "an object")
    seconds = settings.get("maxTime", limit.seconds)
    if seconds is not None and (not isinstance(seconds, (int, float)) or not seconds > 0):
        raise FieldError("overrideSettings", "maxTime must be a number above 0")
    view = str(settings.get("reportAnalysisWinratesAs", "BLACK")).upper()
    if view not in ("BLACK", "WHITE", "SIDETOMOVE"):
        raise FieldError("overrideSettings", "reportAnalysisWinratesAs must be BLACK, WHITE or SIDETOMOVE")
    every = _take(query, "reportDuringSearchEvery", (int, float), None, "a number of seconds")
    if every is not None and every <= 0:
        raise FieldError("reportDuringSearchEvery", "Must be above 0")
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
            Limit(visits if visits is not None else limit.visits, seconds),
            interval=every,
            banned=_banned(query, width),
            ownership=ownership or deviation,
            moves_ownership=moves or moves_deviation,
        ),
        view=view,
        report_every=every,
        pv_length=pv_length,
        include_ownership=ownership,
        include_ownership_stdev=deviation,
        include_moves_ownership=moves,
        include_moves_ownership_stdev=moves_deviation,
        include_policy=_take(query, "includePolicy", bool, False, "true or false"),
        include_pv_visits=_take(query, "includePVVisits", bool, False, "true or false"),
        unused=tuple(sorted(k for k in settings if k not in ("maxTime", "reportAnalysisWinratesAs"))),
        unknown=tuple(sorted(query.keys() - _FIELDS)),
    )


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


def _banned(query: dict[str, Any], size: int) -> dict[Color, tuple[frozenset[int], int]]:
    if "avoidMoves" in query and "allowMoves" in query:
        raise FieldError("allowMoves", "Cannot specify both allowMoves and avoidMoves")
    name = "allowMoves" if "allowMoves" in query else "avoidMoves"
    banned: dict[Color, tuple[frozenset[int], int]] = {}
    for item in _take(query, name, list, [], "a list of objects"):
        if not isinstance(item, dict) or not isinstance(item.get("moves"), list):
            raise FieldError(name, "Must be a list of objects with player, moves and untilDepth")
        color, depth = _color(name, item.get("player")), item.get("untilDepth")
        if type(depth) is not int or depth < 1:
            raise FieldError(name, "untilDepth must be an integer of 1 or more")
        points = frozenset(_point(name, size, v) for v in item["moves"])
        if name == "allowMoves":
            points = frozenset(range(size * size + 1)) - points
        before, depth_before = banned.get(color, (frozenset[int](), depth))
        if depth != depth_before:
            raise FieldError(name, "untilDepth must be the same for all moves of a player")
        banned[color] = (before | points, depth)
    return banned


@dataclass(slots=True)
class Task:
    """One turn of a query."""

    query: Query
    turn: int
    stopped: threading.Event = field(default_factory=threading.Event)


class AnalysisEngine:
    """Answers queries, the most urgent first; `workers` of them at a time, each with a player of its own."""

    def __init__(
        self, make_player: Callable[[], Player], limit: Limit, out: TextIO, workers: int = 1
    ) -> None:
        self._make_player = make_player
        self._limit = limit
        self._card = make_player().net.card
        self._out = out
        self._writing = threading.Lock()
        self._tasks: queue.PriorityQueue[tuple[float, int, Task | None]] = queue.PriorityQueue()
        self._order = itertools.count()
        self._open: list[Task] = []
        self._opening = threading.Lock()
        self._workers = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for worker in self._workers:
            worker.start()

    def serve(self, source: BinaryIO) -> None:
        """Reads queries until the end of input, and then answers what is left."""
        while line := source.readline(MAX_QUERY):
            if line.strip():
                self.receive(line.decode("utf-8", "replace"))
        self.finish()

    def finish(self) -> None:
        """Answers what has been asked."""
        for _ in self._workers:
            self._tasks.put((math.inf, next(self._order), None))
        for worker in self._workers:
            worker.join()

    def receive(self, line: str) -> None:
        """Takes one line in; errors are answered at once."""
        try:
            query = json.loads(line)
        except (ValueError, RecursionError):
            return self._send({"error": "Could not parse input line as json"})
        if not isinstance(query, dict):
            return self._send({"error": "Input line must be a json object"})
        identity = query.get("id")
        try:
            if "action" in query:
                return self._act(query)
            parsed = parse_query(query, self._limit)
            try:
                self._card.check_size(parsed.game.size)
            except InputError as error:
                raise FieldError("boardXSize", str(error)) from None
        except FieldError as error:
            answer = {"error": str(error), "field": error.field}
            return self._send(answer | ({"id": identity} if isinstance(identity, str) else {}))
        if parsed.unused:
            names = ", ".join(parsed.unused)
            self._send({"field": "overrideSettings", "id": parsed.id, "warning": f"Unused settings: {names}"})
        for name in parsed.unknown:
            self._send({"field": name, "id": parsed.id, "warning": "Unknown or unused field"})
        for turn, priority in zip(parsed.turns, parsed.priorities, strict=True):
            task = Task(parsed, turn)
            with self._opening:
                self._open.append(task)
            self._tasks.put((-priority, next(self._order), task))
        return None

    def _act(self, query: dict[str, Any]) -> None:
        identity = query.get("id")
        if not isinstance(identity, str):
            raise FieldError("id", "Query must have an id, and it must be a string")
        action = query["action"]
        answer: dict[str, Any] = {"action": action, "id": identity}
        if action == "query_version":
            answer |= {"git_hash": "", "version": f"tengen {version('tengen')}"}
        elif action == "query_models":
            answer["models"] = [{"name": self._card.name}]
        elif action in ("terminate", "terminate_all"):
            turns = query.get("turnNumbers")
            if turns is not None and (not isinstance(turns, list) or any(type(t) is not int for t in turns)):
                raise FieldError("turnNumbers", "Must be a list of integers")
            if action == "terminate":
                if not isinstance(query.get("terminateId"), str):
                    raise FieldError("terminateId", "Must be the id of a query")
                answer["terminateId"] = query["terminateId"]
            if turns is not None:
                answer["turnNumbers"] = turns
            with self._opening:
                for task in self._open:
                    if (action == "terminate_all" or task.query.id == query["terminateId"]) and (
                        turns is None or task.turn in turns
                    ):
                        task.stopped.set()
        elif action != "clear_cache":
            raise FieldError("action", f"Unknown action: {action}")
        self._send(answer)

    def _work(self) -> None:
        while (task := self._tasks.get()[2]) is not None:
            query = task.query
            try:
                self._answer(task)
            except Exception as error:  # one query must not end the others
                message = f"Internal error: {type(error).__name__}: {error}"
                self._send({"error": message, "id": query.id, "turnNumber": task.turn})
            with self._opening:
                self._open.remove(task)

    def _answer(self, task: Task) -> None:
        query = task.query
        head = {"id": query.id, "turnNumber": task.turn}
        if task.stopped.is_set():
            return self._send(head | {"isDuringSearch": False, "noResults": True})
        game = replace(query.game, moves=query.game.moves[: task.turn])
        if query.game.first_to_move is None and query.game.moves:
            game.first_to_move = query.game.moves[0].color
        position = game.position()
        player = self._make_player()
        last: Root | None = None
        for root in player.analyze(game, replace(query.question, stop=task.stopped.is_set)):
            if last is not None:
                self._send(head | {"isDuringSearch": True} | answer_of(query, position, last))
            last = root
        assert last is not None
        answer = head | {"isDuringSearch": False} | answer_of(query, position, last)
        if query.include_policy:
            player.net.card.require("policy", "includePolicy needs it")
            policy = given(player.net.evaluate([position])[0].policy)
            legal = set(position.legal_moves)
            answer["policy"] = [round(float(p), 8) if i in legal else -1 for i, p in enumerate(policy)]
        self._send(answer)
        return None

    def _send(self, answer: dict[str, Any]) -> None:
        line = json.dumps(dict(sorted(answer.items())), separators=(",", ":"))
        with self._writing:
            self._out.write(line + "\n")
            self._out.flush()


def answer_of(query: Query, position: Position, root: Root) -> dict[str, Any]:
    """The fields of an answer that come from the search."""
    view = root.to_move if query.view == "SIDETOMOVE" else Color.parse(query.view)

    def values(win_rate: WinRate, lead: Lead) -> dict[str, float]:
        rate, points = round(win_rate.of(view), 6), round(lead.of(view), 4)
        utility = round(2 * rate - 1, 6)
        return {
            "winrate": rate,
            "scoreLead": points,
            "scoreMean": points,
            "scoreSelfplay": points,
            "utility": utility,
        }

    infos = []
    for order, c in enumerate(root.candidates):
        info: dict[str, Any] = {
            "move": position.vertex(c.move),
            "visits": c.visits,
            "prior": round(c.prior, 8),
        }
        info |= values(c.win_rate, c.lead)
        least = WinRate(c.lower_bound(root.to_move), root.to_move).of(view)
        info |= {
            "lcb": round(least, 6),
            "utilityLcb": round(2 * least - 1, 6),
            "order": order,
            "weight": float(c.visits),
        }
        info["pv"] = [position.vertex(m) for m in c.variation[: query.pv_length]]
        if query.include_pv_visits:
            info["pvVisits"] = list(c.variation_visits[: query.pv_length])
            info["pvEdgeVisits"] = info["pvVisits"]  # the same in a tree without transpositions
        info |= _boards(c.owned, view, query.include_moves_ownership, query.include_moves_ownership_stdev)
        infos.append(info)
    by_komi = [
        [round(float(k), 1), round(WinRate(float(w), Color.BLACK).of(view), 4)]
        for k, w in zip(root.komi_labels, root.win_by_komi, strict=True)
    ]
    top = values(root.win_rate, root.lead)
    root_info: dict[str, Any] = {
        "currentPlayer": root.to_move.letter,
        "visits": root.visits,
        "komiUsed": root.komi,
    }
    root_info |= top | {"lcb": top["winrate"], "weight": float(root.visits), "winrateByKomi": by_komi}
    answer: dict[str, Any] = {"moveInfos": infos, "rootInfo": root_info}
    return answer | _boards(root.owned, view, query.include_ownership, query.include_ownership_stdev)


def _boards(owned: Owned | None, view: Color, mean: bool, deviation: bool) -> dict[str, list[float]]:
    """`ownership` and `ownershipStdev`, where they are wanted."""
    boards: dict[str, list[float]] = {}
    if owned is not None and mean:
        sign = 1 if view is Color.BLACK else -1
        boards["ownership"] = [round(sign * float(x), 6) for x in owned.mean.ravel()]
    if owned is not None and deviation:
        boards["ownershipStdev"] = [round(float(x), 6) for x in owned.deviation.ravel()]
    return boards


def serve(make_player: Callable[[], Player], limit: Limit, workers: int = 1) -> None:
    """The protocol on standard input and output."""
    AnalysisEngine(make_player, limit, sys.stdout, workers).serve(sys.stdin.buffer)
