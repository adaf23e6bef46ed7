"""Labels of a teacher: which positions, what is stored of them, and how they are made in several sittings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_games import made_pool

from tengen import Color, Position
from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.training.labelling import LAST, Draw, Order, label
from tengen.training.labels import OWN_RULES, open_labels, read_about, read_frame

AS_PLAYED = Draw(varied=0.0)


def made(pool: Path, output: Path, draw: Draw = AS_PLAYED, positions: int | None = 60, **how: Any) -> Path:
    label(pool, how.pop("net", FakeEvaluator()), output, draw, positions, **how)
    return output


def test_a_row_holds_what_the_teacher_says_in_blacks_view(pool: Path, tmp_path: Path) -> None:
    store = GameStore.open(pool)
    labels = open_labels(made(pool, tmp_path / "labels.parquet"), pool, store.identity)
    assert len(labels) == 60
    for i in range(20):
        position = store.game(int(labels.games[i])).position(int(labels.numbers[i]))
        [said] = FakeEvaluator().evaluate([position])
        assert said.policy is not None and said.win is not None and said.lead is not None
        assert labels.win[i] == pytest.approx(said.win.of(Color.BLACK), abs=1e-6)
        assert labels.lead[i] == pytest.approx(said.lead.of(Color.BLACK), abs=1e-4)
        assert (labels.komi[i], labels.rules[i]) == (7.5, OWN_RULES)
        np.testing.assert_allclose(labels.owner[i] / 127, said.ownership.ravel(), atol=0.005)
        assert labels.moves[i, 0] == said.policy.argmax()
        np.testing.assert_allclose(labels.chances[i] / 65535, np.sort(said.policy)[::-1][:24], atol=1e-5)


def test_positions_are_drawn_without_a_repeat_up_to_all_of_them(pool: Path) -> None:
    store = GameStore.open(pool)
    order = Order(store, Draw(), pool)
    assert len(order) == sum(len(game.moves) + 1 for game in store)
    every = set(zip(*(part.tolist() for part in order.first(len(order))), strict=True))
    assert every == {(i, n) for i, game in enumerate(store) for n in range(len(game.moves) + 1)}
    few, more = order.first(30), order.first(300)
    assert all(np.array_equal(one, other[:30]) for one, other in zip(few, more, strict=True))
    other = Order(store, Draw(seed=2), pool).first(30)
    assert not np.array_equal(few[0], other[0])


@pytest.mark.parametrize(("ends", "least", "most"), [(0.0, 0.05, 0.35), (0.5, 0.5, 0.9)])
def test_ends_of_games_are_drawn_as_often_as_asked(
    pool: Path, ends: float, least: float, most: float
) -> None:
    """Boards after the last moves: finished, and after passes."""
    store = GameStore.open(pool)
    games, numbers = Order(store, Draw(ends=ends), pool).first(150)
    lengths = store.frame["move_count"].to_numpy()[games]
    assert least < (numbers > lengths - LAST).mean() < most
    if ends:
        assert (numbers == lengths).any()  # nothing more was played


def test_komi_and_rules_are_varied_for_a_share_of_the_positions(pool: Path, tmp_path: Path) -> None:
    class Asked(FakeEvaluator):
        """Notes what it was asked."""

        def evaluate(self, positions: Sequence[Position], **how: Any) -> list[Evaluation]:
            seen.extend(position.rules for position in positions)
            return super().evaluate(positions, **how)

    seen: list[Any] = []
    path = made(pool, tmp_path / "labels.parquet", Draw(varied=0.5), 200, net=Asked())
    frame = read_frame(path)
    assert [rules.komi for rules in seen] == frame["komi"].to_list()
    assert [None if rules.name == "chinese" else rules.name for rules in seen] == [
        None if name in (None, "chinese") else name for name in frame["rules"].to_list()
    ]
    own = frame["rules"].is_null()
    assert 0.4 < own.mean() < 0.6  # type: ignore[operator]
    assert set(frame.filter(own)["komi"]) == {7.5}
    varied = frame.filter(~own)
    assert varied["komi"].n_unique() > 5 and varied["rules"].n_unique() == 5
    assert varied["komi"].abs().max() <= 12.5  # half the board
    assert (2 * varied["komi"] % 1 == 0).all()


def test_labels_are_the_same_for_any_threads_and_parts_and_grow(pool: Path, tmp_path: Path) -> None:
    once = read_frame(made(pool, tmp_path / "once.parquet", Draw()))
    again = tmp_path / "again.parquet"
    for positions in (7, 33, 60):
        made(pool, again, Draw(), positions, threads=2, part=5)
        assert read_frame(again).equals(once[:positions])
    assert not (tmp_path / "again.parquet.parts").exists()
    made(pool, again, Draw(), 20)  # all are there
    assert read_frame(again).equals(once)


def test_a_killed_command_goes_on(pool: Path, tmp_path: Path) -> None:
    class Dying(FakeEvaluator):
        left = 3

        def evaluate(self, positions: Sequence[Position], **how: Any) -> list[Evaluation]:
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("killed")
            return super().evaluate(positions, **how)

    path = tmp_path / "labels.parquet"
    with pytest.raises(RuntimeError, match="killed"):
        made(pool, path, part=10, net=Dying())
    assert not path.exists() and len(list((tmp_path / "labels.parquet.parts").glob("*.parquet"))) == 3
    asked = Dying()
    asked.left = 100
    made(pool, path, part=10, net=asked)
    assert asked.left == 97  # the three other parts
    assert read_frame(path).equals(read_frame(made(pool, tmp_path / "whole.parquet")))


def test_labels_say_what_they_are_of(pool: Path, tmp_path: Path) -> None:
    path = made(pool, tmp_path / "labels.parquet", Draw(seed=3, where={"years": [2015]}))
    about = read_about(path)
    assert about["pool"] == GameStore.open(pool).identity
    assert (about["net"], about["size"], about["seed"]) == ("fake-0", 5, 3)
    years = GameStore.open(pool).frame["year"].to_numpy()[read_frame(path)["game"].to_numpy()]
    assert set(years.tolist()) == {2015}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"net": FakeEvaluator(seed=1)}, "were made with net = 'fake-0', not 'fake-1'"),
        ({"draw": Draw(seed=2)}, "were made with seed = 1, not 2"),
        ({"draw": Draw(where={"years": [2015]})}, "were made with where"),
    ],
)
def test_other_labels_are_not_added(
    pool: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = made(pool, tmp_path / "labels.parquet", Draw())
    with pytest.raises(InputError, match=message):
        made(pool, path, **{"draw": Draw(), "positions": 80, **changes})


def test_labels_of_another_pool_are_refused(pool: Path, tmp_path: Path) -> None:
    path = made(pool, tmp_path / "labels.parquet")
    (tmp_path / "other").mkdir()
    other = made_pool(tmp_path / "other", 79)
    with pytest.raises(InputError, match=r"has labels of the pool pool\.parquet, and .* has other games"):
        open_labels(path, other, GameStore.open(other).identity)
    with pytest.raises(InputError, match="were made with pool = "):
        made(other, path)
    with pytest.raises(InputError, match="not a file of labels"):
        open_labels(pool, pool, GameStore.open(pool).identity)
    with pytest.raises(InputError, match="no such labels; make them"):
        open_labels(tmp_path / "nothing", pool, "")


def test_what_cannot_be_labelled(pool: Path, tmp_path: Path) -> None:
    output = tmp_path / "labels.parquet"
    with pytest.raises(InputError, match=r"fake-0 has no ownership .*labels hold"):
        made(pool, output, net=FakeEvaluator(heads=("policy", "win_by_komi", "margin")))
    with pytest.raises(InputError, match="meets the filter"):
        made(pool, output, Draw(where={"years": [1999]}))
    with pytest.raises(InputError, match="share of ends must be from 0 to below 1"):
        Draw(ends=1.0)
    with pytest.raises(InputError, match="from 0 to 1, not 2"):
        Draw(varied=2.0)
    with pytest.raises(InputError, match="must be 1 or more"):
        made(pool, output, positions=0)


def test_the_command(pool: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tengen.cli.train_label import label as command

    output = tmp_path / "labels.parquet"
    command(pool, net="fake", output=output, positions=20, where=["years=[2015]"], threads=1, json_=True)
    said = json.loads(capsys.readouterr().out)
    assert (said["labels"], said["net"]) == (20, "fake-0")
    command(pool, net="fake", output=output, positions=30, where=["years=[2015]"], threads=1)
    assert "30 positions of pool.parquet, labelled by fake-0" in capsys.readouterr().out.replace("\n", " ")
