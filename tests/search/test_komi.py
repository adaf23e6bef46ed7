"""Win rates by komi in a search: the evaluator's, at the game's komi and at the komi that was searched for."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Color, Game, InputError, Move, Rules
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import open_net
from tengen.search.player import Limit, Question, Root, last_report
from tengen.search.policy_player import PolicyPlayer
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings

OWN_LABELS = tuple(k + 0.5 for k in range(-20, 28))
NETS = {
    "own labels": FakeEvaluator(komi_labels=OWN_LABELS),
    "distribution": FakeEvaluator(),
    "komi as input": FakeEvaluator(inputs=("komi",)),
    "flat": FakeEvaluator(komi_labels=(7.5,)),
}


def game(komi: float = 7.5, size: int = 9, moves: int = 0) -> Game:
    record = Game(size=size, rules=Rules.named("chinese").with_komi(komi))
    record.moves += [Move(Color.WHITE if i % 2 else Color.BLACK, i) for i in range(moves)]
    return record


def same_values(one: Root, two: Root) -> None:
    """Everything that is said at the game's komi."""
    assert one.win_rate is not None and two.win_rate is not None
    assert one.win_rate.of(Color.BLACK) == pytest.approx(two.win_rate.of(Color.BLACK), abs=1e-6)
    assert one.lead == two.lead
    np.testing.assert_allclose(one.win_by_komi, two.win_by_komi, atol=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", NETS)
@pytest.mark.parametrize("komi", [7.5, 7.0, 0.5])
def test_the_roots_curve_is_the_evaluators(kind: str, komi: float) -> None:
    """Before any further visit, to 1e-6, at every label."""
    net, record = NETS[kind], game(komi)
    for player in (PuctPlayer(net), PolicyPlayer(net)):
        root = last_report(player, record, Question(Limit(visits=1)))
        assert root.komi_labels is not None and root.win_by_komi is not None
        given = player.net.evaluate([record.position()], komi_labels=root.komi_labels.tolist())[0]
        np.testing.assert_allclose(root.win_by_komi, given.win_by_komi, atol=1e-6)  # type: ignore[arg-type]
        assert root.win_rate is not None and given.win is not None
        assert root.win_rate.of(Color.BLACK) == pytest.approx(given.win.of(Color.BLACK), abs=1e-6)


def test_so_it_is_with_the_net_that_ships() -> None:
    net, record = open_net("tengen"), game(6.5, size=19)
    root = last_report(PuctPlayer(net), record, Question(Limit(visits=1)))
    assert root.komi_labels is not None and len(root.komi_labels) == 69
    given = net.evaluate([record.position()], komi_labels=root.komi_labels.tolist())[0]
    np.testing.assert_allclose(root.win_by_komi, given.win_by_komi, atol=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", NETS)
def test_the_curve_at_the_searched_komi_is_the_searched_win_rate(kind: str) -> None:
    root = last_report(PuctPlayer(NETS[kind]), game(), Question(Limit(visits=40), komi=10.5))
    assert root.komi_labels is not None and root.win_by_komi is not None
    assert root.win_rate is not None and root.searched.win_rate is not None
    for komi, rate in ((7.5, root.win_rate), (10.5, root.searched.win_rate)):
        at = float(np.interp(komi, root.komi_labels, root.win_by_komi))
        assert rate.of(Color.BLACK) == pytest.approx(at, abs=1e-6)
    assert (root.win_rate == root.searched.win_rate) == (kind == "flat")


def test_without_another_komi_the_games_is_searched() -> None:
    root = PuctPlayer(FakeEvaluator(), PuctSettings(visits=30)).choose(game(6.5)).root
    assert root.searched.komi == 6.5
    assert root.searched.win_rate == root.win_rate
    assert all(c.searched_win_rate == c.win_rate for c in root.candidates)


def test_a_search_at_another_komi_reports_values_at_the_games() -> None:
    """The same tree, read again at the game's komi after the question, gives the same values there."""
    player = PuctPlayer(FakeEvaluator(), PuctSettings(visits=60))
    shifted = player.choose(game(), question=Question(komi=20.0)).root
    assert shifted.searched.komi == 20.0
    assert shifted.win_rate is not None and shifted.searched.win_rate is not None
    assert shifted.searched.win_rate.of(Color.BLACK) < shifted.win_rate.of(Color.BLACK)
    plain = last_report(player, game(), Question(Limit(visits=60)))
    same_values(shifted, plain)
    by_move = {c.move: c for c in plain.candidates}
    for candidate in shifted.candidates:
        assert candidate.win_rate is not None and candidate.searched_win_rate is not None
        other = by_move[candidate.move]
        assert other.win_rate is not None
        assert candidate.win_rate.of(Color.BLACK) == pytest.approx(other.win_rate.of(Color.BLACK), abs=1e-6)
        assert candidate.lead == other.lead
        assert candidate.searched_win_rate.of(Color.BLACK) < candidate.win_rate.of(Color.BLACK)
        bound = candidate.lower_bound(Color.BLACK)
        assert bound is not None and bound <= candidate.searched_win_rate.of(Color.BLACK)


def test_a_komi_does_not_outlive_its_question() -> None:
    player = PuctPlayer(FakeEvaluator(), PuctSettings(visits=20))
    player.choose(game(), question=Question(komi=20.0))
    assert player.tree is not None and player.tree.komi == 7.5
    assert player.choose(game()).root.searched.komi == 7.5
    reports = player.analyze(game(), Question(Limit(visits=1000), interval=0.0, komi=-3.0))
    assert next(reports).searched.komi == -3.0
    reports.close()  # type: ignore[attr-defined]
    assert player.tree.komi == 7.5


def test_the_choice_follows_what_was_searched() -> None:
    """A tree that grew at one komi and goes on at another sends its new visits to what is good there."""
    net = FakeEvaluator(deviation=3.0)
    moves = {
        komi: PuctPlayer(net, PuctSettings(visits=400)).choose(game(0.5), question=Question(komi=komi)).move
        for komi in (-12.0, 0.5, 12.0)
    }
    assert len(set(moves.values())) > 1


@pytest.mark.parametrize(("komi", "resigns"), [(0.5, False), (70.0, True)])
def test_resignation_reads_the_games_komi(komi: float, resigns: bool) -> None:
    """A level game is not resigned because the search plays for 70 points, nor a lost one kept for none."""
    player = PuctPlayer(FakeEvaluator(deviation=3.0), PuctSettings(visits=10, resign_moves=1))
    other = 70.0 if komi == 0.5 else 0.5
    decision = player.choose(game(komi, moves=20), question=Question(komi=other))
    assert decision.root.searched.komi == other
    assert decision.resign is resigns


@pytest.mark.parametrize("net", [FakeEvaluator(komi_labels=OWN_LABELS), FakeEvaluator()])
def test_a_komi_beyond_the_labels_is_refused(net: FakeEvaluator) -> None:
    player = PuctPlayer(net, PuctSettings(visits=10))
    with pytest.raises(InputError, match=r"komi 200 is outside of the komi labels .* net fake-0"):
        player.choose(game(), question=Question(komi=200.0))
    assert player.choose(game()).root.searched.komi == 7.5


def test_a_game_whose_komi_the_net_does_not_know_is_refused() -> None:
    player = PuctPlayer(NETS["own labels"], PuctSettings(visits=10))
    with pytest.raises(InputError, match="komi 40"):
        player.choose(game(40.0))
    assert player.choose(game()).root.visits == 10


def test_every_margin_of_the_board_can_be_searched_for() -> None:
    player = PuctPlayer(FakeEvaluator(), PuctSettings(visits=5))
    for komi in (7.5 - 81, 7.5 + 81):
        assert last_report(player, game(), Question(Limit(visits=5), komi=komi)).searched.komi == komi


def test_with_a_flat_net_only_the_rollouts_move_with_komi() -> None:
    player = PuctPlayer(NETS["flat"], PuctSettings(visits=20, rollouts=20))
    root = last_report(player, game(), Question(Limit(visits=20)))
    assert root.net_win_by_komi is not None and root.rollout_win_by_komi is not None
    assert root.win_by_komi is not None
    assert np.ptp(root.net_win_by_komi) < 1e-6
    assert np.ptp(root.rollout_win_by_komi) > 0.9
    np.testing.assert_allclose(
        root.win_by_komi, (root.net_win_by_komi + root.rollout_win_by_komi) / 2, atol=1e-6
    )


def test_net_and_rollouts_have_leads_of_their_own() -> None:
    with_rollouts = PuctPlayer(FakeEvaluator(), PuctSettings(visits=20, rollouts=5, weight=0.25))
    root = last_report(with_rollouts, game(), Question(Limit(visits=20)))
    assert root.lead is not None and root.net_lead is not None and root.rollout_lead is not None
    mixed = 0.75 * root.rollout_lead.of(Color.BLACK) + 0.25 * root.net_lead.of(Color.BLACK)
    assert root.lead.of(Color.BLACK) == pytest.approx(mixed)
    alone = last_report(PuctPlayer(FakeEvaluator()), game(), Question(Limit(visits=20)))
    assert alone.rollout_lead is None and alone.rollout_win_by_komi is None
    assert alone.net_lead == alone.lead


def test_a_net_without_win_rates_plays_by_rollouts_alone() -> None:
    net = FakeEvaluator(heads=("policy",))
    with pytest.raises(InputError, match=r"fake-0 has no win rates \(win_by_komi\): .*rollouts="):
        PuctPlayer(net)
    player = PuctPlayer(net, PuctSettings(visits=30, rollouts=8, weight=0.9))
    decision = player.choose(game())
    root = decision.root
    assert root.visits == 30 and root.net_lead is None and root.net_win_by_komi is None
    assert root.lead == root.rollout_lead is not None
    np.testing.assert_array_equal(root.win_by_komi, root.rollout_win_by_komi)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rollouts="):
        player.configure(PuctSettings(visits=30))
    assert player.settings.rollouts == 8  # what was refused has changed nothing
    owned = last_report(player, game(), Question(Limit(visits=1), ownership=True, moves_ownership=True))
    assert owned.owned is None and all(c.owned is None for c in owned.candidates)


def test_a_net_without_margins_has_no_lead() -> None:
    net = FakeEvaluator(heads=("policy", "win_by_komi"), komi_labels=OWN_LABELS)
    root = PuctPlayer(net, PuctSettings(visits=20)).choose(game()).root
    assert root.lead is None and root.win_rate is not None
    assert all(c.lead is None and c.win_rate is not None for c in root.candidates)


def test_a_policy_net_alone_plays_without_win_rates() -> None:
    player = PolicyPlayer(FakeEvaluator(heads=("policy",)))
    decision = player.choose(game(moves=40), question=Question(ownership=True, moves_ownership=True))
    root = decision.root
    assert not decision.resign
    assert root.win_rate is None and root.lead is None and root.owned is None
    assert root.komi_labels is None and root.win_by_komi is None
    assert root.searched.komi == 7.5 and root.searched.win_rate is None
    assert all(c.win_rate is None and c.lower_bound(Color.BLACK) is None for c in root.candidates)


def test_a_net_without_a_policy_is_refused() -> None:
    net = FakeEvaluator(heads=("win_by_komi", "margin"))
    for kind in (PolicyPlayer, PuctPlayer):
        with pytest.raises(InputError, match=r"fake-0 has no .*policy"):
            kind(net)


def test_json_is_in_blacks_view_and_says_what_is_unknown() -> None:
    root = last_report(
        PuctPlayer(FakeEvaluator()), game(size=5), Question(Limit(visits=20), ownership=True, komi=3.5)
    )
    found = root.to_json(5)
    assert root.win_rate is not None and root.lead is not None
    assert found["black_win_rate"] == root.win_rate.of(Color.BLACK)
    assert found["black_lead"] == root.lead.of(Color.BLACK)
    assert found["searched"]["komi"] == 3.5
    assert len(found["komi_labels"]) == len(found["black_win_rate_by_komi"])
    assert np.shape(found["ownership"]) == (5, 5)
    assert found["rollouts"] == {"black_lead": None, "black_win_rate_by_komi": None}
    best = found["candidates"][0]
    assert best["move"] == game(size=5).position().vertex(root.candidates[0].move) == best["variation"][0]
    nothing = last_report(PolicyPlayer(FakeEvaluator(heads=("policy",))), game(size=5), Question()).to_json(5)
    assert nothing["black_win_rate"] is None and nothing["candidates"][0]["black_lead"] is None


@pytest.mark.parametrize(
    "net",
    [
        FakeEvaluator(heads=("policy", "margin")),
        FakeEvaluator(heads=("policy", "value"), komi_labels=(7.5,)),
        FakeEvaluator(heads=("policy", "values"), komi_labels=(0.5, 5.5, 6.5, 7.5, 8.5)),
    ],
    ids=["margin", "value", "values"],
)
def test_win_rates_of_every_head_are_mixed_with_the_rollouts(net: FakeEvaluator) -> None:
    """A card names the head that its win rates come from; all of them are win rates to the search."""
    player = PuctPlayer(net, PuctSettings(visits=8, rollouts=2, weight=0.75))
    root = last_report(player, Game(size=5), Question(Limit(visits=8)))
    assert player.tree is not None and player.tree.settings.lambda_ == 0.75
    mixed, by_net, rolled = (
        np.array(curve) for curve in (root.win_by_komi, root.net_win_by_komi, root.rollout_win_by_komi)
    )
    assert mixed == pytest.approx(0.75 * by_net + 0.25 * rolled, abs=1e-5)
    assert not np.allclose(by_net, rolled)
