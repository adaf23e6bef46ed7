"""GNU Go over GTP, as a witness of the rules."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sgfmill.sgf import Sgf_game
from sgfmill.sgf_moves import get_setup_and_moves

from tengen import Color, Move, Position, Rules
from tengen.go.rules import Ko

RULES = Rules(ko=Ko.SIMPLE, suicide=False)  # as GNU Go plays when it is told nothing else


class GnuGo:
    """One process. Commands are sent ahead in batches, which is several times as fast as one by one."""

    BATCH = 256  # commands: few enough for the pipe to hold them while nobody reads the answers

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen(
            [path, "--mode", "gtp", "--level", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, commands: Iterable[str]) -> list[str]:
        """The answers to the commands, without the mark of success; raises on a refused command."""
        todo = list(commands)
        assert self.process.stdin and self.process.stdout
        answers = []
        for start in range(0, len(todo), self.BATCH):
            batch = todo[start : start + self.BATCH]
            self.process.stdin.write("".join(command + "\n" for command in batch))
            self.process.stdin.flush()
            answers += [self._answer(command) for command in batch]
        return answers

    def _answer(self, command: str) -> str:
        assert self.process.stdout
        lines = []
        while line := self.process.stdout.readline().rstrip("\n"):
            lines.append(line)
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise RuntimeError(f"GNU Go to '{command}': {answer or 'no answer'}")
        return answer[1:].strip()

    def __enter__(self) -> GnuGo:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()


@dataclass
class Agreement:
    """What was compared, and the disagreements."""

    games: int = 0
    positions: int = 0
    points: int = 0
    kos: int = 0
    captures: int = 0
    differences: list[str] = field(default_factory=list)


def random_game(size: int, rng: random.Random, moves: int) -> Iterator[Move]:
    """A random game that fills no eyes, so that it lasts, and likes to capture, so that there are kos."""
    position = Position(size, RULES)
    around = [
        [
            j * size + i
            for j, i in ((y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x))
            if min(i, j) >= 0 and max(i, j) < size
        ]
        for y in range(size)
        for x in range(size)
    ]
    for _ in range(moves):
        stones = position.stones().ravel().tolist()
        me = position.to_move
        points = [p for p in range(size * size) if not stones[p] and any(stones[q] != me for q in around[p])]
        rng.shuffle(points)
        if rng.random() < 0.3:
            atari = {
                p
                for p in points
                for q in around[p]
                if stones[q] == me.opponent and position.liberties(q) == 1
            }
            points.sort(key=lambda p: p not in atari)
        legal = (p for p in points if position.is_legal(p))
        point = position.pass_ if rng.random() < 0.01 else next(legal, position.pass_)
        yield Move(me, point)
        position.play(point)


def sgf_game(sgf: bytes) -> tuple[int, list[Move]]:
    """The size and moves of a record, Black's setup stones as moves before the first."""
    record = Sgf_game.from_bytes(sgf)
    size = record.get_size()
    board, _ = get_setup_and_moves(record)
    places = [
        Move(Color.BLACK, (size - 1 - row) * size + column)
        for _, (row, column) in board.list_occupied_points()
    ]
    moves = []
    for node in record.get_main_sequence():
        color, place = node.get_move()
        if color:
            point = size * size if place is None else (size - 1 - place[0]) * size + place[1]
            moves.append(Move(Color.parse(color), point))
    return size, places + moves


def compare(gnugo: GnuGo, size: int, moves: Iterable[Move], agreement: Agreement, every: int = 1) -> None:
    """Plays a game on both and compares after each `every` moves: legal points of both colours, stones,
    captures and liberties of the last move's string."""
    position = Position(size, RULES)
    commands = [f"boardsize {size}", "clear_board"]
    expected: list[tuple[str, object]] = [("", None), ("", None)]

    def expect(command: str, answer: object) -> None:
        commands.append(command)
        expected.append((f"{position!r}, {command}", answer))

    for n, (color, point) in enumerate(moves):
        before = position.captured(color.opponent)
        if not position.is_legal(point, color):  # a broken record: is it so for both?
            expect(f"is_legal {color} {position.vertex(point)}", "0")
            break
        position.play_as(color, point)
        commands.append(f"play {color} {position.vertex(point)}")
        expected.append(("", None))
        if n % every:
            continue
        agreement.positions += 1
        agreement.points += 2 * size * size
        agreement.captures += position.captured(color.opponent) > before
        agreement.kos += position.ko is not None
        stones = position.stones().ravel()
        for side in Color:
            expect(f"all_legal {side}", {position.vertex(p) for p in position.legal(side)[:-1]})
            expect(f"captures {side}", str(position.captured(side.opponent)))
            mine = {position.vertex(p) for p in range(size * size) if stones[p] == side}
            expect(f"list_stones {side}", mine)
        if point != position.pass_:
            expect(f"countlib {position.vertex(point)}", str(position.liberties(point)))
    agreement.games += 1
    for (what, wanted), answer in zip(expected, gnugo.ask(commands), strict=True):
        found: object = set(answer.split()) if isinstance(wanted, set) else answer
        if wanted is not None and found != wanted:
            agreement.differences.append(f"{what}: GNU Go says {answer}, we say {wanted}")
