"""The native PUCT tree against a plain one written here, and what it promises of komi, memory and reuse."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from tengen import Color, Position
from tengen._native import Tree, TreeSettings

LABELS = [-0.5, 0.5, 6.5, 7.5, 8.5]


def opinion(position: Position) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], float]:
    """A made-up evaluation that depends on the stones and the turn alone: policy, win_by_komi, margin."""
    seed = zlib.crc32(position.stones().tobytes() + bytes([position.side, position.passes]))
    random = np.random.default_rng(seed)
    policy = random.random(position.size**2 + 1) ** 6
    wins = np.sort(random.random(len(LABELS)))[::-1]
    return (policy / policy.sum()).astype(np.float32), wins.astype(np.float32), float(random.normal(0, 5))


def evaluate_selected(tree: Tree, n: int) -> None:
    opinions = [opinion(tree.leaf(i)) for i in range(n)]  # type: ignore[arg-type]
    tree.expand(
        np.stack([o[0] for o in opinions]),
        np.stack([o[1] for o in opinions]),
        np.array([o[2] for o in opinions], dtype=np.float32),
    )


def search(tree: Tree, visits: int, batch: int = 16) -> Tree:
    while tree.visits < visits:
        n = tree.select(batch, visits)
        if n:
            evaluate_selected(tree, n)
        elif tree.full:
            break
    return tree


@dataclass
class Plain:
    """A node of the tree as the papers describe it, one leaf at a time."""

    position: Position
    prior: float = 1.0
    visits: int = 0
    value_sum: float = 0.0
    untried: list[tuple[float, int]] = field(default_factory=list)
    children: dict[int, Plain] = field(default_factory=dict)
    terminal: float | None = None

    def visit(self, komi: float, settings: TreeSettings, root: bool = True) -> float:
        if self.visits == 0:
            value = self.expand(komi, root)
        elif self.terminal is not None:
            value = self.terminal
        else:
            value = self.choose(settings).visit(komi, settings, root=False)
        self.visits += 1
        self.value_sum += value
        return value

    def expand(self, komi: float, root: bool) -> float:
        if self.position.passes >= 2 and not root:
            owner = self.position.score().owner
            margin = int((owner == Color.BLACK).sum()) - int((owner == Color.WHITE).sum())
            self.terminal = float(margin > komi)
            return self.terminal
        policy, wins, _ = opinion(self.position)
        legal = self.position.legal_moves
        mass = policy[legal].sum()
        self.untried = sorted((-stored_prior(float(policy[m] / mass)), m) for m in legal)
        return math.floor(float(wins[LABELS.index(komi)] * np.float32(65535)) + 0.5) / 65535

    def choose(self, settings: TreeSettings) -> Plain:
        def mine(black: float) -> float:
            return black if self.position.to_move is Color.BLACK else 1 - black

        growth = 1 + settings.c_growth * math.log(1 + self.visits / 500)
        bonus = settings.c_puct * growth * math.sqrt(self.visits)
        tried = sum(c.prior for c in self.children.values())
        fpu = mine(self.value_sum / self.visits) - settings.fpu_reduction * math.sqrt(tried)

        def score(child: Plain) -> float:
            return mine(child.value_sum / child.visits) + bonus * child.prior / (1 + child.visits)

        best = max(self.children.values(), key=score, default=None)
        if self.untried:
            prior, move = -self.untried[0][0], self.untried[0][1]
            if best is None or fpu + bonus * prior > score(best):
                self.untried.pop(0)
                self.children[move] = Plain(self.position.copy().play(move), prior)
                return self.children[move]
        assert best is not None
        return best


def stored_prior(p: float) -> float:
    return 2.0 ** -(min(round(-math.log2(p) * 2048), 0xFFFF) / 2048)


@pytest.mark.parametrize("size", [2, 5])
def test_one_leaf_at_a_time_it_is_the_plain_tree(size: int) -> None:
    settings = TreeSettings()
    start = Position(size)
    plain = Plain(start.copy())
    for _ in range(400):
        plain.visit(7.5, settings)
    tree = search(Tree(start, LABELS, settings), 400, batch=1)

    def compare(node: Plain, path: list[int]) -> None:
        native = {move: (n, q) for move, n, _, q, _ in tree.children(path)}
        assert {m: c.visits for m, c in node.children.items()} == {m: n for m, (n, _) in native.items()}
        for move, child in node.children.items():
            assert native[move][1] == pytest.approx(child.value_sum / child.visits, abs=1e-6)
            compare(child, [*path, move])

    compare(plain, [])
    assert tree.visits == 400


def test_a_batch_holds_different_leaves_and_leaves_no_virtual_loss_behind() -> None:
    tree = Tree(Position(9), LABELS, TreeSettings())
    assert tree.select(16, 1000) == 1  # nothing but the root is known yet
    evaluate_selected(tree, 1)
    n = tree.select(16, 1000)
    boards = {tree.leaf(i).stones().tobytes() for i in range(n)}
    assert n == len(boards) == 16
    evaluate_selected(tree, n)
    assert tree.visits == 17
    assert sum(child[1] for child in tree.children()) == 16


def test_abandoned_leaves_are_selected_again() -> None:
    tree = search(Tree(Position(9), LABELS, TreeSettings()), 20)
    n = tree.select(16, 1000)
    first = [tree.leaf(i).stones().tobytes() for i in range(n)]
    tree.abandon()
    assert tree.select(16, 1000) == n
    assert [tree.leaf(i).stones().tobytes() for i in range(n)] == first


def test_the_same_seed_gives_the_same_tree_on_any_number_of_threads() -> None:
    def lines(threads: int) -> list[tuple[int, int, float, float, float]]:
        tree = Tree(Position(5), LABELS, TreeSettings(lambda_=0.5, rollouts=8, seed=7))
        while tree.visits < 100:
            n = tree.select(16, 100)
            tree.roll_out(threads)
            evaluate_selected(tree, n)
        return tree.children()

    assert lines(1) == lines(3)


def test_rollouts_are_mixed_by_lambda() -> None:
    """w_k = (1 - lambda) r_k + lambda v_k (CGI, III.B)."""

    def root(lambda_: float) -> npt.NDArray[np.float64]:
        tree = Tree(Position(5), LABELS, TreeSettings(lambda_=lambda_, rollouts=50, seed=3))
        tree.select(1, 1)
        tree.roll_out(1)
        evaluate_selected(tree, 1)
        return np.array(tree.win_by_komi())

    rollouts, net = root(0), root(1)
    np.testing.assert_allclose(net, opinion(Position(5))[1], atol=1e-5)
    np.testing.assert_allclose(root(0.5), (rollouts + net) / 2, atol=2e-5)
    assert rollouts[0] > rollouts[-1]


def test_rollouts_must_be_there_to_be_mixed() -> None:
    with pytest.raises(ValueError, match="lambda below 1 needs rollouts"):
        Tree(Position(5), LABELS, TreeSettings(lambda_=0.5))


def test_a_change_of_komi_revalues_the_tree_without_evaluations() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 300)
    before = tree.children()
    by_komi = tree.win_by_komi()
    for komi, expected in zip(LABELS, by_komi, strict=True):
        tree.komi = komi
        assert tree.win_rate == pytest.approx(expected, abs=1e-9)
        mean = sum(n * q for _, n, _, q, _ in tree.children()) + opinion(Position(5))[1][LABELS.index(komi)]
        assert tree.win_rate == pytest.approx(mean / 300, abs=1e-6)
    tree.komi = 7.0  # a draw is half a win: the mean of the win rates on either side
    assert tree.win_rate == pytest.approx((by_komi[2] + by_komi[3]) / 2)
    tree.komi = 100.0  # beyond the labels, the last of them
    assert tree.win_rate == pytest.approx(by_komi[-1])
    tree.komi = 7.5
    assert tree.children() == before


def test_the_handicap_bonus_is_part_of_the_margin() -> None:
    """Black has every point but two for White's handicap bonus: 25 - 2 after two passes."""
    position = Position(5, komi=0.5).set_stones(black=["B2", "D4"], to_move=Color.WHITE).play("pass")
    tree = Tree(position, LABELS, TreeSettings())
    tree.restrict(Color.BLACK, list(range(25)), 1)
    search(tree, 5)
    assert tree.komi == 0.5
    margins = {move: margin for move, *_, margin in tree.children()}
    assert margins[25] == 23


def test_moving_the_root_keeps_the_subtree_and_drops_the_rest() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 500)
    line = [move for move, _ in tree.principal_variation()[:2]]
    below = tree.children(line)
    n, bytes_before = tree.nodes, tree.bytes
    position = Position(5).play(line[0]).play(line[1])
    kept = tree.move_to(position)
    assert kept == tree.visits == 1 + sum(child[1] for child in below)
    assert tree.children() == below
    assert tree.nodes < n and tree.bytes < bytes_before
    fresh = search(Tree(position, LABELS, TreeSettings()), 1)
    search(tree, 1000)
    assert tree.visits == 1000 and fresh.visits == 1


def test_a_position_elsewhere_starts_anew() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 100)
    unseen = next(m for m in Position(5).legal_moves if m not in [c[0] for c in tree.children()])
    assert tree.move_to(Position(5).play(unseen)) == 0
    assert tree.visits == 0


def test_a_full_tree_stops_growing_and_says_so() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings(memory=100_000)), 100_000)
    assert tree.full
    assert tree.bytes <= 100_000
    assert tree.visits < 100_000


def test_a_node_of_the_full_board_takes_less_than_2_kb() -> None:
    tree = Tree(Position(19), [k + 0.5 for k in range(-20, 21)], TreeSettings())
    assert tree.bytes_a_node < 2000
    search_once = tree.select(1, 1)
    assert search_once == 1
    policy = np.full((1, 362), 1 / 362, dtype=np.float32)
    tree.expand(policy, np.full((1, 41), 0.5, dtype=np.float32), np.zeros(1, dtype=np.float32))
    assert tree.bytes == tree.bytes_a_node


def test_two_passes_end_the_game_and_are_counted_with_all_stones_alive() -> None:
    position = Position.from_text(
        """
        . X . O .
        . X . O .
        . X . O .
        . X . O .
        . X . O .
        """,
        rules="tromp-taylor",
    )
    tree = Tree(position.play("pass"), LABELS, TreeSettings())
    tree.komi = -0.5
    search(tree, 200)
    passed = {move: (n, q) for move, n, _, q, _ in tree.children()}[25]
    assert passed[1] == 1.0  # level on the board, so Black wins at komi -0.5


def test_banned_moves_are_not_searched_and_may_come_back() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings())
    tree.restrict(Color.BLACK, [m for m in range(26) if m not in (0, 12)], 1)
    search(tree, 60)
    assert {c[0] for c in tree.children()} == {0, 12}
    assert len(tree.children([12])) > 2 or len(tree.children([0])) > 2  # White may answer anywhere
    tree.restrict(Color.BLACK, [], 0)
    search(tree, 200)
    assert len(tree.children()) > 2
    assert sum(c[1] for c in tree.children()) == 199


def test_evaluations_that_are_no_numbers_are_refused() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings())
    tree.select(1, 1)
    policy = np.full((1, 26), np.nan, dtype=np.float32)
    with pytest.raises(ValueError, match="not a number"):
        tree.expand(policy, np.zeros((1, 5), np.float32), np.zeros(1, np.float32))
    with pytest.raises(ValueError, match="shapes"):
        tree.expand(policy[:, :5], np.zeros((1, 5), np.float32), np.zeros(1, np.float32))
