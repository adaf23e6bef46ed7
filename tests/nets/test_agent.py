"""Agents: their card and graph, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tengen import InputError, Position
from tengen.nets.agent import CARD, DEFAULT, GRAPH, NUMBERS, AgentCard, AgentShape, open_agent
from tengen.nets.library import SHIPPED, cards


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the agent that ships."""
    return Path(shutil.copytree(SHIPPED / DEFAULT, tmp_path / "agent"))


def test_the_agent_that_ships_makes_steps_of_any_number_of_lines() -> None:
    agent = open_agent(threads=1)
    shape = agent.shape
    for count in (1, 7):
        seen = shape.sensor.look([Position(19)] * count, np.full(count, 60, np.int32))
        state = np.zeros((count, shape.hidden), np.float32)
        said = agent.step(seen, np.zeros((count, NUMBERS), np.float32), state)
        assert said.actions.shape == (count, shape.stop + 1) and said.places.shape == (count, shape.near**2)
        assert said.baseline.shape == (count,) and said.state.shape == state.shape
        assert all(np.isfinite(part).all() for part in said)


def test_the_state_carries_on() -> None:
    agent = open_agent(threads=1)
    seen = agent.shape.sensor.look([Position(19)], np.array([60], np.int32))
    numbers, state = np.zeros((1, NUMBERS), np.float32), np.zeros((1, agent.shape.hidden), np.float32)
    first = agent.step(seen, numbers, state)
    second = agent.step(seen, numbers, first.state)
    assert not np.allclose(first.actions, second.actions)


def test_an_agent_is_small_and_its_card_honest() -> None:
    card = AgentCard.load(SHIPPED / DEFAULT / CARD)
    assert (SHIPPED / DEFAULT / GRAPH).stat().st_size < 300_000
    assert "episodes" in card.training and card.measured["test positions"] > 0
    assert DEFAULT not in cards()  # it is no net


def test_agents_are_found_by_name_and_by_folder(folder: Path) -> None:
    assert open_agent(DEFAULT).card == open_agent().card == open_agent(str(folder)).card


def test_a_card_is_read_as_it_was_written(tmp_path: Path) -> None:
    card = AgentCard(
        "one", AgentShape(window=9), "captures", "predictor", 5, "tengen", "0" * 64, 7, "", {"a": 1}
    )
    (tmp_path / CARD).write_text(card.to_json())
    assert AgentCard.load(tmp_path / CARD) == card


def test_what_is_no_agent_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no agent 'nowhere'.*tengen train long-term"):
        open_agent("nowhere")
    with (folder / GRAPH).open("ab") as graph:
        graph.write(b"x")
    with pytest.raises(InputError, match="not the graph that its card describes"):
        open_agent(str(folder))
    for change in (
        {"reward": "glory"},
        {"encoding": "golois39"},
        {"shape": {"near": 6}},
        {"shape": {"window": 3}},
        {"unknown": 1},
    ):
        table = json.loads((SHIPPED / DEFAULT / CARD).read_text()) | change
        (folder / CARD).write_text(json.dumps(table))
        with pytest.raises(InputError, match="not the card of an agent"):
            open_agent(str(folder))
    (folder / CARD).write_text("[]")
    with pytest.raises(InputError, match="not the card of an agent"):
        open_agent(str(folder))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"near": 4}, "near must be an odd number"),
        ({"near": 7, "window": 5}, "window must be an odd number from its sensor's 7"),
        ({"window": 8}, "window must be an odd number"),
        ({"hidden": 0}, "hidden must be from 1"),
    ],
)
def test_shapes_that_make_no_sense(options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        AgentShape(**options)
