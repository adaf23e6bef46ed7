"""KataGo's inputs on drawn boards: what the reference lines do not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tengen import Color, Position, Rules, _native
from tengen.go.rules import HandicapBonus, Ko, Tax
from tengen.planes import encode_inputs, encoding

PLANES = [channel.name for channel in encoding("katago7").planes]
GLOBALS = [channel.name for channel in encoding("katago7").globals]


def marks(position: Position, channel: str, name: str = "katago7") -> set[str]:
    plane = encode_inputs(name, [position]).planes[0, PLANES.index(channel)]
    assert set(np.unique(plane)) <= {0, 1}
    return {position.vertex(int(p)) for p in np.flatnonzero(plane)}


def value(position: Position, channel: str) -> float:
    return float(encode_inputs("katago7", [position]).globals[0, GLOBALS.index(channel)])


def history(position: Position) -> list[set[str]]:
    """The last moves that the net sees, up to the first it does not; a pass is {'pass'}."""
    seen = []
    for n in range(1, 6):
        passed = value(position, f"pass {n}") == 1
        seen.append({"pass"} if passed else marks(position, f"last move {n}"))
    while seen and not seen[-1]:
        seen.pop()
    return seen


def test_numbers_of_channels() -> None:
    assert len(PLANES) == len(set(PLANES)) == 22
    assert len(GLOBALS) == len(set(GLOBALS)) == 19


def test_stones_and_liberties() -> None:
    position = Position.from_text(
        """
        X . . . O
        . . . . .
        . . O . .
        . . . . .
        X . . . X
        """,
        Color.WHITE,
    )
    assert marks(position, "friend") == {"C3", "E5"}
    assert marks(position, "enemy") == {"A1", "A5", "E1"}
    assert marks(position, "liberties 2") == {"A1", "A5", "E1", "E5"}
    assert marks(position, "liberties 1") == marks(position, "liberties 3") == set()
    assert len(marks(position, "on board")) == 25
    assert marks(position, "unused") == set()


def test_history_stops_where_sides_do_not_alternate() -> None:
    position = Position(9, "tromp-taylor")
    for vertex in ("A1", "B1", "C1", "D1", "E1", "F1", "G1"):
        position.play(vertex)
    assert history(position) == [{"G1"}, {"F1"}, {"E1"}, {"D1"}, {"C1"}]
    position.play_as(Color.BLACK, "H1")
    assert history(position) == [{"H1"}]
    position.to_move = Color.BLACK
    assert history(position) == []


def test_friendly_passes_hide_the_history() -> None:
    for rules, seen, ends in (
        ("chinese", [], 0),
        ("aga", [], 0),
        ("tromp-taylor", [{"pass"}, {"B1"}, {"A1"}], 1),
        ("japanese", [{"pass"}, {"B1"}, {"A1"}], 1),
    ):
        position = Position(9, rules).play("A1").play("B1")
        assert value(position, "pass ends") == 0
        position.play("pass")
        assert history(position) == seen
        assert value(position, "pass ends") == ends


def test_after_the_end_one_move_is_seen() -> None:
    position = Position(9, "tromp-taylor").play("A1").play("B1").play("pass").play("pass")
    assert history(position) == [{"pass"}]
    assert value(position, "pass ends") == 1
    position.play("C1")  # the game goes on: the end and what follows it are seen
    assert history(position) == [{"C1"}, {"pass"}]
    position.play("D1")
    assert history(position) == [{"D1"}, {"C1"}, {"pass"}]


@pytest.mark.parametrize("rules", ["japanese", "chinese"])
def test_under_simple_ko_passing_again_on_the_same_board_ends_the_game(rules: str) -> None:
    position = Position.from_text(
        """
        . X O . . X O . .
        X O . O X . X O .
        . X O . . X O . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        Color.BLACK,
        rules,
    )
    before = position.hash
    position.play("pass").play("F8").play("C8")  # each takes a ko
    position.play("pass").play("G8").play("B8")  # and each takes it back
    assert position.hash == before
    assert value(position, "pass ends") == 1
    assert history(position) == [{"B8"}, {"G8"}, {"pass"}, {"C8"}, {"F8"}]  # not hidden: no friendly pass
    position.play("pass")  # ends the game
    assert history(position) == ([] if rules == "chinese" else [{"pass"}])
    position.play("A1")
    assert history(position) == [{"A1"}, {"pass"}]


def test_ladders_now_and_before() -> None:
    position = Position(9, "tromp-taylor")
    position.set_stones(black=["C8", "D8", "B7", "C6"], white=["C7", "D7"], to_move=Color.WHITE)
    assert marks(position, "laddered") == {"C7", "D7"}
    assert marks(position, "catches") == set()  # of White's own stones: nothing to catch for White
    position.play("F4")  # a breaker
    assert marks(position, "laddered") == set()
    assert marks(position, "laddered before") == {"C7", "D7"}
    assert marks(position, "laddered before 2") == {"C7", "D7"}  # there is no board two moves ago
    position.play("J9")
    assert marks(position, "laddered before") == set()
    assert marks(position, "laddered before 2") == {"C7", "D7"}
    position = Position(9).set_stones(black=["C8", "D8", "B7", "C6"], white=["C7", "D7"], to_move=Color.BLACK)
    assert marks(position, "catches") == {"E7"}


def test_ko_and_superko() -> None:
    position = Position.from_text(
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
        """,
        Color.BLACK,
        "tromp-taylor",
    )
    position.play("C4")
    assert marks(position, "ko") == {"B4"}
    position.play("E1").play("D1")
    assert marks(position, "ko") == set()  # the board has changed, the ko may be taken


@pytest.mark.parametrize("ko", [Ko.POSITIONAL, Ko.SITUATIONAL])
def test_superko_points_are_those_that_the_rules_refuse(ko: Ko) -> None:
    """Random play on a tiny board, where boards come back soon."""
    rng = np.random.default_rng(5)
    superko = 0
    for _ in range(40):
        position = Position(3, Rules(ko=ko, suicide=True))
        for _ in range(40):
            position.play(int(rng.choice(position.legal_moves)))
            refused = {p: position.refusal(p, position.to_move) for p in range(9)}
            barred = {position.vertex(p) for p, why in refused.items() if why and "ko" in why}
            assert marks(position, "ko") == barred
            superko += any(why and "superko" in why for why in refused.values())
    assert superko > 20


def test_area() -> None:
    diagram = """
        . X . O .
        X X . O O
        . X . O .
        X X . O O
        . X . O .
        """
    for to_move, left, right in (
        (Color.BLACK, "friend area", "enemy area"),
        (Color.WHITE, "enemy area", "friend area"),
    ):
        position = Position.from_text(diagram, to_move)
        assert marks(position, left) == {f"{x}{y}" for x in "AB" for y in range(1, 6)}
        assert marks(position, right) == {f"{x}{y}" for x in "DE" for y in range(1, 6)}
        territory = Position.from_text(diagram, to_move, "japanese")
        assert marks(territory, left) == marks(territory, right) == set()


def test_area_is_that_of_the_rules() -> None:
    """The map itself has its own tests; here, that suicide and tax choose the right one."""
    rng = np.random.default_rng(2)
    differ = {"suicide": 0, "tax": 0}
    for _ in range(150):
        start = Position(5)
        for _ in range(rng.integers(10, 50)):
            start.play(int(rng.choice(start.legal_moves)))
        black, white = (np.flatnonzero(start.stones().ravel() == c).tolist() for c in Color)
        maps = {}
        for suicide in (False, True):
            for tax in Tax:
                position = Position(5, Rules(suicide=suicide, tax=tax)).set_stones(black, white)
                inputs = encode_inputs("katago7", [position]).planes[0]
                want = _native.katago_area(position, suicide, tax is not Tax.NONE)
                np.testing.assert_array_equal(inputs[PLANES.index("friend area")], want == Color.BLACK)
                np.testing.assert_array_equal(inputs[PLANES.index("enemy area")], want == Color.WHITE)
                asked = encode_inputs("katago7s", [position]).planes[0, PLANES.index("friend area")]
                want = _native.katago_area(position, True, tax is not Tax.NONE)
                np.testing.assert_array_equal(asked, want == Color.BLACK)
                maps[suicide, tax] = inputs[PLANES.index("friend area")]
        differ["suicide"] += not np.array_equal(maps[False, Tax.NONE], maps[True, Tax.NONE])
        differ["tax"] += not np.array_equal(maps[False, Tax.NONE], maps[False, Tax.SEKI])
    assert min(differ.values()) > 0


def test_tax_values() -> None:
    for tax, want in ((Tax.NONE, (0, 0)), (Tax.SEKI, (1, 0)), (Tax.ALL, (1, 1))):
        position = Position(5, Rules(tax=tax))
        assert (value(position, "tax"), value(position, "tax all")) == want


def test_komi_and_its_wave() -> None:
    for komi, to_move, want, wave in (
        (7.5, Color.BLACK, -7.5 / 20, -0.5),  # 361 points: odd komi is even chance
        (7.5, Color.WHITE, 7.5 / 20, 0.5),
        (7.0, Color.WHITE, 7.0 / 20, 0.0),
        (6.0, Color.WHITE, 6.0 / 20, 0.0),
        (6.5, Color.WHITE, 6.5 / 20, -0.5),
        (7.25, Color.WHITE, 7.25 / 20, 0.25),
        (1000, Color.WHITE, 381 / 20, 0.0),
        (-1000, Color.WHITE, -381 / 20, 0.0),
    ):
        position = Position(19, komi=komi)
        position.to_move = to_move
        assert value(position, "komi") == np.float32(want)
        assert value(position, "komi wave") == wave
    assert value(Position(19, "japanese"), "komi wave") == 0
    even = Position(8, komi=6.5)  # 64 points
    even.to_move = Color.WHITE
    assert value(even, "komi wave") == 0.5


def test_handicap_counts_for_white() -> None:
    rules = replace(Rules.named("chinese"), komi=0.5)
    for bonus, points in (
        (HandicapBonus.NONE, 0),
        (HandicapBonus.STONES, 3),
        (HandicapBonus.STONES_LESS_ONE, 2),
    ):
        position = Position(9, replace(rules, handicap_bonus=bonus))
        position.set_stones(black=["C3", "G7", "C7"], to_move=Color.WHITE)
        assert value(position, "komi") == np.float32((0.5 + points) / 20)
        played = Position(9, replace(rules, handicap_bonus=bonus))
        for vertex in ("C3", "G7", "C7"):
            played.play_as(Color.BLACK, vertex)
        assert value(played, "komi") == np.float32((0.5 + points) / 20)


@pytest.mark.parametrize(
    ("setup", "moves", "stones"),
    [
        ([], "B B B", 3),
        ([], "B", 0),  # one stone is no handicap
        ([], "B W B B", 0),  # White's first move ends the count
        ([], "B w B w B W", 3),  # lone white passes are skipped
        ([], "B b B W", 2),  # a black pass is none
        ([], "B B w w B", 0),  # two white moves in a row: somebody sets up a problem
        ([], "B B W W", 0),
        ([40, 41], "", 2),
        ([40, 41], "W B", 2),
        ([40], "B W", 2),
        ([40, 41], "B W W", 2),  # setup stones stay a handicap
    ],
)
def test_handicap_is_counted_as_katago_does(setup: list[int], moves: str, stones: int) -> None:
    """B and W are moves, b and w passes."""
    position = Position(9).set_stones(setup)
    for point, letter in enumerate(moves.split()):
        position.play_as(Color.parse(letter), position.pass_ if letter.islower() else point)
    assert position.handicap_stones == stones


def test_white_setup_stones_are_no_handicap() -> None:
    assert Position(9).set_stones([40, 41], [42]).handicap_stones == 0


def test_territory_counts_stones_played() -> None:
    position = Position(9, "japanese", komi=6.5)
    position.set_stones(black=["C3", "G7"], to_move=Color.WHITE)
    assert value(position, "komi") == np.float32(8.5 / 20)
    position.play("E5")
    assert value(position, "komi") == np.float32(-7.5 / 20)
    position.play("pass")
    assert value(position, "komi") == np.float32(7.5 / 20)


def test_rules() -> None:
    for rules, want in (
        ("chinese", (0, 0, 0, 0)),
        ("japanese", (0, 0, 0, 1)),
        ("tromp-taylor", (1, 0.5, 1, 0)),
        ("aga", (1, -0.5, 0, 0)),
        ("new-zealand", (1, -0.5, 1, 0)),
    ):
        position = Position(9, rules)
        names = ("superko", "situational", "suicide", "territory")
        assert tuple(value(position, name) for name in names) == want
