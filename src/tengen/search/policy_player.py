"""The policy player: the net's move, without search, as Golois plays on KGS (Cazenave 2017, 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Bagged, Evaluator
from tengen.nets.favour import Favour, favouring
from tengen.search.clock import Clock
from tengen.search.ended import Judge
from tengen.search.ending import Patience, sensible_moves, tidy
from tengen.search.no_result import no_result_chance
from tengen.search.owners import Owned, net_owned
from tengen.search.player import Candidate, Decision, FinalScore, Question, Root, Searched
from tengen.search.settings import PolicySettings

# Golois draws among moves valued above 0.95 times the best and above the best less 0.05.
SHARE_OF_BEST = 0.95
SHOWN = 20  # candidates in a report
BELOW_BEST = 0.05


class NetPlayer:
    """What players without a search tree have in common: the net, how its evaluations are asked for, resignation.

    The net needs a policy. Without win rates they never resign.
    """

    settings: PolicySettings

    def __init__(self, net: Evaluator) -> None:
        net.card.require("policy")
        self._given = net
        self._favour: Favour | None = None
        self._patience = Patience(None)
        self._judge = Judge()
        self._seed, self._random = 0, np.random.default_rng(0)

    def _take(self, settings: PolicySettings) -> None:
        """Other settings; only another seed begins the random numbers anew."""
        self.settings = settings
        self._open()
        if settings.seed != self._seed:
            self._seed, self._random = settings.seed, np.random.default_rng(settings.seed)
        self._patience.terms = settings.resignation

    def _open(self) -> None:
        self._single = self._given if self._favour is None else favouring(self._given, self._favour)
        self.net: Evaluator = Bagged(self._single) if self.settings.bagging else self._single

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        """Does nothing: there is no search to go on with."""

    def _evaluate(self, position: Position, question: Question) -> Evaluation:
        if question.favour != self._favour:
            self._favour = question.favour
            self._open()
        return self._judge.evaluate(self.net, [position])[0]


class PolicyPlayer(NetPlayer):
    """Draws among the net's best moves. The net needs a policy and nothing else.

    It never fills its own eyes or pass-alive territory. It passes when the net's move is a pass and when nothing else
    is left; `tengen.search.ending` says when it does not.
    """

    def __init__(self, net: Evaluator, settings: PolicySettings | None = None) -> None:
        super().__init__(net)
        self.configure(settings or PolicySettings())

    def configure(self, settings: PolicySettings) -> None:
        self._take(settings)

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
        question = question or Question()
        evaluation = self._evaluate(position, question)
        banned = question.banned_at_root(position.to_move)
        allowed = sensible_moves(position)
        allowed[sorted(banned)] = False
        root = net_root(self.net, position, evaluation, question)
        policy = np.where(allowed, given(evaluation.policy), 0.0)
        best = float(policy.max())
        good = np.flatnonzero((policy > best * SHARE_OF_BEST) & (policy > best - BELOW_BEST))
        move = int(self._random.choice(good)) if best > 0 else position.pass_
        move = tidy(position, move, root, self.net, banned)
        return Decision(move, root, self._patience.is_over(position, root))

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        position = game.position()
        yield replace(net_root(self.net, position, self._evaluate(position, question), question), final=True)


def net_root(net: Evaluator, position: Position, evaluation: Evaluation, question: Question) -> Root:
    """The net's evaluation as root statistics: no move has been tried, so all have the root's value."""
    win_rate, lead, policy = evaluation.win, evaluation.lead, given(evaluation.policy)
    score = None
    if (margin := evaluation.margin) is not None:
        score = FinalScore(Lead(margin.mean - position.rules.komi, Color.BLACK), margin.deviation)
    banned = question.banned_at_root(position.to_move)
    moves = [m for m in position.legal_moves if m not in banned]
    moves.sort(key=lambda m: -policy[m])
    owned: list[Owned | None] = [None] * SHOWN
    no_result: list[float | None] = [None] * SHOWN
    if question.moves_ownership or question.no_result:
        after = net.evaluate([position.copy().play(m) for m in moves[:SHOWN]])
        if question.moves_ownership:
            owned = [net_owned(e.ownership) for e in after]
        if question.no_result:
            no_result = [no_result_chance(e, position.rules) for e in after]
    return Root(
        to_move=position.to_move,
        visits=1,
        win_rate=win_rate,
        lead=lead,
        searched=Searched(position.rules.komi, win_rate),
        komi_labels=evaluation.komi_labels,
        win_by_komi=evaluation.win_by_komi,
        candidates=tuple(
            Candidate(
                move=m,
                visits=1,
                prior=float(policy[m]),
                win_rate=win_rate,
                lead=lead,
                variation=(m,),
                variation_visits=(1,),
                owned=own,
                searched_win_rate=win_rate,
                score=score,
                no_result=nothing,
            )
            for m, own, nothing in zip(moves[:SHOWN], owned, no_result, strict=False)
        ),
        owned=net_owned(evaluation.ownership) if question.ownership else None,
        score=score,
        net_lead=lead,
        net_win_by_komi=evaluation.win_by_komi,
        evaluation=evaluation if question.evaluation else None,
    )
