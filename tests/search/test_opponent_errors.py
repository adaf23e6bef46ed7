"""A model of a weaker opponent: what the search makes of it, and what stays as it is."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tengen import Color, Game, InputError, Move, Position, Rules
from tengen._native import Tree, TreeSettings
from tengen.go.game import Setup
from tengen.go.handicap import fixed_handicap
from tengen.nets.fake import FakeEvaluator
from tengen.search.player import Limit, Question, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.registry import change_settings
from tengen.search.settings import PuctSettings

# What Black's search knows of a line of moves on 3x3: the priors of the moves that follow, and Black's win rate.
Opinion = Callable[[list[int]], tuple[dict[int, float], float]]
SAFE, TRAP = 0, 1


def trap(line: list[int]) -> tuple[dict[int, float], float]:
    """After the safe move Black wins 30 % whatever White does. After the trap White has one good answer (3), which
    wins for White, and one bad answer (4), which loses; the policy takes both for equally good."""
    if not line:
        return {SAFE: 0.5, TRAP: 0.5}, 0.3
    if len(line) == 1:
        return {3: 0.5, 4: 0.5}, 0.3
    value = 0.3 if line[0] == SAFE else 1.0 if line[1] == 4 else 0.0
    return dict.fromkeys(range(5, 9), 0.25), value


def search(tree: Tree, opinion: Opinion, visits: int) -> Tree:
    while tree.visits < visits:
        n = tree.select(1, visits)
        leaves = [tree.leaf(i) for i in range(n)]
        policy, wins = np.full((n, 10), 1e-9, np.float32), np.empty((n, 1), np.float32)
        for i, leaf in enumerate(leaves):
            priors, wins[i] = opinion([int(move) & 0x1FF for move in leaf.moves()])
            policy[i, list(priors)] = list(priors.values())
        tree.expand(policy, wins, None)
    return tree


def grown(errors: float, opinion: Opinion = trap, visits: int = 3000, seed: int = 0) -> Tree:
    settings = TreeSettings(score_weight=0, spread_weight=0, seed=seed)
    tree = Tree(Position(3, Rules(komi=0.5)), [0.5], settings)
    if errors:
        tree.set_errors(Color.WHITE, errors)
    return search(tree, opinion, visits)


def visits_of(tree: Tree, path: list[int]) -> dict[int, int]:
    return {move: visits for move, visits, *_ in tree.children(path)}


def value_of(tree: Tree, move: int) -> float:
    found = {m: q for m, _, _, q, _ in tree.children()}[move]
    assert found is not None
    return found


def test_against_a_perfect_opponent_a_trap_does_not_pay() -> None:
    found = visits_of(grown(0), [])
    assert found[SAFE] > 20 * found[TRAP]


@pytest.mark.parametrize(("errors", "worth"), [(1.0, 0.5), (0.8, 0.4)])
def test_against_an_opponent_who_errs_it_does(errors: float, worth: float) -> None:
    """White falls into it in half of the drawn replies: the trap is worth half of their share."""
    tree = grown(errors)
    found = visits_of(tree, [])
    assert found[TRAP] > 5 * found[SAFE]
    assert value_of(tree, TRAP) == pytest.approx(worth, abs=0.04)


def test_with_few_errors_the_safe_move_is_better() -> None:
    """A quarter of the replies is drawn: the trap is worth one eighth."""
    tree = grown(0.25)
    found = visits_of(tree, [])
    assert found[SAFE] > 5 * found[TRAP]
    assert value_of(tree, SAFE) == pytest.approx(0.3, abs=1e-6)


def test_drawn_replies_have_the_shares_of_their_priors() -> None:
    priors = {2: 0.5, 4: 0.3, 6: 0.15, 8: 0.05}

    def even(line: list[int]) -> tuple[dict[int, float], float]:
        if not line:
            return {0: 1.0}, 0.5
        return (priors, 0.5) if len(line) == 1 else ({1: 1.0}, 0.9 if line[1] == 2 else 0.1)

    all_drawn, half_drawn = grown(1.0, even, 8000), grown(0.5, even, 8000)
    for tree, share in ((all_drawn, 1.0), (half_drawn, 0.5)):
        found = visits_of(tree, [0])
        total = sum(found.values())
        for move in (4, 6, 8) if share == 1.0 else ():
            bound = 4 * math.sqrt(priors[move] * (1 - priors[move]) / total)
            assert found[move] / total == pytest.approx(priors[move], abs=bound)
        assert found[2] / total == pytest.approx(
            priors[2] * share, abs=0.03
        )  # the bad reply: only when drawn


def test_the_own_moves_are_chosen_as_ever() -> None:
    """White errs at its nodes, and Black does not: the better move has most visits, whatever its prior."""

    def third(line: list[int]) -> tuple[dict[int, float], float]:
        if len(line) >= 3:
            return {7: 0.5, 8: 0.5}, 1.0 if line[2] == 5 else 0.0
        return ({5: 0.1, 6: 0.9} if len(line) == 2 else {3: 1.0} if line else {0: 1.0}), 0.5

    found = visits_of(grown(1.0, third), [0, 3])
    assert found[5] > 20 * found[6]


def test_the_same_seed_draws_the_same_replies() -> None:
    one, again, other = (grown(0.5, seed=seed, visits=500) for seed in (1, 1, 2))
    assert one.children() == again.children()
    assert one.children([TRAP]) != other.children([TRAP])


def test_barred_replies_are_not_drawn() -> None:
    tree = Tree(Position(3, Rules(komi=0.5)), [0.5], TreeSettings(score_weight=0, spread_weight=0))
    tree.set_errors(Color.WHITE, 1.0)
    tree.restrict(Color.WHITE, {4: 9})
    search(tree, trap, 500)
    assert 4 not in visits_of(tree, [TRAP])


def test_a_change_of_the_opponent_starts_the_tree_anew() -> None:
    tree = grown(0.5, visits=50)
    tree.set_errors(Color.WHITE, 0.5)
    assert tree.visits == 50
    tree.set_errors(Color.BLACK, 0.5)
    assert tree.visits == 0
    search(tree, trap, 50).set_errors(Color.WHITE, 0.0)
    assert tree.visits == 0
    search(tree, trap, 50).set_errors(Color.BLACK, 0.0)  # off for both is the same
    assert tree.visits == 50


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan])
def test_a_share_is_from_0_to_1(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        grown(0, visits=2).set_errors(Color.WHITE, share)
    with pytest.raises(InputError, match="opponent_errors"):
        change_settings(PuctPlayer(FakeEvaluator()), {"opponent_errors": str(share)})


# The player.


def handicap(moves: int = 0) -> Game:
    record = Game(size=9, rules=Rules.named("new-zealand").with_komi(0.5))
    record.setup, record.handicap = Setup(black=fixed_handicap(9, 3)), 3
    for _ in range(moves):
        position = record.position()
        record.moves.append(Move(position.to_move, position.legal_moves[len(record.moves)]))
    return record


def player(**settings: object) -> PuctPlayer:
    return PuctPlayer(FakeEvaluator(), PuctSettings(visits=80, komi_method="none", **settings))  # type: ignore[arg-type]


def from_priors(tree: Tree, path: list[int]) -> float:
    """How far the visits of a node's moves are from their priors: 0 the same, 1 not one in common."""
    known = tree.children(path, True)
    visits = np.array([visits for _, visits, *_ in known], float)
    priors = np.array([prior for _, _, prior, *_ in known])
    return float(np.abs(visits / visits.sum() - priors).sum() / 2)


def test_the_players_opponent_errs_whichever_colour_it_has() -> None:
    for moves in (0, 1):  # White, then Black to move
        away = {}
        for errors in (0.0, 1.0):
            searcher = player(opponent_errors=errors)
            decision = searcher.choose(handicap(moves), question=Question(Limit(visits=5000)))
            move = max(decision.root.candidates, key=lambda c: c.visits).move
            assert searcher.tree is not None
            away[errors] = from_priors(searcher.tree, []), from_priors(searcher.tree, [move])
        (own_plain, reply_plain), (own, reply) = away[0.0], away[1.0]
        assert reply < 0.1 < reply_plain  # the replies are drawn
        assert min(own, own_plain) > 0.1  # the own moves are searched


def test_an_analysis_takes_no_notice_of_it() -> None:
    erring, plain = player(opponent_errors=0.5), player()
    erring.choose(handicap())
    question = Question(Limit(visits=60), ownership=True)
    seen, expected = (last_report(each, handicap(), question) for each in (erring, plain))
    assert [(c.move, c.visits) for c in seen.candidates] == [(c.move, c.visits) for c in expected.candidates]
    assert np.array_equal(seen.ownership, expected.ownership)  # type: ignore[arg-type]


def test_pondering_models_the_same_opponent() -> None:
    erring = player(opponent_errors=0.5)
    looks = iter([False] * 60 + [True])
    record = handicap(1)
    erring.ponder(record, lambda: next(looks))
    tree = erring.tree
    assert tree is not None
    reply, visits = max(visits_of(tree, []).items(), key=lambda found: found[1])
    record.moves.append(Move(Color.BLACK, reply))
    erring.choose(record, question=Question(Limit(visits=1)))
    assert tree.visits == visits
