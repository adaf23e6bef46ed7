"""The commands of GTP 2, and those of KGS, KataGo and GoGui about board, clock and rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import numpy as np

from tengen.engine import kata_rules
from tengen.engine.gtp_core import COMMANDS, Gtp, command
from tengen.engine.session import CommandError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.handicap import fixed_handicap, free_handicap
from tengen.go.position import Position
from tengen.search.clock import TimeControl
from tengen.search.player import Question

# Administration.


@command("protocol_version")
def _protocol_version(gtp: Gtp, words: list[str]) -> str:
    return "2"


@command("name")
def _name(gtp: Gtp, words: list[str]) -> str:
    return "Tengen"


@command("version")
def _version(gtp: Gtp, words: list[str]) -> str:
    return f"{version('tengen')} ({gtp.session.player.name})"


@command("known_command")
def _known_command(gtp: Gtp, words: list[str]) -> str:
    return "true" if words and words[0] in COMMANDS else "false"


@command("list_commands")
def _list_commands(gtp: Gtp, words: list[str]) -> str:
    return "\n".join(sorted(COMMANDS))


@command("quit")
def _quit(gtp: Gtp, words: list[str]) -> str:
    gtp.quitting = True
    return ""


@command("stop", "kgs-game_over", "cgos-gameover", "clear_cache")
def _nothing(gtp: Gtp, words: list[str]) -> str:
    """Nothing to do: analysis stopped when the line came in, and the end of a game changes nothing."""
    return ""


# The board.


@command("boardsize")
def _boardsize(gtp: Gtp, words: list[str]) -> str:
    if not words or not words[0].isdigit():
        raise CommandError("syntax error: a size is needed")
    gtp.session.clear(int(words[0]))
    return ""


@command("query_boardsize")
def _query_boardsize(gtp: Gtp, words: list[str]) -> str:
    return str(gtp.session.game.size)


@command("clear_board")
def _clear_board(gtp: Gtp, words: list[str]) -> str:
    gtp.session.clear()
    return ""


@command("komi")
def _komi(gtp: Gtp, words: list[str]) -> str:
    gtp.session.set_komi(gtp.numbers(words, 1)[0])
    return ""


@command("get_komi")
def _get_komi(gtp: Gtp, words: list[str]) -> str:
    return f"{gtp.session.rules.komi:g}"


@command("play")
def _play(gtp: Gtp, words: list[str]) -> str:
    if len(words) < 2:
        raise CommandError("syntax error: a colour and a vertex are needed")
    if words[1].lower() == "resign":
        return ""
    gtp.session.play(gtp.color(words), words[1])
    return ""


@command("gogui-play_sequence")
def _play_sequence(gtp: Gtp, words: list[str]) -> str:
    before = len(gtp.session.game.moves)
    try:
        if len(words) % 2:
            raise CommandError("syntax error: colours and vertices in turn")
        for color, vertex in zip(words[::2], words[1::2], strict=True):
            gtp.session.play(gtp.color([color]), vertex)
    except CommandError:
        del gtp.session.game.moves[before:]
        raise
    return ""


@command("set_position")
def _set_position(gtp: Gtp, words: list[str]) -> str:
    """`set_position [color vertex]...`: a board with just these stones, without history."""
    if len(words) % 2:
        raise CommandError("syntax error: colours and vertices in turn")
    points: dict[Color, list[int]] = {Color.BLACK: [], Color.WHITE: []}
    for color, vertex in zip(words[::2], words[1::2], strict=True):
        point = gtp.session.point(vertex)
        if point == gtp.session.game.size**2 or point in points[Color.BLACK] + points[Color.WHITE]:
            raise CommandError(f"invalid vertex {vertex}")
        points[gtp.color([color])].append(point)
    gtp.session.setup(points[Color.BLACK], points[Color.WHITE])
    return ""


@command("undo")
def _undo(gtp: Gtp, words: list[str]) -> str:
    gtp.session.undo()
    return ""


def _stones(gtp: Gtp, words: list[str]) -> int:
    if not words or not words[0].isdigit():
        raise CommandError("syntax error: a number of stones is needed")
    return int(words[0])


def _vertices(gtp: Gtp, points: Iterable[int]) -> str:
    position = Position(gtp.session.game.size)
    return " ".join(position.vertex(point) for point in points)


@command("fixed_handicap")
def _fixed_handicap(gtp: Gtp, words: list[str]) -> str:
    try:
        points = fixed_handicap(gtp.session.game.size, _stones(gtp, words))
    except ValueError as error:
        raise CommandError(f"invalid number of stones: {error}") from None
    gtp.session.handicap(points)
    return _vertices(gtp, points)


@command("place_free_handicap")
def _place_free_handicap(gtp: Gtp, words: list[str]) -> str:
    try:
        points = free_handicap(gtp.session.game.size, _stones(gtp, words))
    except ValueError as error:
        raise CommandError(f"invalid number of stones: {error}") from None
    gtp.session.handicap(points)
    return _vertices(gtp, points)


@command("set_free_handicap")
def _set_free_handicap(gtp: Gtp, words: list[str]) -> str:
    points = [gtp.session.point(word) for word in words]
    if gtp.session.game.size**2 in points:
        raise CommandError("invalid handicap: pass is no point")
    gtp.session.handicap(points)
    return ""


@command("showboard")
def _showboard(gtp: Gtp, words: list[str]) -> str:
    position = gtp.session.position
    taken = {color: position.captured(color.opponent) for color in Color}
    return (
        f"\n{position}\n{position.to_move} to play, move {position.move_number + 1}; captured: "
        f"Black {taken[Color.BLACK]}, White {taken[Color.WHITE]}; komi {gtp.session.rules.komi:g}"
    )


@command("loadsgf")
def _loadsgf(gtp: Gtp, words: list[str]) -> str:
    """`loadsgf FILE [N]`: the game before its move N."""
    if not words:
        raise CommandError("syntax error: a file is needed")
    upto = int(words.pop()) if len(words) > 1 and words[-1].isdigit() else None
    path = Path(" ".join(words))
    if not path.is_file():
        raise CommandError("cannot load file")
    game = Game.from_sgf(path, upto)
    game.position()
    gtp.session.begin(game)
    return ""


@command("printsgf")
def _printsgf(gtp: Gtp, words: list[str]) -> str:
    if words:
        raise CommandError("the record is printed, not written to a file: give no name")
    return gtp.session.game.to_sgf().strip()


# Moves.


@command("genmove")
def _genmove(gtp: Gtp, words: list[str]) -> str:
    return gtp.generate(gtp.color(words), Question(), None)[0]


@command("reg_genmove")
def _reg_genmove(gtp: Gtp, words: list[str]) -> str:
    decision = gtp.session.choose(gtp.color(words))
    return gtp.session.position.vertex(decision.move)


@command("kgs-genmove_cleanup")
def _genmove_cleanup(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    move = gtp.session.cleanup_move(color)
    gtp.session.play(color, move)
    return gtp.session.position.vertex(move)


@command("final_score")
def _final_score(gtp: Gtp, words: list[str]) -> str:
    return str(gtp.session.score().result)


@command("final_status_list")
def _final_status_list(gtp: Gtp, words: list[str]) -> str:
    position, score = gtp.session.position, gtp.session.score()
    status = words[0] if words else ""
    if status in ("black_territory", "white_territory"):
        owner = Color.BLACK if status[0] == "b" else Color.WHITE
        empty = (position.stones() == 0) & (score.owner == owner)
        return _vertices(gtp, np.flatnonzero(empty).tolist())
    if status not in ("alive", "dead", "seki"):
        raise CommandError("syntax error: alive, dead, seki, black_territory or white_territory")
    strings = []
    seen: set[int] = set()
    stones, owner_of = position.stones().ravel(), score.owner.ravel()
    for point in np.flatnonzero(stones).tolist():
        if point in seen:
            continue
        string = sorted(position.string(point))
        seen.update(string)
        if point in score.dead:
            is_status = "dead"
        else:  # alive with no point of its own anywhere around it
            own = any(owner_of[p] == stones[point] for p in position.liberty_points(point))
            is_status = "alive" if own else "seki"
        if is_status == status:
            strings.append(_vertices(gtp, string))
    return "\n".join(strings)


# Clocks.


@command("time_settings")
def _time_settings(gtp: Gtp, words: list[str]) -> str:
    main, period, stones = gtp.numbers(words, 3)
    if min(main, period, stones) < 0:
        raise CommandError("syntax error: times are not negative")
    gtp.session.set_time(TimeControl.canadian(main, period, int(stones)))
    return ""


@command("kgs-time_settings", "kata-time_settings")
def _kgs_time_settings(gtp: Gtp, words: list[str]) -> str:
    kind = words[0].lower() if words else ""
    counts = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3, "fischer": 2}
    if kind not in counts:
        raise CommandError(f"unknown time system '{kind}'")
    values = gtp.numbers(words[1:], counts[kind])
    if any(value < 0 for value in values):
        raise CommandError("syntax error: times are not negative")
    control = TimeControl()
    if kind == "absolute":
        control = TimeControl.absolute(values[0])
    elif kind == "byoyomi":
        control = TimeControl.byoyomi(values[0], values[1], int(values[2]))
    elif kind == "canadian":
        control = TimeControl.canadian(values[0], values[1], int(values[2]))
    elif kind == "fischer":
        control = TimeControl.fischer(values[0], values[1])
    gtp.session.set_time(control)
    return ""


@command("kata-list_time_settings")
def _list_time_settings(gtp: Gtp, words: list[str]) -> str:
    return "none absolute byoyomi canadian fischer"


@command("time_left")
def _time_left(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    left, count = gtp.numbers(words[1:], 2)
    gtp.session.set_clock(color, max(left, 0.0), max(int(count), 0))
    return ""


# Rules.


@command("kata-get-rules")
def _get_rules(gtp: Gtp, words: list[str]) -> str:
    return json.dumps(kata_rules.to_object(gtp.session.rules), separators=(",", ":"))


@command("kata-set-rules", "kgs-rules")
def _set_rules(gtp: Gtp, words: list[str]) -> str:
    try:
        gtp.session.set_rules(kata_rules.parse(" ".join(words), gtp.session.rules.komi))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""


@command("kata-set-rule")
def _set_rule(gtp: Gtp, words: list[str]) -> str:
    if len(words) != 2:
        raise CommandError("syntax error: a rule and its value are needed")
    try:
        gtp.session.set_rules(kata_rules.changed(gtp.session.rules, words[0], words[1]))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""
