"""What a tree says of its root: the statistics of a report, and the order of the moves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, Floats, given
from tengen.search.leaf_sums import LeafSums
from tengen.search.player import Candidate, FinalScore, Question, Root, Searched, Utility
from tengen.search.symmetric import copy_of

# Share of the most visits that a move needs to be chosen for its lower bound.
CHOICE_SHARE = 0.15


def root_of(
    tree: _native.Tree,
    position: Position,
    question: Question,
    sums: LeafSums,
    copies: Mapping[int, tuple[int, int]],
    evaluation: Evaluation | None,
) -> Root:
    """The root statistics that a question asks for.

    sums: over the leaves below the position. copies: the moves that a symmetry makes equal to another one, with that
    move and the symmetry; their values are those of the other. evaluation: the net's of the position, if asked for.
    """
    komi, mover = float32(position.rules.komi), position.to_move
    searched = Searched(tree.komi, _win_rate(tree.win_rate))
    children = tree.children()
    at_game_komi = {move: value for move, _, _, value, _ in children}
    win_rate = searched.win_rate
    if tree.komi != komi and (found := tree.win_rates_at(komi)) is not None:
        win_rate, at_game_komi = _win_rate(found[0]), dict[int, float | None](found[1])
    lead = _lead(tree.margin(), komi)
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
                owned=sums.owned_after(position, move) if question.moves_ownership else None,
                utility=utilities[move],
                searched_win_rate=_win_rate(value),
                score=_score(tree.score([move]), komi),
                no_result=sums.no_result_after(position, move) if question.no_result else None,
            )
        )
    candidates.sort(key=lambda c: (-c.visits, -given(c.searched_win_rate).of(mover)))
    put_best_first(candidates, mover)
    wanted = max(question.min_moves, int(position.is_over))  # clients expect a move in every report
    if len(candidates) < wanted:
        unseen = [
            (move, prior) for move, n, prior, *_ in tree.children([], True) if n == 0 and move not in banned
        ]
        if position.is_over:
            unseen.sort(key=lambda found: found[0] != position.pass_)
        for move, prior in unseen[: wanted - len(candidates)]:
            candidates.append(
                Candidate(move, 0, prior, win_rate, lead, (move,), (0,), searched_win_rate=searched.win_rate)
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
    return Root(
        to_move=mover,
        visits=tree.visits,
        win_rate=win_rate,
        lead=lead,
        searched=searched,
        komi_labels=None if mixed is None else np.array(tree.komi_labels, dtype=np.float32),
        win_by_komi=mixed,
        candidates=tuple(candidates),
        owned=sums.owned(position) if question.ownership else None,
        full=tree.full,
        score=_score(tree.score(), komi),
        net_lead=_lead(tree.margin("net"), komi),
        rollout_lead=_lead(tree.margin("rollouts"), komi),
        net_win_by_komi=_curve(tree.win_by_komi("net")),
        rollout_win_by_komi=_curve(tree.win_by_komi("rollouts")),
        evaluation=evaluation,
    )


def ranked(tree: _native.Tree, position: Position, question: Question) -> list[Candidate]:
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


def float32(komi: float) -> float:
    """A komi as the native tree has it, to be compared with its own."""
    return float(np.float32(komi))


def _utilities(tree: _native.Tree) -> dict[int, Utility]:
    """Of the root's moves with a visit."""
    return {move: Utility(mean, deviation) for move, mean, deviation in tree.utilities()}


def _win_rate(black: float | None) -> WinRate | None:
    return None if black is None else WinRate(min(max(black, 0.0), 1.0), Color.BLACK)


def _lead(margin: float | None, komi: float) -> Lead | None:
    return None if margin is None else Lead(margin - komi, Color.BLACK)


def _score(found: tuple[float, float] | None, komi: float) -> FinalScore | None:
    return None if found is None else FinalScore(Lead(found[0] - komi, Color.BLACK), found[1])


def _curve(wins: npt.NDArray[np.float64] | None) -> Floats | None:
    return None if wins is None else wins.astype(np.float32)
