"""KataGo's JSON analysis protocol: one query a line, one answer a line for every turn asked about.

Win rates and leads are Black's unless the query's `overrideSettings` asks for another view. analysis_query.py reads
the queries, scheduler.py does the work, analysis_answer.py writes the answers.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from typing import Any, TextIO

from tengen.engine.about import VERSION, models
from tengen.engine.analysis_answer import answer_of, policy_of
from tengen.engine.analysis_query import FieldError, Query, parse_query
from tengen.engine.lines import Lines
from tengen.engine.options import PlayerMaker
from tengen.engine.prefix import up_to
from tengen.engine.scheduler import Job, Report, Scheduler
from tengen.errors import InputError
from tengen.go.game import Game
from tengen.nets.favour import takes_favour
from tengen.search.player import Limit

MAX_QUERY = 16 << 20


class AnalysisEngine:
    """Reads lines with queries, writes lines with answers; the most urgent first, `workers` of them at a time."""

    def __init__(self, maker: PlayerMaker, limit: Limit, out: TextIO, workers: int = 1) -> None:
        self._maker = maker
        self._limit = limit
        self._card = maker.net.card
        self._out = out
        self._writing = threading.Lock()
        self._is_alone = False  # the client has gone: nobody reads the answers
        self._warned: set[tuple[str, str]] = set()  # of fields and settings, once each
        self._models = models(maker.make())  # options that cannot be are refused before the first query
        self.scheduler = Scheduler(maker.make, workers)

    def serve(self, lines: Lines) -> None:
        """Reads queries until the end of input, and then answers what is left."""
        while not self._is_alone and (line := lines.next()) is not None:
            if line.strip():
                self.receive(line)
        self.finish()

    def finish(self) -> None:
        """Answers what has been asked."""
        self.scheduler.close()

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
            parsed = parse_query(query, self._limit, self._maker)
            self._check_net(parsed.game)
        except FieldError as error:
            answer = {"error": str(error), "field": error.field}
            return self._send(answer | ({"id": identity} if isinstance(identity, str) else {}))
        parsed = self._warn(parsed)
        for turn, priority in zip(parsed.turns, parsed.priorities, strict=True):
            game = up_to(parsed.game, turn)
            job = Job(
                parsed.id,
                game,
                parsed.params.for_analysis(parsed.question, game.position().to_move),
                turn,
                priority,
                parsed.options,
                parsed.include_policy,
            )
            self.scheduler.submit(job, lambda report: self._answer(parsed, report))
        return None

    def _check_net(self, game: Game) -> None:
        """FieldError for a game that the net does not play."""
        try:
            field = "boardXSize"
            self._card.check_size(game.size)
            field = "komi"
            self._card.check_komi(game.komi)
        except InputError as error:
            raise FieldError(field, str(error)) from None

    def _warn(self, query: Query) -> Query:
        """Warns of what has no effect, once each; the query without what the net does not take."""
        if unused := [name for name in query.unused if self._is_new("overrideSettings", name)]:
            names = ", ".join(unused)
            self._send({"field": "overrideSettings", "id": query.id, "warning": f"Unused settings: {names}"})
        for name in query.unknown:
            if self._is_new(name, ""):
                self._send({"field": name, "id": query.id, "warning": "Unknown or unused field"})
        if not query.params.doublings or takes_favour(self._maker.net):
            return query
        if self._is_new("overrideSettings", "playoutDoublingAdvantage"):
            warning = f"Unused settings: playoutDoublingAdvantage: net {self._card.name} does not take it"
            self._send({"field": "overrideSettings", "id": query.id, "warning": warning})
        return replace(query, params=replace(query.params, doublings=0.0))

    def _is_new(self, field: str, name: str) -> bool:
        is_new = (field, name) not in self._warned
        self._warned.add((field, name))
        return is_new

    def _act(self, query: dict[str, Any]) -> None:
        identity = query.get("id")
        if not isinstance(identity, str):
            raise FieldError("id", "Query must have an id, and it must be a string")
        action = query["action"]
        answer: dict[str, Any] = {"action": action, "id": identity}
        if action == "query_version":
            answer |= {"git_hash": "<omitted>", "version": VERSION}
        elif action == "query_models":
            answer["models"] = self._models
        elif action in ("terminate", "terminate_all"):
            turns = query.get("turnNumbers")
            if turns is not None and (not isinstance(turns, list) or any(type(t) is not int for t in turns)):
                raise FieldError("turnNumbers", "Must be a list of integers")
            if turns is not None:
                answer["turnNumbers"] = turns
            if action == "terminate_all":
                self.scheduler.clear(turns)
            elif isinstance(query.get("terminateId"), str):
                answer["terminateId"] = query["terminateId"]
                self.scheduler.terminate(query["terminateId"], turns)
            else:
                raise FieldError("terminateId", "Must be the id of a query")
        elif action != "clear_cache":
            raise FieldError("action", f"Unknown action: {action}")
        self._send(answer)

    def _answer(self, query: Query, report: Report) -> None:
        job = report.job
        head: dict[str, Any] = {"id": job.id, "turnNumber": job.turn}
        if report.error is not None:
            message = f"Internal error: {type(report.error).__name__}: {report.error}"
            return self._send(head | {"error": message})
        head["isDuringSearch"] = not report.is_last
        if report.root is None:
            return self._send(head | {"noResults": True})
        position = job.game.position()
        answer = head | answer_of(query, position, report.root)
        if report.policy is not None:
            answer["policy"] = policy_of(position, report.policy)
        return self._send(answer)

    def _send(self, answer: dict[str, Any]) -> None:
        line = json.dumps(dict(sorted(answer.items())), separators=(",", ":"))
        with self._writing:
            try:
                self._out.write(line + "\n")
                self._out.flush()
            except BrokenPipeError:
                self._is_alone = True
                self.scheduler.clear()


def serve(maker: PlayerMaker, limit: Limit, workers: int = 1) -> None:
    """The protocol on standard input and output."""
    engine = AnalysisEngine(maker, limit, sys.stdout, workers)
    try:
        engine.serve(Lines(sys.stdin.buffer, MAX_QUERY))
    except KeyboardInterrupt:  # native code aborts the process if it ends under a thread that computes
        engine.scheduler.close(wait=False)
        raise
