"""What an agent learns before REINFORCE: the lines of the games."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from search.plain_agents import PlainAgent, anywhere  # noqa: E402
from training.made_tasks import long_term_recipe, long_term_task  # noqa: E402

from tengen import Position  # noqa: E402
from tengen.nets.agent import AgentShape  # noqa: E402
from tengen.search.imagining import Fight  # noqa: E402
from tengen.search.imagining_sides import NOT_DRAWN, AgentSide, places_of  # noqa: E402
from tengen.training.imitation import followed, lines_of_games  # noqa: E402

SHAPE = AgentShape(near=3, cells=1, cell=1, window=5, width=1, hidden=1)
BOARD = Position(9)
PASS = BOARD.pass_


def points(*vertices: str) -> list[int]:
    return [BOARD.point(vertex) for vertex in vertices]


def followed_line(candidate: str, *later: str) -> tuple[list[int], list[int], list[int]]:
    """Moves, actions and places of the record, of an agent that never moves its sensor from the candidate."""
    fight = Fight(Position(9), BOARD.point(candidate), SHAPE.window)
    watcher = AgentSide(PlainAgent(anywhere, SHAPE), record=True)
    moves = np.array(points(*later), np.int32)[:, None]
    lines, looked = lines_of_games([fight], moves, watcher, np.random.default_rng(0))
    return (
        lines.moves[:, 0].tolist(),
        [int(one.action[0]) for one in looked],
        [int(one.place[0]) for one in looked],
    )


def test_places_are_points_of_the_near_window() -> None:
    centres = np.full(5, BOARD.point("E5"), np.int32)
    asked = np.array([*points("E5", "D6", "F4", "E7"), PASS], np.int32)
    assert places_of(asked, centres, 3, 9).tolist() == [4, 0, 8, NOT_DRAWN, NOT_DRAWN]
    corner = np.array(points("A9"), np.int32)
    assert places_of(np.array(points("J8"), np.int32), corner, 3, 9).tolist() == [
        NOT_DRAWN
    ]  # no way round the edge


def test_a_line_has_the_moves_of_the_game_inside_the_window_and_stops_for_others() -> None:
    moves, actions, _ = followed_line("E5", "E6", "A1", "D5")
    assert moves == [BOARD.point("E6"), PASS, BOARD.point("D5")]
    assert actions[1] == SHAPE.stop


def test_two_moves_elsewhere_end_the_line() -> None:
    moves, actions, _ = followed_line("E5", "A1", "J1", "D5")
    assert moves == [PASS, PASS, -1] and actions == [SHAPE.stop, SHAPE.stop]


def test_a_move_that_is_no_longer_possible_is_a_stop() -> None:
    assert followed_line("E5", "E5", "E6")[0] == [PASS, BOARD.point("E6")]


def test_the_agent_is_to_give_the_next_move_and_to_look_at_the_one_after_it() -> None:
    _, actions, places = followed_line("E5", "E6", "E6", "E5")
    assert actions[0] == 1  # above the middle of three by three
    centres = np.full(1, BOARD.point("E5"), np.int32)
    assert places[0] == places_of(np.array(points("E6"), np.int32), centres, 3, 9)[0]
    assert places[2] == NOT_DRAWN  # nothing is known of what follows the last move


def test_a_move_that_the_agent_does_not_see_is_not_learnt() -> None:
    moves, actions, _ = followed_line("E5", "E7")
    assert moves == [BOARD.point("E7")] and actions == [NOT_DRAWN]


def test_what_followed_in_a_game_is_turned_with_it(pool: Path) -> None:
    task = long_term_task(long_term_recipe(pool))
    examples = task.train
    plain, after = followed(examples, [3], [0], 4, 5)
    turned, after_turned = followed(examples, [3], [5], 4, 5)
    assert after.shape == (4, 1) and plain[0].move == examples.played(3)
    assert turned[0].move == examples.carried[5][plain[0].move]
    assert after_turned[:, 0].tolist() == examples.carried[5][after[:, 0]].tolist()


def test_an_agent_learns_to_foretell_and_then_reinforce_begins(pool: Path) -> None:
    changes = {"run.imitated": 12 * 60, "run.episodes": 12 * 62, "optimiser.rate": 0.03}
    task = long_term_task(long_term_recipe(pool, changes))
    figures = [task.step().figures for _ in range(60)]
    shares = [one["foretold"] for one in figures]
    assert np.mean(shares[-15:]) > np.mean(shares[:5]) + 0.05
    assert "reward" in task.step().figures and task.done == 12 * 61
