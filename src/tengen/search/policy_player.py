"""The policy player: the net's move, without search, as Golois plays on KGS (Cazenave 2017, 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Evaluator
from tengen.nets.komi import komi_labels_for
from tengen.search.clock import Clock
from tengen.search.ending import Patience, Resignation, sensible_moves, tidy
from tengen.search.owners import Owned, net_owned
from tengen.search.player import Candidate, Decision, Question, Root

# Golois draws among moves valued above 0.95 times the best and above the best less 0.05.
SHARE_OF_BEST = 0.95
SHOWN = 20  # candidates in a report
BELOW_BEST = 0.05


@dataclass(frozen=True, slots=True)
class PolicySettings:
    seed: int = 0
    resignation: Resignation | None = field(default_factory=Resignation)


class PolicyPlayer:
    """Draws among the net's best moves. Golois' nets are bagged: give it a `Bagged` evaluator for that.

    It never fills its own eyes or pass-alive territory. It passes when the net would and when nothing else is
    left; `tengen.search.ending` says when it does not.
    """

    def __init__(self, net: Evaluator, settings: PolicySettings | None = None) -> None:
        self.net = net
        self.settings = settings or PolicySettings()
        self._random = np.random.default_rng(self.settings.seed)
        self._patience = Patience(self.settings.resignation)

    @property
    def name(self) -> str:
        return f"policy {self.net.card.name}"

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        position = game.position()
        evaluation = self._ask(position)
        question = question or Question()
        banned = question.banned_at_root(position.to_move)
        allowed = sensible_moves(position)
        allowed[sorted(banned)] = False
        root = self._root(position, evaluation, question)
        policy = np.where(allowed, given(evaluation.policy), 0.0)
        best = float(policy.max())
        good = np.flatnonzero((policy > best * SHARE_OF_BEST) & (policy > best - BELOW_BEST))
        move = int(self._random.choice(good)) if best > 0 else position.pass_
        if position.pass_ not in banned:
            move = tidy(position, move, root, self.net)
        return Decision(move, root, self._patience.is_over(position, root))

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        position = game.position()
        evaluation = self._ask(position)
        yield self._root(position, evaluation, question)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """It answers at once: there is nothing to think about before."""

    def _ask(self, position: Position) -> Evaluation:
        labels = komi_labels_for(self.net.card, position.size, position.rules.komi)
        return self.net.evaluate([position], komi_labels=labels.tolist())[0]

    def _root(self, position: Position, evaluation: Evaluation, question: Question) -> Root:
        """The net's own opinion as root statistics: no move has been tried, so all have the root's value."""
        win_rate = evaluation.win or WinRate(0.5, Color.BLACK)
        lead = evaluation.lead or Lead(0.0, Color.BLACK)
        policy, nothing = given(evaluation.policy), np.zeros(0, np.float32)
        banned = question.banned_at_root(position.to_move)
        moves = [m for m in position.legal_moves if m not in banned]
        moves.sort(key=lambda m: -policy[m])
        owned: list[Owned | None] = [None] * SHOWN
        if question.moves_ownership and evaluation.ownership is not None:
            after = self.net.evaluate([position.copy().play(m) for m in moves[:SHOWN]])
            owned = [net_owned(given(said.ownership)) for said in after]
        return Root(
            to_move=position.to_move,
            visits=1,
            win_rate=win_rate,
            lead=lead,
            komi=position.rules.komi,
            komi_labels=nothing if evaluation.komi_labels is None else evaluation.komi_labels,
            win_by_komi=nothing if evaluation.win_by_komi is None else evaluation.win_by_komi,
            candidates=tuple(
                Candidate(m, 1, float(policy[m]), win_rate, lead, (m,), (1,), own)
                for m, own in zip(moves[:SHOWN], owned, strict=False)
            ),
            owned=net_owned(evaluation.ownership)
            if question.ownership and evaluation.ownership is not None
            else None,
        )
