"""`tengen score`: the count of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

app = App(name="score", help_epilogue="Example: tengen score game.sgf --rules japanese --dead D4,Q16")


@app.default
def score(
    game: Path,
    *,
    move: Annotated[int | None, Parameter(name=["--move", "-m"])] = None,
    dead: str | None = None,
    rules: str | None = None,
    komi: float | None = None,
    net: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Count a game after its last move or an earlier one: the owner of every point, and the result.

    Parameters
    ----------
    game
        An SGF, GIB or NGF file, plain or compressed.
    move
        Number of moves to play; from the end if negative; all if not given.
    dead
        Dead stones, one of each string, separated by commas; "none" if all live. If not given, playouts judge them.
    rules
        Rules to count by: chinese, japanese, tromp-taylor, aga, new-zealand; the record's if not given.
    komi
        White's points; the record's if not given.
    net
        A net (a name or a folder) whose ownership counts as much as the playouts for what is dead; playouts alone
        judge if not given.
    json
        Print the count as JSON.
    """
    from dataclasses import replace

    from tengen.errors import InputError
    from tengen.go.game import Game
    from tengen.go.rules import Rules
    from tengen.go.settle import settle

    record = Game.from_file(game)
    try:
        counted_by = Rules.named(rules).with_komi(record.komi) if rules else record.rules
        counted_by = counted_by if komi is None else counted_by.with_komi(komi)
    except ValueError as error:
        raise InputError(str(error)) from None
    try:
        position = replace(record, rules=counted_by).position(move)
    except ValueError as error:
        raise InputError(f"{game}: {error}") from None
    about = ""
    if dead is None:
        ownership = None
        if net:
            from tengen.cli.ownership import net_ownership
            from tengen.nets.advice import advice
            from tengen.nets.library import open_net

            evaluator = open_net(net)
            ownership = net_ownership(evaluator)([position])[0]
            about = advice(evaluator.card, position.size)
        found = settle(position, ownership)
        source, result, is_settled = "guessed", found.score, found.is_settled
    elif net:
        raise InputError("--net judges which stones are dead, --dead names them: give one of the two")
    else:
        source, is_settled = "given", None
        try:
            result = position.score([] if dead.strip().lower() == "none" else dead.replace(",", " ").split())
        except ValueError as error:
            raise InputError(f"--dead: {error}") from None

    vertices = [position.vertex(p) for p in result.dead]
    if json:
        from json import dumps

        head = {"file": str(game), "move": position.move_number, "recorded_result": str(record.result)}
        judged = {"dead_stones_are": source, "is_settled": is_settled} | ({"net": net} if net else {})
        print(dumps({**head, **result.to_json(), **judged}, indent=2))
        return
    print(result)
    by = f" by playouts and the net {net}" if net else ""
    print(f"Dead stones, {source}{by}: {' '.join(vertices) or 'none'}")
    if about:
        print(about)
    if is_settled is False:
        print(
            "The board is not settled: some strings or points are not clearly anyone's. --dead names dead stones."
        )
    moves = f"after move {position.move_number} of {len(record.moves)}"
    print(f"Counted by {counted_by.name or 'own'} rules {moves}; the record says {record.result}")
