"""The PUCT player: its trees, its limits, what it keeps between moves, what it reports."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from search.slow_net import Slow

from tengen import Color, Game, Move, Position, Rules
from tengen.go.game import Setup
from tengen.go.perspective import Lead, WinRate
from tengen.nets.evaluation import Evaluation, Margin, given
from tengen.nets.fake import FakeEvaluator
from tengen.search.clock import TimeControl
from tengen.search.player import Candidate, Limit, Question, Utility, last_report
from tengen.search.puct import PuctPlayer
from tengen.search.settings import PuctSettings
from tengen.search.tree_report import put_best_first

GOLDEN = Path(__file__).parents[1] / "golden" / "trees"


def game(moves: str = "", size: int = 9, rules: str = "chinese", komi: float = 7.0) -> Game:
    record = Game(size=size, rules=Rules.named(rules).with_komi(komi))
    for i, vertex in enumerate(moves.split()):
        color = Color.WHITE if i % 2 else Color.BLACK
        record.moves.append(Move(color, size * size if vertex == "pass" else Position(size).point(vertex)))
    return record


def drawn(player: PuctPlayer, least: int = 3) -> str:
    """The tree as text: every node with so many visits, its move, N, P, Black's Q and margin."""
    tree = player.tree
    assert tree is not None
    position = Position(tree.root.size)
    lines = [f"N {tree.visits}  Q {tree.win_rate:.5f}  margin {tree.margin():.3f}  komi {tree.komi:g}"]

    def walk(path: list[int]) -> None:
        for move, n, prior, q, margin in sorted(tree.children(path), key=lambda c: -c[1]):
            if n >= least:
                name = "  " * (len(path) + 1) + position.vertex(move)
                lines.append(f"{name}  N {n}  P {prior:.5f}  Q {q:.5f}  margin {margin:.3f}")
                walk([*path, move])

    walk([])
    return "\n".join(lines) + "\n"


TREES = {
    "9x9": (game("E5 C3"), PuctSettings(visits=150)),
    "9x9_rollouts": (game("E5 C3"), PuctSettings(visits=60, rollouts=4, seed=1)),
    "5x5_endgame": (game("C3 B3 C4 B4 C2 B2 C1 B1 C5 B5 pass", 5), PuctSettings(visits=200)),
    "5x5_japanese": (
        game("C3 B3 C4 B4 C2 B2 C1 B1 C5 B5 pass", 5, "japanese"),
        PuctSettings(visits=60),
    ),
    "13x13_one_by_one": (game("", 13), PuctSettings(visits=60, batch=1)),
}


@pytest.mark.parametrize("name", TREES)
def test_trees(name: str, net: FakeEvaluator) -> None:
    """Files in tests/golden/trees, from the fake net. TENGEN_GOLDEN=write writes them anew."""
    record, settings = TREES[name]
    player = PuctPlayer(net, settings)
    player.choose(record)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("TENGEN_GOLDEN") == "write":
        path.write_text(drawn(player))
    assert drawn(player) == path.read_text()


def test_the_visits_are_those_asked_for(net: FakeEvaluator) -> None:
    for visits in (1, 2, 17, 100):
        root = PuctPlayer(net, PuctSettings(visits=visits)).choose(game()).root
        assert root.visits == visits
        assert sum(c.visits for c in root.candidates) == visits - 1


def test_one_visit_plays_the_nets_move(net: FakeEvaluator) -> None:
    record = game("E5 C3")
    best = net.evaluate([record.position()])[0].top_moves(1)[0][0]
    assert PuctPlayer(net, PuctSettings(visits=1)).choose(record).move == best


def test_the_chosen_move_has_the_most_visits(net: FakeEvaluator) -> None:
    decision = PuctPlayer(net, PuctSettings(visits=80)).choose(game("E5"))
    assert decision.move == decision.root.candidates[0].move
    visits = [c.visits for c in decision.root.candidates]
    assert visits == sorted(visits, reverse=True)


def test_time_bounds_the_search(net: FakeEvaluator) -> None:
    player = PuctPlayer(net, PuctSettings(time=0.1))
    started = time.perf_counter()
    player.choose(game())
    assert time.perf_counter() - started < 5
    assert PuctPlayer(net).choose(game(), TimeControl.absolute(0).start()).root.visits < 10


def test_the_tree_follows_the_game(net: FakeEvaluator) -> None:
    player = PuctPlayer(net, PuctSettings(visits=200))
    record = game()
    first = player.choose(record)
    record.moves.append(Move(Color.BLACK, first.move))
    reply = first.root.candidates[0].variation[1]
    record.moves.append(Move(Color.WHITE, reply))
    assert player.tree is not None
    expected = player.tree.children([first.move])
    kept = {move: n for move, n, *_ in expected}[reply]
    player.configure(PuctSettings(visits=1))
    assert player.choose(record).root.visits == kept > 5


class Counting(FakeEvaluator):
    asked = 0

    def evaluate(self, positions, **options):  # type: ignore[no-untyped-def]
        self.asked += len(positions)
        return super().evaluate(positions, **options)


def test_every_visit_costs_one_evaluation_and_no_more() -> None:
    net = Counting()
    PuctPlayer(net, PuctSettings(visits=300)).choose(game())
    assert net.asked == 300


def test_a_net_that_fails_leaves_the_player_usable() -> None:
    class Failing(FakeEvaluator):
        fails = False

        def evaluate(self, positions, **options) -> list[Evaluation]:  # type: ignore[no-untyped-def]
            if self.fails:
                raise RuntimeError("out of order")
            return super().evaluate(positions, **options)

    net = Failing()
    player = PuctPlayer(net, PuctSettings(visits=50))
    player.choose(game())
    net.fails = True
    player.configure(PuctSettings(visits=100))
    with pytest.raises(RuntimeError):
        player.choose(game())
    net.fails = False
    assert player.choose(game()).root.visits == 100


def test_a_net_that_fails_waits_for_the_rollouts_beside_it() -> None:
    """The rollouts use the selected leaves: these may be dropped only when the rollouts have ended."""

    class Failing(FakeEvaluator):
        def evaluate(self, positions, **options) -> list[Evaluation]:  # type: ignore[no-untyped-def]
            if len(positions) > 1:
                raise RuntimeError("out of order")
            return super().evaluate(positions, **options)

    class Recording(ThreadPoolExecutor):
        started: list[Future[Any]] = []  # noqa: RUF012

        def submit(self, *work: Any) -> Future[Any]:  # type: ignore[override]
            self.started.append(super().submit(*work))
            return self.started[-1]

    player = PuctPlayer(Failing(), PuctSettings(visits=100, rollouts=200, threads=2))
    player._helper = Recording(1)
    with pytest.raises(RuntimeError):
        player.choose(game())
    assert Recording.started and all(work.done() for work in Recording.started)


def test_a_used_up_memory_ends_the_search_and_is_told(net: FakeEvaluator) -> None:
    root = PuctPlayer(net, PuctSettings(visits=10_000, memory=1)).choose(game()).root
    assert root.full
    assert 100 < root.visits < 10_000


def test_komi_and_handicap_enter_the_lead(net: FakeEvaluator) -> None:
    record = game(komi=0.5)
    record.setup = Setup(black=[20, 60])
    root = PuctPlayer(net, PuctSettings(visits=1)).choose(record).root
    said = net.evaluate([record.position()])[0]
    assert root.to_move is Color.WHITE
    assert root.lead.of(Color.BLACK) == pytest.approx(said.margin.mean - 0.5, abs=1e-4)
    assert root.win_rate.of(Color.BLACK) == pytest.approx(said.win.of(Color.BLACK), abs=1e-4)
    assert np.interp(0.5, root.komi_labels, root.win_by_komi) == pytest.approx(
        said.win.of(Color.BLACK), abs=1e-4
    )


def test_banned_moves_are_neither_searched_nor_played(net: FakeEvaluator) -> None:
    best = PuctPlayer(net, PuctSettings(visits=50)).choose(game()).move
    player = PuctPlayer(net, PuctSettings(visits=50))
    decision = player.choose(game(), question=Question(banned={Color.BLACK: {best: 1}}))
    assert decision.move != best
    assert best not in [c.move for c in decision.root.candidates]
    assert player.choose(game(), question=Question(Limit(visits=200))).root.visits == 200


def test_an_analysis_can_be_stopped_between_batches(net: FakeEvaluator) -> None:
    looks = iter([False, False, True])
    root = last_report(PuctPlayer(net), game(), Question(stop=lambda: next(looks)))
    assert 3 < root.visits < 20


def test_pondering_is_kept_for_the_next_move(net: FakeEvaluator) -> None:
    player = PuctPlayer(net, PuctSettings(visits=10))
    looks = iter([False] * 30 + [True])
    player.ponder(game("E5"), lambda: next(looks))
    assert player.tree is not None
    pondered = player.tree.visits
    assert pondered > 30
    assert last_report(player, game("E5"), Question(Limit(visits=1))).visits == pondered


def test_openings_vary_only_by_the_seed(net: FakeEvaluator) -> None:
    def first(seed: int) -> int:
        settings = PuctSettings(visits=100, variety=4, seed=seed)
        return PuctPlayer(net, settings).choose(game()).move

    moves = [first(seed) for seed in range(12)]
    assert len(set(moves)) > 1
    assert moves == [first(seed) for seed in range(12)]


class Watched(FakeEvaluator):
    """Keeps what it was asked: the number of positions and the symmetries of each call."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[int, list[int] | None]] = []

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        self.asked.append((len(positions), None if symmetries is None else list(symmetries)))
        return super().evaluate(positions, trunk=trunk, komi_labels=komi_labels, sweep=sweep)


def test_each_leaf_is_evaluated_in_a_symmetry_drawn_by_the_seed() -> None:
    def drawn(seed: int) -> list[int]:
        net = Watched()
        PuctPlayer(net, PuctSettings(visits=200, seed=seed)).choose(Game(size=9))
        root, *leaves = net.asked
        assert root == (1, [0])
        assert all(turned is not None and len(turned) == count for count, turned in leaves)
        return [symmetry for _, turned in leaves for symmetry in turned or ()]

    assert set(drawn(1)) == set(range(8))
    assert drawn(1) == drawn(1) != drawn(2)


def test_leaves_are_evaluated_upright_where_no_symmetries_are_wanted() -> None:
    net = Watched()
    PuctPlayer(net, PuctSettings(visits=20, symmetries=False)).choose(Game(size=9))
    assert {turned is None for _, turned in net.asked[1:]} == {True}


def test_a_batch_is_at_most_a_sixteenth_of_the_visits() -> None:
    net = Watched()
    PuctPlayer(net, PuctSettings(visits=600, batch=32)).choose(Game(size=19))
    visits = 1
    for count, _ in net.asked[1:]:
        assert count <= max(1, visits // 16)
        visits += count
    assert max(count for count, _ in net.asked) == 32


def test_a_lower_bound_is_that_of_katago() -> None:
    """KataGo's utilities are twice as wide. It prints a bound 350.00 below a move with one visit, 148.99 with two."""
    alike = Utility(0.5, 0.0)
    assert 200 * alike.error(1) == pytest.approx(350.00, abs=0.005)
    assert 200 * alike.error(2) == pytest.approx(148.95, abs=0.05)
    assert alike.error(10) < 0.04
    assert Utility(0.5, 0.1).error(1000) == pytest.approx(5 * 0.1 / math.sqrt(1000), rel=1e-3)


def test_the_best_lower_bound_among_the_moves_with_many_visits_comes_first() -> None:
    def candidate(move: int, visits: int, win: float) -> Candidate:
        rate = WinRate(win, Color.BLACK)
        return Candidate(move, visits, 0.1, rate, None, (move,), (visits,), None, Utility(win, 0.1), rate)

    found = [candidate(0, 100, 0.50), candidate(1, 60, 0.60), candidate(2, 14, 0.95), candidate(3, 1, 1.0)]
    put_best_first(found, Color.BLACK)
    assert [c.move for c in found] == [1, 0, 2, 3]
    put_best_first(found, Color.WHITE)
    assert [c.move for c in found] == [0, 1, 2, 3]


def test_of_moves_that_win_as_often_the_one_that_wins_by_more_is_preferred() -> None:
    """The net gives every position the same win rate, and Black ten points more if the first stone is at C3."""

    class Points(FakeEvaluator):
        def evaluate(self, positions: Sequence[Position], **wanted: Any) -> list[Evaluation]:
            found = super().evaluate(positions, **wanted)
            level = np.full(26, 1 / 26, np.float32)
            return [
                replace(
                    each,
                    policy=level,
                    win_by_komi=np.full_like(given(each.win_by_komi), 0.9),
                    margin=Margin(17.5 if position.stones()[2, 2] == Color.BLACK else 7.5, 5.0),
                )
                for position, each in zip(positions, found, strict=True)
            ]

    def candidates(score_weight: float) -> tuple[Candidate, ...]:
        settings = PuctSettings(visits=200, score_weight=score_weight)
        return PuctPlayer(Points(), settings).choose(Game(size=5)).root.candidates

    best, second, *_ = candidates(0.15)
    assert Position(5).vertex(best.move) == "C3" and best.visits >= 2 * second.visits
    assert given(best.win_rate).of(Color.BLACK) == pytest.approx(0.9, abs=1e-6)  # the score is not in it
    best, second, *_ = candidates(0)
    assert best.visits <= second.visits + 1


@pytest.mark.parametrize("limit", [0.05, 0.5, 2.0])
def test_a_limit_of_time_is_kept_to_one_leaf(limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The evaluation of the root counts, and no batch is begun that would end too late."""
    net = Slow(monkeypatch, 0.02)
    root = PuctPlayer(net, PuctSettings(time=limit)).choose(Game(size=9)).root
    spent = net.now - 100.0
    assert limit - 0.04 <= spent <= limit + 1e-9
    assert root.visits == net.count


def test_a_net_that_grows_slow_is_asked_less(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Slow(monkeypatch, *[0.001] * 200, 0.02)
    PuctPlayer(net, PuctSettings(time=1.0)).choose(Game(size=9))
    assert net.now - 100.0 <= 1.0 + 16 * 0.02


def test_a_clock_alone_bounds_a_search_without_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = TimeControl.byoyomi(0, 5, 1).start()
    net = Slow(monkeypatch, 0.001)
    decided = PuctPlayer(net, PuctSettings()).choose(Game(size=9), clock)
    assert decided.root.visits > 2000 and net.now - 100.0 < 5
    assert PuctPlayer(net, PuctSettings()).choose(Game(size=9)).root.visits == 400
    assert PuctPlayer(net, PuctSettings(visits=50)).choose(Game(size=9), clock).root.visits == 50


class Ahead(FakeEvaluator):
    """A net whose lead is half of its expected score, as the nets of strong programs are."""

    def evaluate(self, positions: Sequence[Position], **options: Any) -> list[Evaluation]:
        return [
            replace(found, lead=Lead(given(found.lead).of(Color.BLACK) / 2, Color.BLACK))
            for found in super().evaluate(positions, **options)
        ]


def test_the_lead_is_the_nets_lead_and_the_score_its_expected_score() -> None:
    net, record = Ahead(), game("E5 C3")
    found = net.evaluate([record.position()])[0]
    margin = given(found.margin)
    root = last_report(PuctPlayer(net), record, Question(Limit(visits=1)))
    assert root.lead is not None and root.score is not None
    assert root.lead.of(Color.BLACK) == pytest.approx(given(found.lead).of(Color.BLACK), abs=1e-4)
    assert root.score.mean.of(Color.BLACK) == pytest.approx(margin.mean - 7.0, abs=1e-4)
    assert root.score.deviation == pytest.approx(margin.deviation, abs=1e-3)

    root = last_report(PuctPlayer(net), record, Question(Limit(visits=80)))
    assert root.lead is not None and root.score is not None
    for one in (root, *root.candidates):
        assert one.lead is not None and one.score is not None
        assert one.lead.of(Color.BLACK) == pytest.approx(one.score.mean.of(Color.BLACK) / 2, abs=1e-3)
    # The leaves' means differ, so that the score varies more than within one leaf.
    assert root.score.deviation > margin.deviation


def test_a_hiccup_in_one_move_does_not_stop_the_search_of_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that took longer than the limit says nothing of the batches to come."""
    net = Slow(monkeypatch, 0.01, 0.01, 30.0, 0.01)
    player = PuctPlayer(net, PuctSettings(time=0.5))
    player.choose(game("E5"))
    assert net.now - 100.0 > 30
    assert player.choose(game("C3")).root.visits > 40
