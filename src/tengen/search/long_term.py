"""Long-term evaluation (Wang et al., AAAI 2017, "Long-Term Evaluation of Candidates"): the player without a tree.

The net names candidates with probabilities p. Of each, an agent imagines lines of its local fight; E[R] is their mean
reward (tengen.search.rewards). The paper plays the candidate with the highest S = p x E[R]. That has no order where
rewards may be negative, as ours are, so the product is taken on another scale:

    S = p exp(E[R] / scale), divided by the sum over all candidates

It rises with p and with E[R], whatever their signs, and stays the same if all rewards grow by a constant. Among all
ways to draw a candidate, drawing by S has the highest mean of E[R] - scale x (distance from p), the Kullback-Leibler
divergence being the distance: the net's judgement is left as far as the reward pays for it. A large scale gives p
alone, a small one E[R] alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.go.game import Game
from tengen.go.perspective import Lead
from tengen.go.position import Position
from tengen.nets.agent import Agent, OnnxAgent, OpponentName, RewardName, open_agent
from tengen.nets.evaluation import Evaluation, Floats, given
from tengen.nets.evaluator import Evaluator
from tengen.search.clock import Clock
from tengen.search.ending import tidy
from tengen.search.imagining import Fight, Lines, StoppedError, fights_at, frequent_line, imagine, never
from tengen.search.imagining_sides import AgentSide, PredictorSide
from tengen.search.player import Candidate, Decision, Limit, LongTerm, Question, Root
from tengen.search.policy_player import NetPlayer, net_root
from tengen.search.rewards import REWARDS
from tengen.search.settings import LongTermSettings

# Lines of each candidate between two reports, or two looks at the clock.
ROUND = 5


class Reader:
    """Imagines lines and says what they are worth."""

    def __init__(
        self,
        net: Evaluator,
        agent: Agent,
        reward: RewardName,
        opponent: OpponentName,
        threads: int = 1,
    ) -> None:
        self.net, self.agent, self.opponent, self.threads = net, agent, opponent, threads
        self.reward = REWARDS[reward](net)

    def imagine(
        self,
        fights: Sequence[Fight],
        lines: int,
        steps: int,
        rng: np.random.Generator,
        stop: Callable[[], bool] = never,
    ) -> Lines:
        """So many lines of each fight. Raises StoppedError when `stop` says so."""
        agent, predictor = AgentSide(self.agent, self.threads), PredictorSide(self.net, stop)
        mover = predictor if self.opponent == "both" else agent
        other = agent if self.opponent == "self" else predictor
        return imagine(fights, lines, steps, mover, other, rng, stop)

    def rewards(self, lines: Lines, stop: Callable[[], bool] = never) -> Floats:
        """R of each line, [n], in the view of the candidate's side."""
        return np.asarray(self.reward.to_go(lines, stop)[0])


def shares(priors: npt.ArrayLike, rewards: npt.ArrayLike, scale: float) -> npt.NDArray[np.float64]:
    """S of candidates with these probabilities p and expected rewards E[R]; their sum is 1.

    >>> shares([0.5, 0.25, 0.25], [-1.0, -1.0, -1.0], 10.0).round(9).tolist()
    [0.5, 0.25, 0.25]
    """
    logs = np.log(np.asarray(priors, np.float64)) + np.asarray(rewards, np.float64) / scale
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


class Reading:
    """What is known of the candidates so far."""

    def __init__(self, fights: Sequence[Fight]) -> None:
        self.fights = fights
        self.count = 0  # lines of each candidate
        self.rewards: Floats = np.zeros((len(fights), 0), np.float32)
        self.lines: list[list[tuple[int, ...]]] = [[] for _ in fights]

    def add(self, lines: Lines, rewards: Floats) -> None:
        """The same number of lines of each candidate."""
        for number, fight in enumerate(lines.which.tolist()):
            self.lines[fight].append(lines.line(number))
        self.rewards = np.concatenate([self.rewards, rewards.reshape(len(self.fights), -1)], 1)
        self.count = self.rewards.shape[1]

    def evaluations(self, policy: Floats, scale: float) -> list[LongTerm]:
        """Of each candidate, once there is a line."""
        means, deviations = self.rewards.mean(1), self.rewards.std(1)
        scores = shares([policy[fight.move] for fight in self.fights], means, scale)
        return [
            LongTerm(Lead(float(mean), fight.mover), float(deviation), float(score))
            for fight, mean, deviation, score in zip(self.fights, means, deviations, scores, strict=True)
        ]


class LongTermPlayer(NetPlayer):
    """Plays the candidate with the highest S. It passes where the net does, and where nothing else is left.

    The net needs a policy and what the reward needs; the agent is a small net of its own (tengen.nets.agent).
    """

    settings: LongTermSettings

    def __init__(self, net: Evaluator, settings: LongTermSettings | None = None) -> None:
        super().__init__(net)
        self._agent: OnnxAgent | None = None
        self.configure(settings or LongTermSettings())

    def configure(self, settings: LongTermSettings) -> None:
        agent = self._agent
        if agent is None or (settings.agent, settings.threads) != (
            self.settings.agent,
            self.settings.threads,
        ):
            agent = open_agent(settings.agent, settings.threads)
        reward = settings.reward or agent.card.reward
        opponent = settings.opponent or agent.card.opponent
        Reader(self._given, agent, reward, opponent)  # InputError before anything has changed
        self._agent, self._reward, self._opponent = agent, reward, opponent
        self._take(settings)

    @property
    def name(self) -> str:
        return f"long-term {self.net.card.name}"

    def choose(
        self,
        game: Game,
        clock: Clock | None = None,
        question: Question | None = None,
        report: Callable[[Root], None] | None = None,
    ) -> Decision:
        started = time.perf_counter()
        position = game.position()
        question = question or Question()
        limit = question.limit or self.settings.limit()
        if clock is not None and (pace := clock.pace(position.move_number, position.size)) is not None:
            limit = limit.within(Limit(seconds=pace.usual))
        evaluation = self._evaluate(position, question)
        base = root = net_root(self.net, position, evaluation, question)
        for reading in self._read(position, evaluation, question, limit, started):
            root = self._root(base, reading, evaluation, question.min_moves)
            if report:
                report(root)
        banned = question.banned_at_root(position.to_move)
        move = tidy(position, self._pick(position, root, evaluation, banned), root, self.net, banned)
        return Decision(move, root, self._patience.is_over(position, root))

    def analyze(self, game: Game, question: Question) -> Iterator[Root]:
        started = time.perf_counter()
        position = game.position()
        evaluation = self._evaluate(position, question)
        base = root = net_root(self.net, position, evaluation, question)
        report_at = started + question.first_wait()
        if not position.is_over:
            limit = question.limit or self.settings.limit()
            for reading in self._read(position, evaluation, question, limit, started):
                root = self._root(base, reading, evaluation, question.min_moves)
                if time.perf_counter() >= report_at:
                    report_at = time.perf_counter() + question.next_wait()
                    yield root
        yield replace(root, final=True)

    def _read(
        self, position: Position, evaluation: Evaluation, question: Question, limit: Limit, started: float
    ) -> Iterator[Reading]:
        """Imagines lines up to the settings and the limit, whose seconds count from `started`, round by round."""
        settings, stop = self.settings, question.stop or never
        banned = question.banned_at_root(position.to_move)
        agent, policy = given(self._agent), given(evaluation.policy)
        reading = Reading(fights_at(position, policy, settings.candidates, agent.shape.window, banned))
        if not reading.fights:
            return
        reader = Reader(self._single, agent, self._reward, self._opponent, settings.threads)
        wanted = settings.lines
        if limit.visits is not None:
            wanted = min(wanted, (limit.visits - 1) // len(reading.fights))
        is_watched = limit.seconds is not None or question.stop is not None or question.interval is not None
        a_line = 0.0  # seconds for one line of each candidate, in the last round
        while reading.count < wanted:
            most = wanted - reading.count
            begun = time.perf_counter()
            if is_watched:
                most = min(most, ROUND)
            if limit.seconds is not None:
                left = limit.seconds - (begun - started)
                most = min(most, int(left / a_line) if a_line else int(left > 0))
            if most < 1:
                return
            try:
                lines = reader.imagine(reading.fights, most, settings.steps, self._random, stop)
                reading.add(lines, reader.rewards(lines, stop))
            except StoppedError:
                return
            a_line = (time.perf_counter() - begun) / most
            yield reading

    def _root(self, base: Root, reading: Reading, evaluation: Evaluation, least: int) -> Root:
        """Root statistics: the candidates that were read, the best first; then others of the net's, if wanted."""
        policy = given(evaluation.policy)
        known = {candidate.move: candidate for candidate in base.candidates}
        read = []
        said = reading.evaluations(policy, self.settings.scale)
        for fight, lines, judged in zip(reading.fights, reading.lines, said, strict=True):
            line = frequent_line(lines)
            candidate = known.pop(fight.move, None) or _unknown(base, fight.move, float(policy[fight.move]))
            read.append(
                replace(
                    candidate,
                    visits=reading.count,
                    variation=(fight.move, *(move for move, _ in line)),
                    variation_visits=(reading.count, *(count for _, count in line)),
                    long_term=judged,
                )
            )
        read.sort(key=lambda candidate: -given(candidate.long_term).score)
        others = list(known.values())[: max(0, least - len(read))]
        unread = [replace(candidate, visits=0, variation_visits=(0,)) for candidate in others]
        return replace(base, visits=1 + reading.rewards.size, candidates=(*read, *unread))

    def _pick(self, position: Position, root: Root, evaluation: Evaluation, banned: frozenset[int]) -> int:
        """The best candidate; a pass where the net prefers it or nothing is left; without lines, the net's move."""
        policy, pass_ = given(evaluation.policy), position.pass_
        fights = fights_at(position, policy, 1, 1, banned)
        if not fights or (policy[pass_] >= policy[fights[0].move] and pass_ not in banned):
            return pass_
        best = root.candidates[0]
        return best.move if best.long_term is not None else fights[0].move


def _unknown(root: Root, move: int, prior: float) -> Candidate:
    """A candidate of which the net's report has nothing but the probability: it has the root's value."""
    return Candidate(
        move, 0, prior, root.win_rate, root.lead, (move,), (0,), searched_win_rate=root.searched.win_rate
    )
