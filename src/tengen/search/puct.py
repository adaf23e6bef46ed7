"""PUCT, as CGI searches (Wu et al. 2017, II.B and III): net and guided rollouts mixed at every leaf.

The native tree selects a batch of leaves under virtual loss, the net evaluates them, the tree expands them. Selection,
expansion and backup are in native/tree.cpp; this file asks the net, keeps the limits and makes the reports.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, Floats, given
from tengen.nets.evaluator import Cached, Evaluator
from tengen.nets.favour import Favour, favouring
from tengen.nets.komi import komi_labels_for
from tengen.search.clock import Clock, Pace
from tengen.search.ended import Judge, before_passes
from tengen.search.ending import Patience, is_late, outlook, tidy
from tengen.search.game_komi import GameKomi
from tengen.search.leaf_sums import LeafSums
from tengen.search.player import Candidate, Decision, FinalScore, Limit, Question, Root, Searched, Utility
from tengen.search.settings import PuctSettings
from tengen.search.symmetric import copies_of_moves, copy_of
from tengen.search.thinking import is_enough

# With time for fewer evaluations than these, none is spent on whether the game has ended.
SCRAMBLE_LEAVES = 5
# Share of the best move's visits that a move needs to be drawn in the opening.
VARIETY_SHARE = 0.25
# Share of the tree's visits that one batch may add.
BATCH_SHARE = 1 / 16
# Share of the most visits that a move needs to be chosen for its lower bound.
CHOICE_SHARE = 0.15


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
        with self._tree_for(game, position, question, playing=True) as tree:
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
        with self._tree_for(game, position, question, playing=False) as tree:
            limit = question.limit or Limit()
            if position.is_over:
                limit = limit.within(Limit(visits=1))  # there is nothing to search behind two passes
            for _ in self._grow(tree, position, limit, question, started):
                yield self._report(tree, position, question)
            yield replace(self._report(tree, position, question), final=True)

    def ponder(self, game: Game, stop: Callable[[], bool]) -> None:
        position, question = game.position(), Question(stop=stop, favour=self._favour)
        with self._tree_for(game, position, question, playing=True) as tree:
            for _ in self._grow(tree, position, Limit(), question, time.perf_counter()):
                pass

    @contextmanager
    def _tree_for(
        self, game: Game, position: Position, question: Question, playing: bool
    ) -> Iterator[_native.Tree]:
        """The tree of the position, for the time of one question with its komi and without the moves it bars.

        playing: whether it is asked for a move of the game, as opposed to an analysis.
        """
        self._judge_for(question.favour)
        tree = self._tree_at(position)
        game_komi = _float32(position.rules.komi)
        wanted = question.komi
        if wanted is None:
            wanted = self._komi.komi(game, playing, lambda: self._first_look(tree, position))
        wanted = _float32(wanted)
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
        self._check_komi(_float32(position.rules.komi), labels)
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
                ranked = self._ranked(tree, position, question)
                if is_enough(pace, ranked, position.to_move, CHOICE_SHARE, now - started, leaf_seconds):
                    break
            if now >= report_at:
                report_at = now + question.next_wait()
                yield

    def _ranked(self, tree: _native.Tree, position: Position, question: Question) -> list[Candidate]:
        """The moves with a visit, the one that would be played first; without what only a report needs."""
        mover, utilities = position.to_move, _utilities(tree)
        banned = question.banned_at_root(mover)
        candidates = [
            Candidate(move, visits, prior, None, None, (), (), None, utilities[move], _win_rate(value))
            for move, visits, prior, value, _ in tree.children()
            if move not in banned
        ]
        candidates.sort(key=lambda c: -c.visits)
        put_best_first(candidates, mover)
        return candidates

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
        komi, mover = _float32(position.rules.komi), position.to_move
        searched = Searched(tree.komi, _win_rate(tree.win_rate))
        children = tree.children()
        at_game_komi = {move: value for move, _, _, value, _ in children}
        win_rate = searched.win_rate
        if tree.komi != komi and (found := tree.win_rates_at(komi)) is not None:
            win_rate, at_game_komi = _win_rate(found[0]), dict[int, float | None](found[1])
        lead = _lead(tree.margin(), komi)
        copies = self._copies(position, question)
        banned = question.banned_at_root(mover) | copies.keys()
        utilities = _utilities(tree)
        candidates = []
        for move, visits, prior, value, margin in children:
            if move in banned:
                continue
            line = tree.principal_variation([move])
            candidates.append(
                Candidate(
                    move=move,
                    visits=visits,
                    prior=prior,
                    win_rate=_win_rate(at_game_komi[move]),
                    lead=_lead(margin, komi),
                    variation=tuple(m for m, _ in line),
                    variation_visits=tuple(n for _, n in line),
                    owned=self._sums.owned_after(position, move) if question.moves_ownership else None,
                    utility=utilities[move],
                    searched_win_rate=_win_rate(value),
                    score=_score(tree.score([move]), komi),
                    no_result=self._sums.no_result_after(position, move) if question.no_result else None,
                )
            )
        candidates.sort(key=lambda c: (-c.visits, -given(c.searched_win_rate).of(mover)))
        put_best_first(candidates, mover)
        wanted = max(question.min_moves, int(position.is_over))  # clients expect a move in every report
        if len(candidates) < wanted:
            unseen = [
                (move, prior)
                for move, n, prior, *_ in tree.children([], True)
                if n == 0 and move not in banned
            ]
            if position.is_over:
                unseen.sort(key=lambda found: found[0] != position.pass_)
            for move, prior in unseen[: wanted - len(candidates)]:
                candidates.append(
                    Candidate(
                        move, 0, prior, win_rate, lead, (move,), (0,), searched_win_rate=searched.win_rate
                    )
                )
        equal: dict[int, list[tuple[int, int]]] = {}
        for copy, (move, symmetry) in copies.items():
            equal.setdefault(move, []).append((copy, symmetry))
        candidates = [
            shown
            for c in candidates
            for shown in (c, *(copy_of(c, m, s, position.size) for m, s in equal.get(c.move, ())))
        ]
        mixed = _curve(tree.win_by_komi())
        rolled = self.settings.rollouts > 0
        return Root(
            to_move=mover,
            visits=tree.visits,
            win_rate=win_rate,
            lead=lead,
            searched=searched,
            komi_labels=None if mixed is None else np.array(tree.komi_labels, dtype=np.float32),
            win_by_komi=mixed,
            candidates=tuple(candidates),
            owned=self._sums.owned(position) if question.ownership else None,
            full=tree.full,
            score=_score(tree.score(), komi),
            net_lead=_lead(tree.margin("net"), komi),
            rollout_lead=_lead(tree.margin("rollouts"), komi),
            net_win_by_komi=_curve(tree.win_by_komi("net")) if rolled else mixed,
            rollout_win_by_komi=_curve(tree.win_by_komi("rollouts")),
            evaluation=self._ask(position) if question.evaluation else None,
        )

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


def put_best_first(candidates: list[Candidate], mover: Color) -> None:
    """Moves the candidate with the highest lower bound to the front, among those with a share of the most visits.

    Visits lag behind values: a move that turned out better late has fewer visits than the one it beats.
    """
    if not candidates:
        return
    often = [c for c in candidates if c.visits >= CHOICE_SHARE * candidates[0].visits]
    best = max(often, key=lambda c: given(c.utility).lower_bound(mover, c.visits))
    candidates.remove(best)
    candidates.insert(0, best)


def _float32(komi: float) -> float:
    """A komi as the native tree has it, to be compared with its own."""
    return float(np.float32(komi))


def _utilities(tree: _native.Tree) -> dict[int, Utility]:
    """Of the root's moves with a visit."""
    return {move: Utility(mean, deviation) for move, mean, deviation in tree.utilities()}


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


def _win_rate(black: float | None) -> WinRate | None:
    return None if black is None else WinRate(min(max(black, 0.0), 1.0), Color.BLACK)


def _lead(margin: float | None, komi: float) -> Lead | None:
    return None if margin is None else Lead(margin - komi, Color.BLACK)


def _score(found: tuple[float, float] | None, komi: float) -> FinalScore | None:
    return None if found is None else FinalScore(Lead(found[0] - komi, Color.BLACK), found[1])


def _curve(wins: npt.NDArray[np.float64] | None) -> Floats | None:
    return None if wins is None else wins.astype(np.float32)


def _as_position(native: _native.Position, like: Position) -> Position:
    """A native leaf as a Position, with the rules of the game."""
    leaf = Position.__new__(Position)
    _native.Position.__init__(leaf, native)
    leaf._rules = like._rules  # the native position has them already
    return leaf
