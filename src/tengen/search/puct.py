"""PUCT, as CGI searches (Wu et al. 2017, II.B and III): net and guided rollouts mixed at every leaf.

The native tree selects a batch of leaves under virtual loss, the net evaluates them, the tree expands them. Selection,
expansion and backup are in native/tree.cpp; this file asks the net and keeps the limits; tree_report.py makes the
reports.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Cached, Evaluator
from tengen.nets.favour import Favour, favouring
from tengen.nets.komi import komi_labels_for
from tengen.search.clock import Clock, Pace
from tengen.search.ended import Judge, before_passes
from tengen.search.ending import Patience, is_late, outlook, tidy
from tengen.search.game_komi import GameKomi
from tengen.search.leaf_sums import LeafSums
from tengen.search.player import Decision, Limit, Question, Root
from tengen.search.settings import PuctSettings
from tengen.search.symmetric import copies_of_moves
from tengen.search.thinking import is_enough
from tengen.search.tree_report import CHOICE_SHARE, float32, ranked, root_of

# With time for fewer evaluations than these, none is spent on whether the game has ended.
SCRAMBLE_LEAVES = 5
# Share of the best move's visits that a move needs to be drawn in the opening.
VARIETY_SHARE = 0.25
# Share of the tree's visits that one batch may add.
BATCH_SHARE = 1 / 16


class PuctPlayer:
    """Searches for the komi that a question names, else for the one that the komi method chooses.

    The search of one move is kept for the next move of the same game. The net needs a policy; a net without win rates
    needs rollouts, which then give all values.
    """

    def __init__(self, net: Evaluator, settings: PuctSettings | None = None) -> None:
        net.card.require("policy")
        self._given = net
        self._favour: Favour | None = None
        self.net = net
        self._root_net = Cached(net, capacity=16)  # a report may need the root's evaluation again
        self.tree: _native.Tree | None = None
        self._sums = LeafSums(self._ask)
        self._patience = Patience(None)
        self._judge = Judge()
        self._komi = GameKomi()
        self._leaf_seconds = 0.0  # of the last search
        self._helper: ThreadPoolExecutor | None = None
        self._seed, self._random = 0, np.random.default_rng(0)
        self._symmetries = np.random.default_rng([0, 8])
        self.configure(settings or PuctSettings())

    def configure(self, settings: PuctSettings) -> None:
        """Takes other settings. The tree stays, unless its memory changes, or rollouts begin or end."""
        if not settings.rollouts:
            self.net.card.require(
                "win_by_komi",
                "search with rollouts (rollouts=32), choose the player policy, or choose a net that has them",
            )
        self._komi.configure(settings.komi_method, settings.komi_terms, self.net.card, settings.rollouts)
        terms = settings.tree(self.net.card.has("win_by_komi"))
        if self.tree is not None:
            old = self.tree.settings
            if old.memory == terms.memory and bool(old.rollouts) == bool(terms.rollouts):
                self.tree.configure(terms)
            else:
                self.tree = None
        if settings.seed != self._seed:
            self._seed, self._random = settings.seed, np.random.default_rng(settings.seed)
            self._symmetries = np.random.default_rng([settings.seed, 8])
        self.settings = settings
        self._patience.terms = settings.resignation

    @property
    def name(self) -> str:
        return f"puct {self.net.card.name}"

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        started = time.perf_counter()
        position = game.position()
        question = question or Question()
        if self._komi.reads_ownership(game, playing=True):
            question = replace(question, ownership=True)
        pace = None if clock is None else clock.pace(position.move_number, position.size)
        limit = question.limit or self.settings.limit(timed=pace is not None)
        if pace is not None and limit != Limit():  # a limit that was asked for is used up, and no more
            limit, pace = limit.within(Limit(seconds=pace.usual)), None
        elif pace is not None:
            limit = Limit(seconds=pace.most)
        is_scramble = limit.seconds is not None and limit.seconds < SCRAMBLE_LEAVES * self._leaf_seconds
        # Before the search, because its time counts.
        seen = outlook(position, self._root_net) if is_late(position) and not is_scramble else None
        with self._tree_for(game, position, question, position.to_move) as tree:
            for _ in self._grow(tree, position, limit, question, started, pace):
                if report:
                    report(self._report(tree, position, question))
            root = self._report(tree, position, question)
            move = self._pick(tree, position, root, question)
        if question.komi is None:
            self._komi.remember(game, root)
        banned = question.banned_at_root(position.to_move)
        if not is_scramble:
            move = tidy(position, move, root, self._root_net, banned, seen)
        return Decision(move, root, self._patience.is_over(position, root))

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        started = time.perf_counter()
        position = game.position()
        with self._tree_for(game, position, question, None) as tree:
            limit = question.limit or Limit()
            if position.is_over:
                limit = limit.within(Limit(visits=1))  # there is nothing to search behind two passes
            for _ in self._grow(tree, position, limit, question, started):
                yield self._report(tree, position, question)
            yield replace(self._report(tree, position, question), final=True)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        position, question = game.position(), Question(stop=stop, favour=self._favour)
        with self._tree_for(game, position, question, position.to_move.opponent) as tree:
            for _ in self._grow(tree, position, Limit(), question, time.perf_counter()):
                pass

    @contextmanager
    def _tree_for(
        self, game: Game, position: Position, question: Question, player: Color | None
    ) -> Iterator[_native.Tree]:
        """The tree of the position, for the time of one question with its komi and without the moves it bars.

        player: the side for which a move of the game is searched; None for an analysis.
        """
        self._judge_for(question.favour)
        tree = self._tree_at(position)
        known, errors = tree.visits, 0.0 if player is None else self.settings.opponent_errors
        tree.set_errors((player or position.to_move).opponent, errors)
        if tree.visits < known:  # it was grown for another opponent
            self._sums = LeafSums(self._ask)
        game_komi = float32(position.rules.komi)
        wanted = question.komi
        if wanted is None:
            wanted = self._komi.komi(game, player is not None, lambda: self._first_look(tree, position))
        wanted = float32(wanted)
        self._check_komi(wanted, tree.komi_labels)
        banned = {color: dict(moves) for color, moves in question.banned.items()}
        if copies := self._copies(position, question):
            banned[position.to_move] = dict.fromkeys(copies, 1) | banned.get(position.to_move, {})
        for color, moves in banned.items():
            tree.restrict(color, moves)
        _search_for(tree, wanted)
        tree.set_root_noise(question.root_noise)
        try:
            yield tree
        finally:
            for color in banned:
                tree.restrict(color, {})
            _search_for(tree, game_komi)
            tree.set_root_noise(0.0)

    def _first_look(self, tree: _native.Tree, position: Position) -> Root:
        """The position as it is known before the search: evaluated once at least."""
        question = Question(ownership=True)
        if not tree.visits:
            self._batch(tree, position, 1, question, 1)
        return self._report(tree, position, question)

    def _judge_for(self, favour: Favour | None) -> None:
        """The net judges for these players from here on; what it said for others is dropped."""
        if favour == self._favour:
            return
        self.net = self._given if favour is None else favouring(self._given, favour)
        self._root_net = Cached(self.net, capacity=16)
        self._favour, self.tree, self._sums = favour, None, LeafSums(self._ask)

    def _copies(self, position: Position, question: Question) -> dict[int, tuple[int, int]]:
        deeper = any(depth > 1 for moves in question.banned.values() for depth in moves.values())
        if not question.merge_symmetric or deeper:  # moves are not equal if one of their answers is barred
            return {}
        banned = question.banned_at_root(position.to_move)
        return copies_of_moves(position, banned, lambda: given(self._ask(position).policy))

    def _tree_at(self, position: Position) -> _native.Tree:
        """The tree with this position as its root."""
        labels = komi_labels_for(self.net.card, position.size, position.rules.komi).tolist()
        self._check_komi(float32(position.rules.komi), labels)
        tree = self.tree
        if tree is not None and tree.root.size == position.size and tree.komi_labels == labels:
            tree.move_to(position)  # a root that the tree does not know is evaluated with the first batch
            return tree
        tree = _native.Tree(position, labels, self.settings.tree(self.net.card.has("win_by_komi")))
        root = [self._ask(position)]
        tree.select(1, 1)
        tree.roll_out(self.settings.threads)
        self._judge.count(tree, [position], root)
        _expand(tree, root)
        self.tree = tree
        return tree

    def _check_komi(self, komi: float, labels: list[float]) -> None:
        if not labels[0] <= komi <= labels[-1]:
            raise InputError(
                f"komi {komi:g} is outside of the komi labels {labels[0]:g} to {labels[-1]:g} that net "
                f"{self.net.card.name} is searched with: choose a komi between them"
            )

    def _grow(
        self,
        tree: _native.Tree,
        position: Position,
        limit: Limit,
        question: Question,
        started: float,
        pace: Pace | None = None,
    ) -> Iterator[None]:
        """Searches up to the limit, whose seconds count from `started`; yields at every interval.

        With a pace it may end before (tengen.search.thinking). A batch is begun only if it will probably end in time.
        It may take half of the time that is left, so that the last ones are small: other programs may slow them down.
        """
        now = time.perf_counter()
        report_at = now + question.first_wait()
        leaf_seconds = 0.0  # of this question's last batches; the first batch under a limit is one leaf
        visits = limit.visits if limit.visits is not None else 2**31
        while tree.visits < visits:
            most = self.settings.batch
            if limit.seconds is not None:
                left = limit.seconds - (now - started)
                affordable = left / leaf_seconds if leaf_seconds else float(left > 0)
                most = min(most, max(int(affordable / 2), int(affordable >= 1)))
                if most < 1:
                    break
            before = tree.visits
            if not self._batch(tree, position, visits, question, most):
                break
            begun, now = now, time.perf_counter()
            if (added := tree.visits - before) > 0:
                # A slower batch counts at once, a faster one by half: other programs may need the cores again.
                took = (now - begun) / added
                leaf_seconds = self._leaf_seconds = max(took, 0.5 * (took + leaf_seconds))
            if question.stop is not None and question.stop():
                break
            if pace is not None and leaf_seconds:
                order = ranked(tree, position, question)
                if is_enough(pace, order, position.to_move, CHOICE_SHARE, now - started, leaf_seconds):
                    break
            if now >= report_at:
                report_at = now + question.next_wait()
                yield

    def _batch(
        self, tree: _native.Tree, position: Position, visits: int, question: Question, most: int
    ) -> bool:
        """Evaluates one batch of leaves, at most so many; False when there are none."""
        before = tree.visits
        n = tree.select(min(most, max(1, int(before * BATCH_SHARE))), visits)
        if n == 0:
            return tree.visits > before
        leaves = [_as_position(tree.leaf(i), position) for i in range(n)]
        turned = self._symmetries.integers(8, size=n).tolist() if self.settings.symmetries else None

        def evaluate() -> list[Evaluation]:
            boards = [before_passes(leaf) for leaf in leaves]
            return self.net.evaluate(boards, komi_labels=tree.komi_labels, symmetries=turned)

        try:
            if self.settings.rollouts and self.settings.threads > 1:
                if self._helper is None:
                    self._helper = ThreadPoolExecutor(1, "rollouts")
                rolling = self._helper.submit(tree.roll_out, self.settings.threads - 1)
                try:
                    evaluations = evaluate()
                finally:
                    wait([rolling])  # the rollouts use the leaves, so they end before the leaves are dropped
                rolling.result()
            else:
                tree.roll_out(1)
                evaluations = evaluate()
            self._judge.count(tree, leaves, evaluations)
            _expand(tree, evaluations)
        except BaseException:
            tree.abandon()
            raise
        self._sums.add(position, question, leaves, evaluations)
        return True

    def _report(self, tree: _native.Tree, position: Position, question: Question) -> Root:
        copies = self._copies(position, question)
        said = self._ask(position) if question.evaluation else None
        return root_of(tree, position, question, self._sums, copies, said)

    def _ask(self, position: Position) -> Evaluation:
        """What the net says of a position; what was asked lately is not asked again."""
        labels = komi_labels_for(self.net.card, position.size, position.rules.komi).tolist()
        return self._root_net.evaluate([before_passes(position)], komi_labels=labels)[0]

    def _pick(self, tree: _native.Tree, position: Position, root: Root, question: Question) -> int:
        candidates = root.candidates
        if not candidates or not candidates[0].visits:  # no time for more than the root: the likeliest move
            banned = question.banned_at_root(position.to_move)
            moves = [move for move, *_ in tree.children([], True)]
            return next((move for move in moves if move not in banned), position.pass_)
        if position.move_number < self.settings.variety:
            visits = np.array([c.visits for c in candidates], dtype=float)
            visits[visits < visits.max() * VARIETY_SHARE] = 0
            return candidates[int(self._random.choice(len(visits), p=visits / visits.sum()))].move
        return candidates[0].move


def _search_for(tree: _native.Tree, komi: float) -> None:
    if tree.komi != komi:
        tree.komi = komi


def _expand(tree: _native.Tree, evaluations: list[Evaluation]) -> None:
    """Expands the selected leaves with their evaluations, None where the net has no such head."""
    first = evaluations[0]
    leads = scores = None
    if first.lead is not None:
        leads = np.array([given(e.lead).of(Color.BLACK) + tree.root_komi for e in evaluations], np.float32)
    if first.margin is not None:
        margins = [given(e.margin) for e in evaluations]
        scores = np.array([(m.mean, m.mean**2 + m.deviation**2) for m in margins], np.float32)
    tree.expand(
        np.stack([given(e.policy) for e in evaluations]),
        None if first.win_by_komi is None else np.stack([given(e.win_by_komi) for e in evaluations]),
        leads,
        scores,
    )


def _as_position(native: _native.Position, like: Position) -> Position:
    """A native leaf as a Position, with the rules of the game."""
    leaf = Position.__new__(Position)
    _native.Position.__init__(leaf, native)
    leaf._rules = like._rules  # the native position has them already
    return leaf
