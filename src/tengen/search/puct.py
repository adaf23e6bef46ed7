"""PUCT, as CGI searches (Wu et al. 2017, II.B and III): net and guided rollouts mixed at every leaf.

The native tree selects a batch of leaves under virtual loss, the net evaluates them, the tree grows. This
file asks and counts; selection, expansion and backup are native/tree.cpp.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from tengen import _native
from tengen.go.color import Color
from tengen.go.game import WHITE_BIT, Game
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Cached, Evaluator
from tengen.nets.komi import komi_labels_for
from tengen.search.clock import Clock
from tengen.search.ending import Patience, Resignation, tidy
from tengen.search.owners import Boards, Owned, OwnerSums
from tengen.search.player import Candidate, Decision, Limit, Question, Root

# The longest wait for a move where neither clock nor settings bound it.
DEFAULT_VISITS = 400
VARIETY_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class PuctSettings:
    """How a PUCT player thinks.

    `batch` is CGI's 16; while the tree is small, batches are smaller (a quarter of its visits), for leaves
    chosen blindly side by side teach less than leaves chosen one after another. `weight` is lambda, the
    weight of the net beside the rollouts (0.5 in the paper; without rollouts the net stands alone).
    `opening_variety` is the number of moves at the start of a game that are drawn, in proportion to their
    visits, among those with a quarter or more of the best one's.
    """

    limit: Limit = field(default_factory=lambda: Limit(visits=DEFAULT_VISITS))
    rollouts: int = 0
    weight: float = 0.5
    batch: int = 16
    threads: int = 1
    memory: int = 256 << 20
    seed: int = 0
    opening_variety: int = 0
    c_puct: float = 0.5
    fpu_reduction: float = 0.1
    resignation: Resignation | None = field(default_factory=Resignation)

    def tree(self) -> _native.TreeSettings:
        return _native.TreeSettings(
            c_puct=self.c_puct,
            fpu_reduction=self.fpu_reduction,
            lambda_=self.weight if self.rollouts else 1.0,
            rollouts=self.rollouts,
            seed=self.seed,
            memory=self.memory,
        )


class PuctPlayer:
    """Searches. What it found out about a game is kept for the next move of the same game."""

    def __init__(self, net: Evaluator, settings: PuctSettings | None = None) -> None:
        for head in ("policy", "win_by_komi", "margin"):
            net.card.require(head)
        self.net = net
        self._root_net = Cached(net, capacity=16)  # the root is asked about at every report
        self.settings = settings or PuctSettings()
        self.tree: _native.Tree | None = None
        self._owners = OwnerSums()
        self._owners_at: int | None = None
        self._random = np.random.default_rng(self.settings.seed)
        self._patience = Patience(self.settings.resignation)
        self._helper: ThreadPoolExecutor | None = None

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
        position = game.position()
        question = question or Question()
        limit = question.limit or self.settings.limit
        if clock is not None:
            limit = limit.within(Limit(seconds=clock.budget(position.move_number, position.size)))
        with self._restricted(position, question):
            for _ in self._grow(position, limit, question):
                if report:
                    report(self._report(position, question))
        root = self._report(position, question)
        move = self._pick(position, root, question)
        if position.pass_ not in question.banned_at_root(position.to_move):
            move = tidy(position, move, root, self._root_net)
        return Decision(move, root, self._patience.is_over(position, root))

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        position = game.position()
        with self._restricted(position, question):
            for _ in self._grow(position, question.limit or Limit(), question):
                yield self._report(position, question)
        yield self._report(position, question)

    @contextmanager
    def _restricted(self, position: Position, question: Question) -> Iterator[None]:
        """The tree of the position, for a while without the moves that are barred."""
        tree = self._tree_at(position)
        for color, (moves, depth) in question.banned.items():
            tree.restrict(color, sorted(moves), depth)
        try:
            yield
        finally:
            for color in question.banned:
                tree.restrict(color, [], 0)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        for _ in self._grow(game.position(), Limit(), Question(stop=stop)):
            pass

    def _tree_at(self, position: Position) -> _native.Tree:
        """The tree with this position as its root, evaluated."""
        if self.tree is None or not self._fits(self.tree, position):
            labels = komi_labels_for(self.net.card, position.size, position.rules.komi).tolist()
            root = self._root_net.evaluate([position], komi_labels=labels)
            self.tree = _native.Tree(position, labels, self.settings.tree())
            self.tree.select(1, 1)
            self.tree.roll_out(self.settings.threads)
            self._expand(self.tree, root)
        else:
            self.tree.move_to(position)
        return self.tree

    def _fits(self, tree: _native.Tree, position: Position) -> bool:
        """A tree is for one board size; a drawn curve's labels lie around one komi."""
        own_labels = len(self.net.card.komi_labels) > 1
        return tree.root.size == position.size and (own_labels or tree.root_komi == position.rules.komi)

    def _grow(self, position: Position, limit: Limit, question: Question) -> Iterator[None]:
        """Searches up to the limit; yields at every interval."""
        started = reported = time.perf_counter()
        tree = self._tree_at(position)
        visits = limit.visits if limit.visits is not None else 2**31
        while tree.visits < visits:
            if not self._batch(tree, position, visits, question):
                break
            now = time.perf_counter()
            if limit.seconds is not None and now - started >= limit.seconds:
                break
            if question.stop is not None and question.stop():
                break
            if question.interval is not None and now - reported >= question.interval:
                reported = now
                yield

    def _batch(self, tree: _native.Tree, position: Position, visits: int, question: Question) -> bool:
        """Evaluates one batch of leaves; False when there is none to be had."""
        before = tree.visits
        n = tree.select(min(self.settings.batch, max(1, before // 4)), visits)
        if n == 0:
            return tree.visits > before
        leaves = [_as_position(tree.leaf(i), position) for i in range(n)]
        try:
            if self.settings.rollouts and self.settings.threads > 1:
                if self._helper is None:
                    self._helper = ThreadPoolExecutor(1, "rollouts")
                rolling = self._helper.submit(tree.roll_out, self.settings.threads - 1)
                evaluations = self.net.evaluate(leaves, komi_labels=tree.komi_labels)
                rolling.result()
            else:
                tree.roll_out(1)
                evaluations = self.net.evaluate(leaves, komi_labels=tree.komi_labels)
            self._expand(tree, evaluations)
        except BaseException:
            tree.abandon()
            raise
        if question.ownership or question.moves_ownership:
            owners, played = self._owners_of(position), len(position.moves())
            for leaf, said in zip(leaves, evaluations, strict=True):
                if len(moves := leaf.moves()) > played:  # a leaf that is the root is counted there
                    owners.add(int(moves[played]) & ~WHITE_BIT, given(said.ownership))
        return True

    def _owners_of(self, position: Position) -> OwnerSums:
        """The sums of this position; those of another are forgotten."""
        if self._owners_at != position.record_hash:
            self._owners, self._owners_at = OwnerSums(), position.record_hash
        return self._owners

    @staticmethod
    def _expand(tree: _native.Tree, evaluations: list[Evaluation]) -> None:
        tree.expand(
            np.stack([given(e.policy) for e in evaluations]),
            np.stack([given(e.win_by_komi) for e in evaluations]),
            np.array([given(e.margin).mean for e in evaluations], dtype=np.float32),
        )

    def _report(self, position: Position, question: Question) -> Root:
        tree = self.tree
        assert tree is not None
        komi = position.rules.komi
        mover = position.to_move
        win_rate = WinRate(min(max(tree.win_rate, 0.0), 1.0), Color.BLACK)
        lead = Lead(tree.margin - komi, Color.BLACK)
        banned = question.banned_at_root(mover)
        candidates = []
        deviations = dict(tree.deviations())
        for move, visits, prior, value, margin in tree.children():
            if move in banned:
                continue
            line = tree.principal_variation([move])
            candidates.append(
                Candidate(
                    move,
                    visits,
                    prior,
                    WinRate(min(max(value, 0.0), 1.0), Color.BLACK),
                    Lead(margin - komi, Color.BLACK),
                    tuple(m for m, _ in line),
                    tuple(n for _, n in line),
                    self._owned_after(position, move) if question.moves_ownership else None,
                    deviations.get(move, 0.0),
                )
            )
        candidates.sort(key=lambda c: (-c.visits, -c.win_rate.of(mover)))
        if len(candidates) < question.min_moves:
            unseen = [
                (move, prior)
                for move, n, prior, *_ in tree.children([], True)
                if n == 0 and move not in banned
            ]
            for move, prior in unseen[: question.min_moves - len(candidates)]:
                candidates.append(Candidate(move, 0, prior, win_rate, lead, (move,), (0,)))
        return Root(
            to_move=mover,
            visits=tree.visits,
            win_rate=win_rate,
            lead=lead,
            komi=tree.komi,
            komi_labels=np.array(tree.komi_labels, dtype=np.float32),
            win_by_komi=np.array(tree.win_by_komi(), dtype=np.float32),
            candidates=tuple(candidates),
            owned=self._owned(position) if question.ownership else None,
            full=tree.full,
        )

    def _owned(self, position: Position) -> Owned:
        def ask() -> Boards:
            labels = None if self.tree is None else self.tree.komi_labels
            return given(self._root_net.evaluate([position], komi_labels=labels)[0].ownership)

        return self._owners_of(position).root(ask)

    def _owned_after(self, position: Position, move: int) -> Owned:
        def ask() -> Boards:
            return given(self._root_net.evaluate([position.copy().play(move)])[0].ownership)

        return self._owners_of(position).of(move, ask)

    def _pick(self, position: Position, root: Root, question: Question) -> int:
        candidates = root.candidates
        if not candidates or not candidates[0].visits:  # no time for more than the root: the likeliest move
            assert self.tree is not None
            banned = question.banned_at_root(position.to_move)
            moves = [move for move, *_ in self.tree.children([], True)]
            return next((move for move in moves if move not in banned), position.pass_)
        if position.move_number < self.settings.opening_variety:
            visits = np.array([c.visits for c in candidates], dtype=float)
            visits[visits < visits[0] * VARIETY_SHARE] = 0
            return candidates[int(self._random.choice(len(visits), p=visits / visits.sum()))].move
        return candidates[0].move


def _as_position(native: _native.Position, like: Position) -> Position:
    """A leaf as the position it is, with the rules of the game it came from."""
    leaf = Position.__new__(Position)
    _native.Position.__init__(leaf, native)
    leaf._rules = like._rules  # the native position has them already
    return leaf
