"""alphago48, cgi49, cgi50 and dann41 on drawn boards. Planes are drawn with 1 and dots."""

from __future__ import annotations

import numpy as np
import pytest

from tengen import Color, Position
from tengen.planes import encode, encoding

ALL = ["alphago48", "cgi49", "cgi50", "dann41"]


def marks(name: str, position: Position, channel: str) -> set[str]:
    plane = encode(name, [position])[0, encoding(name).index(channel)]
    return {position.vertex(int(p)) for p in np.flatnonzero(plane)}


def test_the_order_is_the_papers() -> None:
    alphago = [c.name for c in encoding("alphago48").planes]
    firsts = ["friend", "ones", "turns since 1", "liberties 1", "capture size 0", "self-atari size 1"]
    firsts += ["liberties after 1", "ladder capture", "ladder escape", "sensible", "zeros"]
    assert [alphago.index(name) for name in firsts] == [0, 3, 4, 12, 20, 28, 36, 44, 45, 46, 47]
    assert len(alphago) == 48
    cgi49 = [c.name for c in encoding("cgi49").planes]
    assert cgi49 == [*alphago, "ko"]
    assert [c.name for c in encoding("cgi50").planes] == [*cgi49, "black"]
    dann = [c.name for c in encoding("dann41").planes]
    firsts = [
        "ladder capture",
        "ladder escape",
        "sensible",
        "legal",
        "black",
        "zeros",
        "friend",
        "liberties 1",
    ]
    firsts += ["liberties after 1", "turns since 1", "capture size 0", "self-atari size 1"]
    assert [dann.index(name) for name in firsts] == [0, 1, 2, 3, 4, 5, 6, 9, 13, 19, 25, 33]
    assert len(dann) == 41


@pytest.mark.parametrize("name", ALL)
def test_stones_and_turns_since(name: str) -> None:
    position = Position(9)
    order = ["A9", "C9", "E9", "G9", "J9", "A7", "C7", "E7", "G7"]
    for vertex in order:
        position.play(vertex)
    order.reverse()  # White is to move
    assert marks(name, position, "enemy") == set(order[::2])
    assert marks(name, position, "friend") == set(order[1::2])
    assert len(marks(name, position, "empty")) == 81 - 9
    last = 6 if name == "dann41" else 8
    for n in range(1, last):
        assert marks(name, position, f"turns since {n}") == {order[n - 1]}
    assert marks(name, position, f"turns since {last}") == set(order[last - 1 :])


@pytest.mark.parametrize("name", ALL)
def test_a_stone_taken_and_played_again_is_as_old_as_its_last_play(name: str) -> None:
    position = Position.from_text(
        """
        O . X .
        X X X .
        . . . .
        . . . .
        """
    )
    position.play("B4").play("D1")  # Black takes A4
    assert marks(name, position, "turns since 2") == {"B4"}
    position.play("D4").play("A1")
    assert marks(name, position, "turns since 4") == {"B4"}
    oldest = "turns since 6" if name == "dann41" else "turns since 8"
    assert marks(name, position, oldest) == {"C4", "A3", "B3", "C3"}  # setup stones


@pytest.mark.parametrize("name", ALL)
def test_liberties(name: str) -> None:
    position = Position.from_text(
        """
        X X X X .
        . . . . .
        . O . . .
        . . . . .
        X . . . .
        """
    )
    assert marks(name, position, "liberties 2") == {"A1"}
    assert marks(name, position, "liberties 4") == (
        {"B3", "A5", "B5", "C5", "D5"} if name == "dann41" else {"B3"}
    )
    if name != "dann41":
        assert marks(name, position, "liberties 5") == {"A5", "B5", "C5", "D5"}


CAPTURES = """
    . O O X .
    X X X . .
    O O . . .
    X X . . .
    . . . . .
"""


@pytest.mark.parametrize("name", ALL)
def test_capture_size(name: str) -> None:
    position = Position.from_text(CAPTURES)
    assert marks(name, position, "capture size 2") == {"A5", "C3"}
    none = marks(name, position, "capture size 0")
    assert none == {"D4", "E4", "D3", "E3", "C2", "D2", "E2", "A1", "B1", "C1", "D1", "E1", "E5"}
    position.to_move = Color.WHITE
    assert marks(name, position, "capture size 3") == set()
    assert "A5" not in marks(name, position, "capture size 0")  # suicide


@pytest.mark.parametrize("name", ALL)
def test_self_atari_size(name: str) -> None:
    position = Position.from_text(
        """
        . X . O .
        O O O O .
        . . . . .
        . . . . .
        . . . . .
        """
    )
    # A5 and C5 each leave two stones one liberty, E5 stands alone with one.
    assert marks(name, position, "self-atari size 2") == {"A5", "C5"}
    assert marks(name, position, "self-atari size 1") == {"E5"}
    assert marks(name, position, "liberties after 1") == {"A5", "C5", "E5"}


@pytest.mark.parametrize("name", ALL)
def test_liberties_after(name: str) -> None:
    position = Position.from_text(CAPTURES)
    most = 6 if name == "dann41" else 8
    assert marks(name, position, "liberties after 2") == {"A1", "E5", "E1"}  # A1: B1 and C2; E5: E4 and D4
    # A5 takes two stones: their points, C3 and D4. C3 takes two: theirs, A5, C2, D3, D4.
    assert "A5" in marks(name, position, "liberties after 4")
    assert "C3" in marks(name, position, "liberties after 6")
    every = [marks(name, position, f"liberties after {n}") for n in range(1, most + 1)]
    assert set().union(*every) == {position.vertex(p) for p in position.legal_moves[:-1]}


LADDER = """
    . . . . . . . . .
    . . X X . . . . .
    . X O O . . . . .
    . . X . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


@pytest.mark.parametrize("name", ALL)
def test_ladders(name: str) -> None:
    position = Position.from_text(LADDER)
    assert marks(name, position, "ladder capture") == {"E7"}
    assert marks(name, position, "ladder escape") == set()
    position.play("E7")
    assert marks(name, position, "ladder escape") == set()  # White cannot run
    position.set_stones(white=["F4"], to_move=Color.WHITE)
    assert marks(name, position, "ladder escape") == {"D6"}
    position = Position.from_text(LADDER).set_stones(white=["F4"], to_move=Color.BLACK)
    assert marks(name, position, "ladder capture") == set()


@pytest.mark.parametrize("name", ALL)
def test_sensible_moves_leave_own_eyes_alone(name: str) -> None:
    position = Position.from_text(
        """
        . X . X .
        X X X X X
        . O . . .
        O O O O O
        . O . O .
        """
    )
    legal = {"A5", "C5", "E5", "A3", "C3", "D3", "E3"}
    assert {position.vertex(p) for p in position.legal_moves[:-1]} == legal
    assert marks(name, position, "sensible") == legal - {"A5", "C5", "E5"}
    if name == "dann41":
        assert marks(name, position, "legal") == legal


def test_constants_ko_and_colour() -> None:
    position = Position.from_text(
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
        """
    )
    everywhere = {position.vertex(p) for p in range(25)}
    for name in ALL:
        assert marks(name, position, "zeros") == set()
    for name in ("cgi50", "dann41"):
        assert marks(name, position, "black") == everywhere
    for name in ALL[:3]:
        assert marks(name, position, "ones") == everywhere
    position.play("C4")
    for name in ("cgi50", "dann41"):
        assert marks(name, position, "black") == set()
    for name in ("cgi49", "cgi50"):
        assert marks(name, position, "ko") == {"B4"}
    assert "B4" not in marks("dann41", position, "legal")
