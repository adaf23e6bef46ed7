"""Estimates of strength: the job, and what the page gets."""

from __future__ import annotations

from typing import Any

from tengen.errors import InputError
from tengen.go.game import Game
from tengen.strength.estimate import Estimate, estimate, find_player
from tengen.strength.plot import draw
from tengen.strength.words import axis, other_scales, sentence
from tengen.web.games import Games, players_of
from tengen.web.jobs import Job, Jobs
from tengen.web.limits import Limits
from tengen.web.nets import Nets, Polite
from tengen.web.refusal import RefusalError
from tengen.web.turns import Priority, Task


class Strengths:
    """Estimates from games that are on the server."""

    def __init__(self, jobs: Jobs, games: Games, nets: Nets, limits: Limits) -> None:
        self._jobs, self._games, self._nets, self._limits = jobs, games, nets, limits

    def start(
        self, ids: list[str], player: str | None, net: str | None, scale: str | None, tab: str, address: str
    ) -> Job:
        """RefusalError, with the players to choose from, if it is not clear whose strength is meant."""
        if not ids:
            raise RefusalError(422, "name at least one game")
        name = self._nets.check(net)
        found = [self._games.get(id) for id in ids]
        games = [game for game, _ in found]
        files = [facts["file"] for _, facts in found]
        chosen = player.strip() if player else None
        try:
            find_player(games, chosen or None)
        except InputError as error:
            raise RefusalError(422, _for_page(str(error)), players=_choices(games)) from None
        return self._jobs.start(
            "strength",
            lambda job, task: {"report": self._report(job, task, ids, files, games, chosen, name, scale)},
            Priority.SCREEN,
            tab,
            address,
            self._limits.job_seconds,
        )

    def _report(
        self,
        job: Job,
        task: Task,
        ids: list[str],
        files: list[str],
        games: list[Game],
        player: str | None,
        net: str,
        scale: str | None,
    ) -> dict[str, Any]:
        model = self._nets.model(net)
        evaluator = Polite(self._nets.open(net), task)
        report = estimate(games, player or None, evaluator, model, scale=scale, progress=job.report)
        table = report.to_json(files)
        for key, places in (
            ("by_game", [at for at, _ in report.by_game]),
            ("raised", [move.game for move in report.raised]),
            ("lowered", [move.game for move in report.lowered]),
        ):
            for row, at in zip(table[key], places, strict=True):
                row["game"] = ids[at]
        whole = report.whole
        return table | {
            "sentence": sentence(whole),
            "rank_words": whole.words(whole.rating),
            "other_scales": other_scales(whole),
            "axis": axis(whole),
            "net": net,
            "net_sentence": self._nets.sentence(net),
        }

    def report(self, id: str) -> dict[str, Any]:
        """The report of a job that is done."""
        job = self._jobs.get(id)
        if job["kind"] != "strength" or job["state"] != "done":
            raise RefusalError(404, "there is no estimate with this id, or it is not ready yet")
        report: dict[str, Any] = job["result"]["report"]
        return report

    def picture(self, id: str) -> bytes:
        """The picture of an estimate, as PNG."""
        report = self.report(id)
        by_game = [(row["file"], Estimate.from_json(row)) for row in report["by_game"]]
        return draw(report["player"], Estimate.from_json(report), by_game)


def _choices(games: list[Game]) -> list[dict[str, Any]]:
    """Who may be meant: the players, or the sides where records name nobody, or one name for both."""
    named = players_of(games)
    if not named or any(game.black == game.white for game in games):
        named += [{"name": side, "games": len(games)} for side in ("black", "white")]
    return named


def _for_page(error: str) -> str:
    """The same sentence without the command line's options."""
    for option in ("with --player NAME", "with --player black or --player white"):
        error = error.replace(f" {option}", "")
    return error
