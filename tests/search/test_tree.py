"""The native PUCT tree against a plain one written here, and what it promises of komi, memory and reuse."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest

from tengen import Color, Position, Rules
from tengen._native import Tree, TreeSettings
from tengen.go.rules import HandicapBonus
from tengen.nets.fake import FakeEvaluator
from tengen.nets.komi import komi_labels_for

LABELS = [-0.5, 0.5, 6.5, 7.5, 8.5]


def opinion(position: Position) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], float]:
    """An invented evaluation that depends on the stones and the turn alone: policy, win_by_komi, margin."""
    seed = zlib.crc32(position.stones().tobytes() + bytes([position.side, position.passes]))
    random = np.random.default_rng(seed)
    policy = random.random(position.size**2 + 1) ** 6
    wins = np.sort(random.random(len(LABELS)))[::-1]
    return (policy / policy.sum()).astype(np.float32), wins.astype(np.float32), float(random.normal(0, 5))


SCORE_DEVIATION = 4.0


def evaluate_selected(tree: Tree, n: int) -> None:
    """The expected score is the margin, with the same deviation everywhere."""
    opinions = [opinion(tree.leaf(i)) for i in range(n)]  # type: ignore[arg-type]
    tree.expand(
        np.stack([o[0] for o in opinions]),
        np.stack([o[1] for o in opinions]),
        np.array([o[2] for o in opinions], dtype=np.float32),
        np.array([(o[2], o[2] ** 2 + SCORE_DEVIATION**2) for o in opinions], dtype=np.float32),
    )


def search(tree: Tree, visits: int, batch: int = 16) -> Tree:
    while tree.visits < visits:
        n = tree.select(batch, visits)
        if n:
            evaluate_selected(tree, n)
        elif tree.full:
            break
    return tree


def worth(points: float, centre: float, variance: float, settings: TreeSettings, size: int) -> float:
    """What a score is worth beside the win rate, by its distance from the centre and, a third as much, from even."""

    def share(distance: float, points_a_line: float) -> float:
        scale = math.sqrt((points_a_line * size) ** 2 + 2 / math.pi * variance)
        return 2 / math.pi * math.atan(distance / scale)

    return settings.score_weight * (share(points - centre, 0.75) + share(points, 2) / 3)


@dataclass
class Plain:
    """A node of the tree as the papers describe it, one leaf at a time. Values are Black's."""

    position: Position
    is_root: bool = True
    centre: float = 0.0
    prior: float = 1.0
    wins: list[float] = field(default_factory=list)
    """The win rate of each visit."""
    utilities: list[float] = field(default_factory=list)
    untried: list[tuple[float, int]] = field(default_factory=list)
    children: dict[int, Plain] = field(default_factory=dict)
    terminal: tuple[float, float] | None = None

    @property
    def visits(self) -> int:
        return len(self.wins)

    @property
    def win_rate(self) -> float:
        return sum(self.wins) / self.visits

    @property
    def utility(self) -> float:
        return sum(self.utilities) / self.visits

    def visit(self, komi: float, settings: TreeSettings) -> tuple[float, float]:
        """The leaf's win rate and utility."""
        if self.visits == 0:
            found = self.expand(komi, settings)
        elif self.terminal is not None:
            found = self.terminal
        else:
            found = self.choose(settings).visit(komi, settings)
        self.wins.append(found[0])
        self.utilities.append(found[1])
        return found

    def expand(self, komi: float, settings: TreeSettings) -> tuple[float, float]:
        size = self.position.size
        if self.position.passes >= 2 and not self.is_root:
            owner = self.position.score().owner
            margin = int((owner == Color.BLACK).sum()) - int((owner == Color.WHITE).sum())
            win = float(margin > komi)
            self.terminal = win, win + worth(margin - komi, self.centre, 0, settings, size)
            return self.terminal
        policy, wins, margin = opinion(self.position)
        if self.is_root:
            self.centre = 0.8 * (margin - komi)
        legal = self.position.legal_moves
        mass = policy[legal].sum()
        self.untried = sorted((-stored_prior(float(policy[m] / mass)), m) for m in legal)
        win = float(wins[LABELS.index(komi)])
        return win, win + worth(margin - komi, self.centre, SCORE_DEVIATION**2, settings, size)

    def choose(self, settings: TreeSettings) -> Plain:
        def mine(black: float) -> float:
            return black if self.position.to_move is Color.BLACK else 1 - black

        spread = 2 * 0.2**2 + (self.utility - 0.5) ** 2 + sum((u - self.utility) ** 2 for u in self.utilities)
        below = self.visits - 1
        deviation = math.sqrt(spread / (2 + below))
        c = settings.c_puct * (1 + settings.c_growth * math.log(1 + below / 500))
        c *= 1 + settings.spread_weight * (deviation / 0.2 - 1)
        bonus = c * math.sqrt(below + 0.01)
        tried = sum(child.prior for child in self.children.values())
        known = min(1.0, tried**2)
        expected = known * self.utility + (1 - known) * self.utilities[0]
        reduction = settings.fpu_reduction * (0.5 if self.is_root else 1)
        fpu = mine(expected) - reduction * math.sqrt(tried)

        def score(child: Plain) -> float:
            return mine(child.utility) + bonus * child.prior / (1 + child.visits)

        best = max(self.children.values(), key=score, default=None)
        if self.untried:
            prior, move = -self.untried[0][0], self.untried[0][1]
            if best is None or fpu + bonus * prior > score(best):
                self.untried.pop(0)
                self.children[move] = Plain(self.position.copy().play(move), False, self.centre, prior)
                return self.children[move]
        assert best is not None
        return best


def stored_prior(p: float) -> float:
    return 2.0 ** -(min(round(-math.log2(p) * 2048), 0xFFFF) / 2048)


@pytest.mark.parametrize("size", [2, 5])
def test_one_leaf_at_a_time_it_is_the_plain_tree(size: int) -> None:
    settings = TreeSettings()
    start = Position(size, "tromp-taylor")
    plain = Plain(start.copy())
    for _ in range(400):
        plain.visit(7.5, settings)
    tree = search(Tree(start, LABELS, settings), 400, batch=1)

    def compare(node: Plain, path: list[int]) -> None:
        native = {move: (n, q) for move, n, _, q, _ in tree.children(path)}
        assert {m: c.visits for m, c in node.children.items()} == {m: n for m, (n, _) in native.items()}
        for move, child in node.children.items():
            assert native[move][1] == pytest.approx(child.win_rate, abs=1e-6)
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
    def lines(threads: int) -> list[tuple[int, int, float, float | None, float | None]]:
        tree = Tree(Position(5), LABELS, TreeSettings(lambda_=0.5, rollouts=8, seed=7))
        while tree.visits < 100:
            n = tree.select(16, 100)
            tree.roll_out(threads)
            evaluate_selected(tree, n)
        return tree.children()

    assert lines(1) == lines(3)


def rolled_root(lambda_: float, size: int = 5) -> Tree:
    """A tree with its root evaluated, and 50 rollouts from it."""
    tree = Tree(Position(size), LABELS, TreeSettings(lambda_=lambda_, rollouts=50, seed=3))
    tree.select(1, 1)
    tree.roll_out(1)
    evaluate_selected(tree, 1)
    return tree


def curve(tree: Tree, source: str = "mixed") -> npt.NDArray[np.float64]:
    found = tree.win_by_komi(source)
    assert found is not None
    return found


def test_rollouts_are_mixed_by_lambda() -> None:
    """w_k = (1 - lambda) r_k + lambda v_k (CGI, III.B)."""
    rollouts, net = curve(rolled_root(0)), curve(rolled_root(1))
    np.testing.assert_allclose(net, opinion(Position(5))[1], atol=1e-7)
    np.testing.assert_allclose(curve(rolled_root(0.5)), (rollouts + net) / 2, atol=1e-7)
    assert rollouts[0] > rollouts[-1]


@pytest.mark.parametrize("lambda_", [0.0, 0.25, 1.0])
def test_net_and_rollouts_can_be_read_apart_whatever_lambda_is(lambda_: float) -> None:
    tree = rolled_root(lambda_)
    _, wins, margin = opinion(Position(5))
    np.testing.assert_allclose(curve(tree, "net"), wins, atol=1e-7)
    np.testing.assert_allclose(curve(tree, "rollouts"), curve(rolled_root(0)), atol=1e-7)
    rolled = tree.margin("rollouts")
    assert rolled is not None and abs(rolled) <= 25 and rolled != pytest.approx(margin, abs=0.01)
    assert tree.margin("net") == pytest.approx(margin, abs=1e-5)
    assert tree.margin() == pytest.approx((1 - lambda_) * rolled + lambda_ * margin, abs=1e-5)


def test_the_nets_curve_is_kept_as_it_is_given() -> None:
    """16 bits would be wrong by up to 1e-5."""
    tree = search(Tree(Position(9), LABELS, TreeSettings()), 1)
    np.testing.assert_array_equal(curve(tree).astype(np.float32), opinion(Position(9))[1])


def test_another_lambda_revalues_the_tree() -> None:
    def tree_of(settings: TreeSettings) -> Tree:
        tree = Tree(Position(5), LABELS, settings)
        while tree.visits < 60:
            n = tree.select(16, 60)
            tree.roll_out(1)
            evaluate_selected(tree, n)
        return tree

    tree = tree_of(TreeSettings(lambda_=0.5, rollouts=4))
    rollouts, before = curve(tree, "rollouts"), tree.children()
    tree.configure(TreeSettings(lambda_=0, rollouts=2, c_puct=1))
    np.testing.assert_allclose(curve(tree), rollouts)
    assert tree.win_rate == pytest.approx(rollouts[LABELS.index(7.5)])
    tree.configure(TreeSettings(lambda_=0.5, rollouts=4))
    assert tree.children() == before
    for other in (TreeSettings(), TreeSettings(lambda_=0.5, rollouts=4, memory=1 << 20)):
        with pytest.raises(ValueError, match="make another"):
            tree.configure(other)


def test_without_rollouts_there_is_nothing_of_them_to_read() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 10)
    assert tree.margin("rollouts") is None and tree.win_by_komi("rollouts") is None
    assert tree.margin("net") == tree.margin()
    with pytest.raises(ValueError, match="known are mixed, net, rollouts"):
        tree.margin("dice")


def test_a_net_without_win_rates_and_margins_is_searched_by_rollouts() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings(lambda_=0, rollouts=20))
    while tree.visits < 40:
        n = tree.select(8, 40)
        tree.roll_out(1)
        tree.expand(np.stack([opinion(tree.leaf(i))[0] for i in range(n)]), None, None)  # type: ignore[arg-type]
    assert tree.win_by_komi("net") is None and tree.margin("net") is None
    np.testing.assert_array_equal(curve(tree), curve(tree, "rollouts"))
    assert tree.margin() == tree.margin("rollouts") is not None


def test_margins_that_nobody_knows_are_none() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings())
    assert tree.win_rate is None and tree.margin() is None and tree.win_by_komi() is None  # no visit yet
    tree.select(1, 1)
    policy, wins, _ = opinion(Position(5))
    tree.expand(policy[None], wins[None], None)
    assert tree.win_rate == pytest.approx(wins[LABELS.index(7.5)])
    assert tree.margin() is None
    tree.select(1, 2)
    with pytest.raises(ValueError, match="for all leaves or for none"):
        tree.expand(policy[None], wins[None], np.zeros(1, np.float32))


def test_a_net_without_win_rates_needs_rollouts_alone() -> None:
    for settings in (TreeSettings(), TreeSettings(lambda_=0.5, rollouts=2)):
        tree = Tree(Position(5), LABELS, settings)
        tree.select(1, 1)
        tree.roll_out(1)
        with pytest.raises(ValueError, match="no win rates: lambda must be 0, with rollouts"):
            tree.expand(opinion(Position(5))[0][None], None, np.zeros(1, np.float32))


def test_rollouts_must_be_there_to_be_mixed() -> None:
    with pytest.raises(ValueError, match="lambda below 1 needs rollouts"):
        Tree(Position(5), LABELS, TreeSettings(lambda_=0.5))


def test_a_change_of_komi_revalues_the_tree_without_evaluations() -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 300)
    before = tree.children()
    by_komi = curve(tree)
    for komi, expected in zip(LABELS, by_komi, strict=True):
        tree.komi = komi
        assert tree.win_rate == pytest.approx(expected, abs=1e-9)
        values = [(n, q) for _, n, _, q, _ in tree.children() if q is not None]
        mean = sum(n * q for n, q in values) + opinion(Position(5))[1][LABELS.index(komi)]
        assert tree.win_rate == pytest.approx(mean / 300, abs=1e-6)
    tree.komi = 7.0  # a draw is half a win: the mean of the win rates on either side
    assert tree.win_rate == pytest.approx((by_komi[2] + by_komi[3]) / 2)
    tree.komi = 7.5
    assert tree.children() == before


@pytest.mark.parametrize("komi", [-0.6, 8.6, 100.0, math.nan])
def test_a_komi_beyond_the_labels_is_refused_and_changes_nothing(komi: float) -> None:
    tree = search(Tree(Position(5), LABELS, TreeSettings()), 50)
    before = tree.children()
    with pytest.raises(ValueError, match=r"komi .* is outside of the komi labels, which go from -0.5 to 8.5"):
        tree.komi = komi
    with pytest.raises(ValueError, match="outside"):
        tree.win_rates_at(komi)
    assert (tree.komi, tree.children()) == (7.5, before)
    if komi == komi:
        with pytest.raises(ValueError, match="outside"):
            tree.move_to(Position(5, komi=komi))
        with pytest.raises(ValueError, match="outside"):
            Tree(Position(5, komi=komi), LABELS, TreeSettings())
    assert (tree.komi, tree.children()) == (7.5, before)


def test_win_rates_at_another_komi_are_those_of_a_tree_at_that_komi() -> None:
    """Also between labels, and with games that ended in the tree."""
    tree = search(Tree(Position(2), LABELS, TreeSettings()), 300)
    before = tree.children()
    for komi in (*LABELS, 3.25):
        found = tree.win_rates_at(komi)
        assert found is not None
        assert (tree.komi, tree.children()) == (7.5, before)
        tree.komi = komi
        assert found[0] == pytest.approx(tree.win_rate)
        assert dict(found[1]) == pytest.approx({move: q for move, _, _, q, _ in tree.children()})
        tree.komi = 7.5


def test_the_handicap_bonus_is_part_of_the_margin() -> None:
    """Black has every point but two for White's handicap bonus: 25 - 2 after two passes."""
    rules = Rules(handicap_bonus=HandicapBonus.STONES, friendly_pass=False, komi=0.5)
    position = Position(5, rules).set_stones(black=["B2", "D4"], to_move=Color.WHITE).play("pass")
    tree = Tree(position, LABELS, TreeSettings())
    tree.restrict(Color.BLACK, dict.fromkeys(range(25), 1))
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


@pytest.mark.parametrize("rollouts", [0, 2])
def test_a_node_of_the_full_board_takes_less_than_2_kb(rollouts: int) -> None:
    labels = komi_labels_for(FakeEvaluator().card, 19, 7.5)
    assert len(labels) == 69
    tree = Tree(Position(19), labels.tolist(), TreeSettings(rollouts=rollouts))
    assert tree.bytes_a_node < 2048
    assert tree.select(1, 1) == 1
    tree.roll_out(1)
    policy = np.full((1, 362), 1 / 362, dtype=np.float32)
    tree.expand(policy, np.full((1, 69), 0.5, dtype=np.float32), np.zeros(1, dtype=np.float32))
    assert tree.bytes == tree.bytes_a_node


LEVEL = """
    . X . O .
    . X . O .
    . X . O .
    . X . O .
    . X . O .
    """


def test_where_all_stones_stand_two_passes_are_counted_at_once() -> None:
    position = Position.from_text(LEVEL, rules="tromp-taylor")
    tree = Tree(position.play("pass"), LABELS, TreeSettings())
    tree.komi = -0.5
    search(tree, 200)
    passed = {move: (n, q) for move, n, _, q, _ in tree.children()}[25]
    assert passed[1] == 1.0  # level on the board, so Black wins at komi -0.5


def after_two_passes(rules: str, settings: TreeSettings, margin: float | None = None) -> Tree:
    """The tree of a position after a pass in which Black may do nothing but pass; each leaf that is over is counted."""
    position = Position.from_text(LEVEL, Color.WHITE, rules).play("pass")
    position.rules = position.rules.with_komi(-0.5)
    tree = Tree(position, LABELS, settings)
    tree.restrict(Color.BLACK, dict.fromkeys(range(25), 1))
    while tree.visits < 10:
        n = tree.select(4, 10)
        tree.roll_out(1)
        for i in range(n):
            if margin is not None and tree.leaf(i).passes >= 2:
                tree.count(i, margin)
        if n:
            evaluate_selected(tree, n)
    return tree


@pytest.mark.parametrize("rules", ["chinese", "aga", "new-zealand", "japanese"])
def test_where_dead_stones_are_agreed_on_an_ended_game_is_one_leaf_like_any_other(rules: str) -> None:
    tree = after_two_passes(rules, TreeSettings())
    (passed,) = tree.children()
    ended = Position.from_text(LEVEL, Color.WHITE, rules).play("pass").play("pass")
    assert passed[:2] == (25, 9)
    assert passed[3] == pytest.approx(opinion(ended)[1][0])
    assert not tree.children([25], True)  # nothing is searched behind it


@pytest.mark.parametrize("settings", [TreeSettings(), TreeSettings(lambda_=0.5, rollouts=4)])
def test_a_counted_game_has_its_margin_and_result_whatever_net_and_rollouts_say(
    settings: TreeSettings,
) -> None:
    for margin, win_rate in ((3.0, 1.0), (-3.0, 0.0), (-0.5, 0.5)):
        tree = after_two_passes("chinese", settings, margin)
        (passed,) = tree.children()
        assert passed[3:] == (pytest.approx(win_rate, abs=1e-5), margin)
        assert tree.score([25]) is None or tree.score([25])[0] == margin


def test_only_a_leaf_that_is_over_can_be_counted() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings())
    tree.select(1, 1)
    with pytest.raises(ValueError, match="two passes"):
        tree.count(0, 3.0)
    with pytest.raises(IndexError):
        tree.count(1, 3.0)


def test_banned_moves_are_not_searched_and_may_come_back() -> None:
    tree = Tree(Position(5), LABELS, TreeSettings())
    tree.restrict(Color.BLACK, {m: 1 for m in range(26) if m not in (0, 12)})
    search(tree, 60)
    assert {c[0] for c in tree.children()} == {0, 12}
    assert len(tree.children([12])) > 2 or len(tree.children([0])) > 2  # White may answer anywhere
    tree.restrict(Color.BLACK, {})
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


def test_each_banned_move_has_its_own_depth() -> None:
    """Black moves at depths 0, 2, 4: of three moves one is barred at the root, one below it too, one everywhere."""
    tree = Tree(Position(3), LABELS, TreeSettings())
    tree.restrict(Color.BLACK, {0: 1, 1: 3, 2: 1000})
    search(tree, 2000)
    assert not {0, 1, 2} & {c[0] for c in tree.children()}
    second, third = set(), set()
    for first, *_ in tree.children():
        for answer, *_ in tree.children([first]):
            second |= {c[0] for c in tree.children([first, answer])}
            for mine in second:
                for reply, *_ in tree.children([first, answer, mine]):
                    third |= {c[0] for c in tree.children([first, answer, mine, reply])}
    assert 0 in second and not {1, 2} & second
    assert 1 in third and 2 not in third


def test_root_noise_of_0_changes_nothing() -> None:
    plain = search(Tree(Position(5), LABELS, TreeSettings()), 300)
    quiet = Tree(Position(5), LABELS, TreeSettings())
    quiet.set_root_noise(1.0)
    quiet.set_root_noise(0.0)
    search(quiet, 300)
    assert quiet.children() == plain.children()
    assert quiet.principal_variation() == plain.principal_variation()


def test_root_noise_tries_more_moves_and_leaves_priors_and_answers_alone() -> None:
    def noisy(noise: float, seed: int) -> Tree:
        tree = Tree(Position(5), LABELS, TreeSettings(seed=seed))
        tree.set_root_noise(noise)
        return search(tree, 300)

    plain, some, much = (noisy(noise, 1) for noise in (0.0, 0.3, 2.0))
    assert len(plain.children()) < len(some.children()) < len(much.children())
    priors = {move: prior for move, _, prior, *_ in plain.children([], True)}
    assert all(priors[move] == pytest.approx(prior) for move, _, prior, *_ in much.children())
    assert noisy(0.3, 1).children() == some.children()
    assert noisy(0.3, 2).children() != some.children()
    with pytest.raises(ValueError, match="root noise is from 0 to 5"):
        plain.set_root_noise(6.0)
