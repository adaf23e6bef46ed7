"""The features of each move of a game by a net (thesis, Sections 4.2, 4.5 and 4.6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import IllegalMove, Position
from tengen.go.rules import Ko
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, Report, silent

if TYPE_CHECKING:
    from tengen.strength.feature_store import FeatureStore

# The six features of Section 4.5, in its order, all in the view of the player who moved.
BASIC = ("winrate", "lead", "policy", "max_policy", "winrate_loss", "points_loss")
WINRATE, LEAD, POLICY, MAX_POLICY, WINRATE_LOSS, POINTS_LOSS = range(len(BASIC))
LEAD_SCALE = 0.1  # factor of points in the columns LEAD and POINTS_LOSS
BATCH = 16
_LARGEST = float(np.finfo(np.float16).max)

# How many games are done, and how many of them came from the store.


@dataclass(frozen=True, eq=False)
class MoveFeatures:
    """Features of one game by one net: one row for each move that is not a pass, in order.

    number: int16 [n], the move's number in the record, from 1.
    white: bool [n], whether White played it.
    basic: float32 [n, 6], the features that BASIC names: win rate and lead after the move, policies before it,
        and the loss of both by the move. Rates and policies are moved to [-0.5, 0.5], points scaled by 0.1; a loss
        is positive. All in the view of the player who moved.
    trunk: float16 [n, channels], the trunk features at the point of the move, before it is played, with its player
        to move and symmetry 0; no channels if the net gives no trunk.
    expected: float16 [n, channels], the mean of the trunk features over all points, weighted by the policy. No
        channels if the store was begun without them.
    """

    number: npt.NDArray[np.int16]
    white: npt.NDArray[np.bool_]
    basic: npt.NDArray[np.float32]
    trunk: npt.NDArray[np.float16]
    expected: npt.NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.number)

    @property
    def points_loss(self) -> npt.NDArray[np.float32]:
        """Points that each move lost (n); negative where the lead rose."""
        return self.basic[:, POINTS_LOSS] / np.float32(LEAD_SCALE)

    @property
    def winrate_loss(self) -> npt.NDArray[np.float32]:
        """Win rate that each move lost (n): 0.01 is a percentage point."""
        return self.basic[:, WINRATE_LOSS]

    def of(self, color: Color) -> MoveFeatures:
        """The moves of one colour."""
        return self[self.white if color is Color.WHITE else ~self.white]

    def __getitem__(self, rows: slice | npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> MoveFeatures:
        return MoveFeatures(
            self.number[rows], self.white[rows], self.basic[rows], self.trunk[rows], self.expected[rows]
        )


@dataclass(frozen=True, slots=True)
class Seen:
    """The part of an evaluation that is kept: values, and policy and trunk features at the next move."""

    win: float  # Black's
    lead: float  # Black's
    policy: float
    max_policy: float
    trunk: npt.NDArray[np.float16]
    expected: npt.NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class _Question:
    """A position, and the move played in it (None: the last position, or one with the other side to move)."""

    position: Position
    point: int | None


class _Plan:
    """The positions of one game to evaluate, and the rows that use them.

    A move needs the position before it, with its player to move, and after it, with the opponent to move. The second
    is also the first of the next move, except where a colour plays twice in a row, and around passes.
    """

    def __init__(self, game: Game) -> None:
        self.size = game.size
        self.questions: list[_Question] = []
        self.rows: list[
            tuple[int, Color, int, int]
        ] = []  # number, colour, indices of the positions before and after
        self.answers: list[Seen] = []
        position = game.start()
        position.rules = replace(game.rules, ko=Ko.SIMPLE)  # superko is not checked in records
        after: int | None = None  # index of the present position with the next side to move
        for i, move in enumerate(game.moves):
            pass_ = move.point == game.size * game.size
            if not pass_:
                if after is None or position.to_move is not move.color:
                    position.to_move = move.color
                    before = self._ask(position, game, move.point)
                else:
                    before = after
                    self.questions[before] = _Question(self.questions[before].position, move.point)
            try:
                position.play_as(int(move.color), move.point)
            except IllegalMove as error:
                raise InputError(f"move {i + 1} breaks the rules: {error}") from None
            after = None
            if not pass_:
                after = self._ask(position, game, None)
                self.rows.append((i + 1, move.color, before, after))

    def _ask(self, position: Position, game: Game, point: int | None) -> int:
        asked = position.copy()
        asked.rules = game.rules
        self.questions.append(_Question(asked, point))
        return len(self.questions) - 1

    @property
    def answered(self) -> bool:
        return len(self.answers) == len(self.questions)

    def features(self) -> MoveFeatures:
        n = len(self.rows)
        channels = len(self.answers[self.rows[0][2]].trunk) if n else 0
        basic = np.empty((n, len(BASIC)), dtype=np.float32)
        trunk, expected = np.empty((2, n, channels), dtype=np.float16)
        for row, (_, color, before, after) in enumerate(self.rows):
            pre, post = self.answers[before], self.answers[after]
            sign = 1.0 if color is Color.BLACK else -1.0
            win = post.win if color is Color.BLACK else 1.0 - post.win
            basic[row, WINRATE] = win - 0.5
            basic[row, LEAD] = LEAD_SCALE * sign * post.lead
            basic[row, POLICY] = pre.policy - 0.5
            basic[row, MAX_POLICY] = pre.max_policy - 0.5
            basic[row, WINRATE_LOSS] = sign * (pre.win - post.win)
            basic[row, POINTS_LOSS] = LEAD_SCALE * sign * (pre.lead - post.lead)
            trunk[row], expected[row] = pre.trunk, pre.expected
        return MoveFeatures(
            np.array([row[0] for row in self.rows], dtype=np.int16),
            np.array([row[1] is Color.WHITE for row in self.rows], dtype=np.bool_),
            basic,
            trunk,
            expected,
        )


_NO_TRUNK = np.zeros(0, dtype=np.float16)


def seen(evaluation: Evaluation, point: int | None) -> Seen:
    """Keeps of the trunk only the vector at the move, so that the rest can be freed."""
    trunk = expected = _NO_TRUNK
    policy = given(evaluation.policy)
    if evaluation.trunk is not None and point is not None:
        vectors = evaluation.trunk.reshape(len(evaluation.trunk), -1)
        trunk = _half(vectors[:, point])
        expected = _half(vectors @ policy[:-1])  # a pass has no trunk features
    return Seen(
        given(evaluation.win).of(Color.BLACK),
        given(evaluation.lead).of(Color.BLACK),
        0.0 if point is None else float(policy[point]),
        float(policy.max()),
        trunk,
        expected,
    )


def _half(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    return np.clip(vector, -_LARGEST, _LARGEST).astype(np.float16)


def must_judge(evaluator: Evaluator) -> None:
    """Raises InputError for a net without the heads that features are made of."""
    for head in ("policy", "win_by_komi", "margin"):
        evaluator.card.require(head, "features of moves need it; choose a net that judges positions")


def move_features(game: Game, evaluator: Evaluator, batch: int = BATCH) -> MoveFeatures:
    """The features of a game, with one evaluation for each position.

    Rules, komi and handicap are those of the record. Raises InputError for a record that breaks the rules of placing
    stones, and for a board that the net was not made for.
    """
    return next(features_of([game], evaluator, batch=batch))


def features_of(
    games: Iterable[Game],
    evaluator: Evaluator,
    store: FeatureStore | None = None,
    progress: Report = silent,
    batch: int = BATCH,
    workers: int = 1,
    total: int | None = None,
) -> Iterator[MoveFeatures]:
    """The features of each game in order. Batches contain positions of several games; `workers` batches run at once.

    A net of one thread and as many workers as cores is the fastest way: nothing waits for a batch to be shared out.
    What the store holds is not asked again, and what is asked is put there at once: a run that was broken
    off goes on where it was. `total` is the number of games, for reports of progress, if it is known.
    """
    must_judge(evaluator)
    with ThreadPoolExecutor(workers) as pool:
        yield from _features_of(games, evaluator, store, progress, batch, workers, total, pool)


def _features_of(
    games: Iterable[Game],
    evaluator: Evaluator,
    store: FeatureStore | None,
    progress: Report,
    batch: int,
    workers: int,
    total: int | None,
    pool: ThreadPoolExecutor,
) -> Iterator[MoveFeatures]:
    waiting: deque[tuple[_Plan | MoveFeatures, bytes]] = deque()
    open_questions: list[tuple[_Plan, _Question]] = []
    asked: deque[tuple[list[tuple[_Plan, _Question]], Future[list[Seen]]]] = deque()
    done = known = 0

    def answers(questions: list[_Question]) -> list[Seen]:
        found = evaluator.evaluate([question.position for question in questions], trunk=True)
        return [seen(one, question.point) for one, question in zip(found, questions, strict=True)]

    def ask() -> None:
        now, open_questions[:] = open_questions[:batch], open_questions[batch:]
        asked.append((now, pool.submit(answers, [question for _, question in now])))
        if len(asked) > workers:
            take()

    def take() -> None:
        now, found = asked.popleft()
        for (plan, _), answer in zip(now, found.result(), strict=True):
            plan.answers.append(answer)

    def ready() -> Iterator[MoveFeatures]:
        nonlocal done, known
        while waiting:
            first, key = waiting[0]
            if isinstance(first, _Plan):
                if not first.answered:
                    return
                result = first.features()
                if store is not None:
                    store.put(key, result)
            else:
                result = first
                known += 1
            waiting.popleft()
            done += 1
            progress(Progress("extracting features", done, total, f"{known:,} known" if known else ""))
            yield result

    for game in games:
        key = b""
        stored = None
        if store is not None:
            from tengen.strength.feature_store import game_key

            key = game_key(game)
            stored = store.get(key)
        if stored is not None:
            waiting.append((stored, key))
        else:
            evaluator.card.check_size(game.size)
            plan = _Plan(game)
            waiting.append((plan, key))
            open_questions += [(plan, question) for question in plan.questions]
            while len(open_questions) >= batch:
                ask()
        yield from ready()
    while open_questions:
        ask()
    while asked:
        take()
    yield from ready()
