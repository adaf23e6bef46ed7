"""golois42 and golois39 on drawn boards. Planes are drawn with 1 and dots."""

from __future__ import annotations

import numpy as np

from tengen import Color, Position
from tengen.planes import encode, encoding


def drawn(name: str, position: Position, channel: str) -> list[str]:
    plane = encode(name, [position])[0, encoding(name).index(channel)]
    assert set(np.unique(plane)) <= {0, 1}
    return ["".join(".1"[int(v)] for v in row) for row in plane]


def golois(position: Position, channel: str) -> list[str]:
    both = drawn("golois39", position, channel)
    assert both == drawn("golois42", position, channel)
    return both


NOTHING = ["....."] * 5


def test_the_order_is_the_papers() -> None:
    names = [channel.name for channel in encoding("golois42").planes]
    assert len(names) == len(set(names)) == 42
    firsts = {
        "friend": 0,
        "third line": 3,
        "ko": 4,
        "ko point": 5,
        "ownership": 6,
        "criticality": 7,
        "amaf": 8,
        "friend liberties 1": 9,
        "enemy liberties 1": 14,
        "friend liberties after 1": 19,
        "enemy liberties after 1": 25,
        "friend move lost": 31,
        "enemy move lost": 32,
        "caught": 33,
        "escapes": 34,
        "friend threatens": 35,
        "enemy threatens": 36,
        "last move 1": 37,
    }
    assert {name: names.index(name) for name in firsts} == firsts
    rest = [name for name in names if name not in ("ownership", "criticality", "amaf")]
    assert [channel.name for channel in encoding("golois39").planes] == rest


def test_stones_and_liberties_in_the_view_of_the_side_to_move() -> None:
    diagram = """
        X X . . .
        . X O . .
        . . O . .
        . . . . .
        O . . . .
        """
    for to_move, black, white in ((Color.BLACK, "friend", "enemy"), (Color.WHITE, "enemy", "friend")):
        position = Position.from_text(diagram, to_move)
        assert golois(position, black) == ["11...", ".1...", ".....", ".....", "....."]
        assert golois(position, white) == [".....", "..1..", "..1..", ".....", "1...."]
        assert golois(position, "empty") == ["..111", "1..11", "11.11", "11111", ".1111"]
        assert golois(position, f"{black} liberties 3") == ["11...", ".1...", ".....", ".....", "....."]
        assert golois(position, f"{white} liberties 5") == [".....", "..1..", "..1..", ".....", "....."]
        assert golois(position, f"{white} liberties 2") == [".....", ".....", ".....", ".....", "1...."]


def test_third_line() -> None:
    assert golois(Position(5), "third line") == [".....", ".....", "..1..", ".....", "....."]
    assert golois(Position(7), "third line") == [
        ".......",
        ".......",
        "..111..",
        "..1.1..",
        "..111..",
        ".......",
        ".......",
    ]
    assert golois(Position(4), "third line") == ["...."] * 4


def test_ko() -> None:
    position = Position.from_text(
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
        """
    )
    assert golois(position, "ko") == NOTHING
    position.play("C4")
    assert golois(position, "ko") == ["11111"] * 5
    assert golois(position, "ko point") == [".....", ".1...", ".....", ".....", "....."]
    # White may not retake, so that is no move of his; for Black, were it his turn, filling is one.
    assert golois(position, "friend liberties after 1")[1][1] == "."
    assert [golois(position, f"enemy liberties after {n}")[1][1] for n in range(1, 7)] == list("..1...")


def test_liberties_after_a_move() -> None:
    position = Position.from_text(
        """
        . X O . .
        X O O . .
        . O . . .
        . . . . .
        . . . . .
        """
    )
    # A5 joins two stones and leaves them A3; nothing else of Black's is in danger but what stands alone.
    assert golois(position, "friend liberties after 1") == ["1....", ".....", ".....", ".....", "....."]
    assert golois(position, "friend liberties after 2") == ["...11", ".....", "1.1..", ".....", "1...1"]
    # White at C3 would have A3, B2, C2, D3, D4 and D5.
    assert golois(position, "enemy liberties after 6") == [".....", "...1.", "..1..", ".1...", "....."]


def test_taking_stones_gives_liberties() -> None:
    position = Position.from_text(
        """
        . X X . .
        X O O X .
        . X . . .
        . . . . .
        . . . . .
        """
    )
    # C3: A3, B2, C2, D3 and the two points of the stones taken.
    assert golois(position, "friend liberties after 6") == [".....", ".....", "..1..", ".....", "....."]


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


def marks(position: Position, channel: str) -> set[str]:
    rows = golois(position, channel)
    return {
        position.vertex(y * position.size + x)
        for y, row in enumerate(rows)
        for x, v in enumerate(row)
        if v == "1"
    }


def test_ladders_of_strings() -> None:
    position = Position.from_text(LADDER)
    assert marks(position, "caught") == {"C7", "D7"}
    assert marks(position, "escapes") == set()
    assert marks(position, "friend threatens") == {"E7"}
    position.play("E7")
    assert marks(position, "caught") == {"C7", "D7"}
    assert marks(position, "enemy threatens") == set()
    # A stone in the way: White gets out.
    position.set_stones(white=["F4"], to_move=Color.WHITE)
    assert marks(position, "caught") == set()
    assert marks(position, "escapes") == {"C7", "D7"}


def test_moves_into_ladders() -> None:
    position = Position.from_text(LADDER, Color.WHITE).play("J1").play("E7")
    # White to move in atari: running is lost; a play at E8, between two black strings, is as well.
    lost = marks(position, "friend move lost")
    assert "D6" in lost
    assert "E6" not in lost
    position = Position.from_text(LADDER, Color.BLACK).play("E7")
    position.to_move = Color.BLACK  # the same seen from the other side
    assert "D6" in marks(position, "enemy move lost")


def test_a_move_may_threaten_a_ladder() -> None:
    position = Position.from_text(LADDER.replace("X O O", ". O ."))  # C7 alone has liberties B7 and D7
    assert marks(position, "friend threatens") >= {"B7"}
    position = Position.from_text(LADDER.replace("X O O", ". O .").replace(". . X . . .", ". . . . . ."))
    assert marks(position, "caught") == set()
    assert marks(position, "friend threatens") == {"B7", "C6"}


def test_a_lone_corner_stone_is_not_read() -> None:
    assert marks(Position(9), "friend move lost") == set()
    position = Position(9).play("B9")  # beside the corner: now A9 is in danger
    assert "A9" in marks(position, "friend move lost")


def test_last_moves() -> None:
    position = Position(5)
    for vertex in ("A1", "B1", "pass", "C1", "D1", "E1"):
        position.play(vertex)
    got = [golois(position, f"last move {n}")[4] for n in range(1, 6)]
    assert got == ["....1", "...1.", "..1..", ".....", ".1..."]


def test_monte_carlo_planes() -> None:
    position = Position.from_text(
        """
        . X . O .
        X X . O O
        . X . O .
        X X . O O
        . X . O .
        """
    )
    black = encode("golois42", [position])[0]
    np.testing.assert_array_equal(black, encode("golois42", [position])[0])  # the same every time
    position.to_move = Color.WHITE
    white = encode("golois42", [position])[0]
    ownership = encoding("golois42").index("ownership")
    for mine, theirs, planes in ((0, 4, black), (4, 0, white)):
        assert (planes[ownership, :, mine] == 1).all()  # pass-alive: every playout agrees
        assert (planes[ownership, :, theirs] == 0).all()
    assert ((black[ownership, :, 2] > 0) & (black[ownership, :, 2] < 1)).any()
    criticality, amaf = (encoding("golois42").index(n) for n in ("criticality", "amaf"))
    assert np.abs(black[criticality]).max() <= 0.5
    # What is always Black's tells nothing about who wins; the points in the middle do.
    assert np.abs(black[criticality, :, [0, 1, 3, 4]]).max() == 0
    assert ((black[amaf] >= 0) & (black[amaf] <= 1)).all()
