"""`tengen show`: a game in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

if TYPE_CHECKING:
    from tengen.go.game import Game
    from tengen.go.position import Position

app = App(name="show")


@app.default
def show(
    game: Path,
    *,
    move: Annotated[int | None, Parameter(name=["--move", "-m"])] = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Show a game after its last move or an earlier one: the board, players, ranks, captures, result.

    Example: tengen show game.sgf --move 57

    Parameters
    ----------
    game
        An SGF, GIB or NGF file, plain or compressed.
    move
        Number of moves to play; from the end if negative; all if not given.
    json_
        Print the same as JSON; `board` has a line of X, O and . for each row.
    """
    from json import dumps

    from tengen.errors import InputError
    from tengen.go.color import Color
    from tengen.go.game import Game

    record = Game.from_file(game)
    count = len(record.moves)
    number = count if move is None else move + count if move < 0 else move
    if not 0 <= number <= count:
        raise InputError(f"{game}: has {count} moves: there is no move {move}")
    position = record.position(number)

    if json_:
        print(dumps({"file": str(game), **_table(record, position)}, ensure_ascii=False))
        return
    print(position)
    print()
    for color, name, rank in (
        (Color.BLACK, record.black, record.black_rank),
        (Color.WHITE, record.white, record.white_rank),
    ):
        who = f"{_printable(name) or '?'}{f' ({_printable(rank)})' if rank else ''}"
        print(f"{color}  {who}, {position.captured(color.opponent)} captured")
    facts = [_printable(record.date), f"komi {record.komi:g}", f"{record.rules.name or 'own'} rules"]
    if record.handicap:
        facts.append(f"handicap {record.handicap}")
    print(", ".join(fact for fact in facts if fact))
    print(f"Result {record.result}")
    if number:
        last = record.moves[number - 1]
        where = position.vertex(last.point)
        print(f"Move {number} of {count}: {last.color} {where}; {position.to_move} to play")
    else:
        print(f"Before the first of {count} moves; {position.to_move} to play")


def _table(record: Game, position: Position) -> dict[str, Any]:
    from tengen.go.color import Color

    return {
        "size": record.size,
        "black": {
            "name": record.black,
            "rank": record.black_rank,
            "captured": position.captured(Color.WHITE),
        },
        "white": {
            "name": record.white,
            "rank": record.white_rank,
            "captured": position.captured(Color.BLACK),
        },
        "date": record.date,
        "komi": record.komi,
        "rules": record.rules.name,
        "handicap": record.handicap,
        "result": str(record.result),
        "moves": len(record.moves),
        "move": position.move_number,
        "to_play": position.to_move.letter,
        "board": ["".join(".XO"[stone] for stone in row) for row in position.stones().tolist()],
    }


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
