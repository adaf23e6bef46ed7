"""`tengen train value`: examples and labels from how games ended, tests, exported nets, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_ends import made_ends  # noqa: E402
from training.made_tasks import policy_recipe, policy_task, value_recipe, value_task  # noqa: E402

from tengen.cli.commands import make_app  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.go.color import Color  # noqa: E402
from tengen.nets.evaluation import given  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.nets.library import open_net  # noqa: E402
from tengen.nets.net_evaluator import NetEvaluator  # noqa: E402
from tengen.nets.paired import Paired  # noqa: E402
from tengen.training.export import export, trained_evaluator  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402
from tengen.training.value import open_value_examples  # noqa: E402
from tengen.training.value_losses import label_results  # noqa: E402
from tengen.training.value_recipe import ValueRecipe  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_ends(tmp_path_factory.mktemp("ends") / "ends.parquet", 80)


def changed(pool: Path, path: Path, **columns: Any) -> Path:
    """The pool with other columns."""
    store = GameStore.open(pool)
    frame = store.frame.with_columns(
        pl.lit(value, store.frame.schema[name]).alias(name) for name, value in columns.items()
    )
    GameStore(frame).write(path)
    return path


def test_so_many_positions_of_each_game_drawn_by_the_seed(pool: Path) -> None:
    def games_and_moves(**changes: Any) -> tuple[list[int], list[int]]:
        train, _ = open_value_examples(value_recipe(pool, {"data.test": "", **changes}))
        every = np.arange(len(train))
        return train.games(every).tolist(), train.numbers(every).tolist()

    one, first = games_and_moves(**{"data.positions_per_game": 1})
    assert one == sorted(set(one)) == list(range(70))
    three, _ = games_and_moves(**{"data.positions_per_game": 3})
    assert all(three.count(game) == 3 for game in range(70))
    _, second = games_and_moves(**{"data.positions_per_game": 1, "seed": 2})
    assert first != second
    every, _ = games_and_moves(**{"data.positions_per_game": 0})
    lengths = GameStore.open(pool).filter(pl.col("year") != 2015).frame["move_count"]
    assert [every.count(game) for game in range(70)] == lengths.to_list()


def test_labels_of_section_3a(pool: Path) -> None:
    """1 for k below the final margin, -1 above, 0 for a draw; the mover's view."""
    train, _ = open_value_examples(value_recipe(pool))
    batch = train.drawn(0, 64, 1, symmetries=True)
    assert batch.endings is not None and batch.white is not None and train.outcomes is not None
    labels = (-3.5, 0.5, 3.0, 7.5)
    result, known = label_results(labels, batch.endings, batch.white)
    assert known.all()
    sign = np.where(batch.white, -1, 1)
    margin = sign * batch.endings.margin
    wanted = sign[:, None] * np.sign(margin[:, None] - np.array(labels))
    assert np.array_equal(result.numpy(), wanted)
    # The owners add up to the margin, whoever moves and however the board is turned.
    assert np.array_equal(batch.endings.owner.sum(1), batch.endings.margin)


def test_it_learns_and_tests(pool: Path) -> None:
    changes = {"run.examples": 3200, "run.test_every": 1600, "data.positions_per_game": 0}
    task = value_task(value_recipe(pool, changes))
    before = task.validate()
    run = Run(task)
    run.go()
    after = run.validation
    assert after["mse"] < before["mse"] < 0.6
    assert after["ownership"] < before["ownership"]
    assert after["positions"] == len(task.test or ())


def test_the_test_s_error_is_half_the_mean_at_the_test_s_komi(pool: Path) -> None:
    task = value_task(value_recipe(pool, {"data.test_komi": 3.5}))
    assert task.test is not None
    with torch.no_grad():
        for parameter in (*task.net.value_out.parameters(), task.net.komi_bias):  # an even guess
            parameter.zero_()
    task.average.load(dict(task.net.state_dict()))
    assert task.validate()["mse"] == pytest.approx(0.5)
    assert task.validate()["rises"] == 0


@pytest.mark.parametrize("name", ["vn", "bv-ml-vn", "ordered-vn"])
def test_a_trained_net_is_an_evaluator_like_any_other(
    pool: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = value_recipe(pool).table() | {"name": name}
    recipe["net"] = {k: v for k, v in recipe["net"].items() if "label" not in k} | {"architecture": name}
    if name == "bv-ml-vn":
        recipe["net"] |= {"first_label": -8.5, "last_label": 12.5}
    task = value_task(ValueRecipe.from_table(recipe, "test").changed({"run.examples": 320}))
    Run(task, tmp_path / "run").go()
    card = export([tmp_path / "run"], tmp_path / "net")
    assert card.board_sizes == (5,)
    assert card.measured["half the mean squared error of v on the recipe's test positions"] > 0
    net = open_net(str(tmp_path / "net"), "fp32")
    assert isinstance(net, NetEvaluator)
    games = GameStore.open(pool)
    positions = [games.game(i).position(n) for i, n in ((0, 0), (1, 5), (2, 8), (3, 11))]
    found = net.evaluate(positions)
    black = np.array([p.to_move is Color.BLACK for p in positions])
    assert task.train.encoding == net.card.encoding
    inputs = {
        key: torch.from_numpy(value) for key, value in net.inputs(positions, np.zeros(4, np.uint8)).items()
    }
    with torch.inference_mode(), task.average.applied():
        heads = task.net(inputs)
    raw = torch.sigmoid(heads["values" if name != "vn" else "value"]).numpy()
    raw = np.where(black[:, None], raw, 1 - raw)
    win = np.array([given(one.win).of(Color.BLACK) for one in found])
    at = 0 if name == "vn" else task.net.komi_labels.index(7.5)
    if name != "bv-ml-vn":  # whose curves are repaired where they rise
        assert win == pytest.approx(raw[:, at], abs=1e-5)
    else:
        assert net.komi_curves(positions, [7.5])[:, 0] == pytest.approx(raw[:, at], abs=1e-5)
        with pytest.raises(InputError, match="none of them for komi 99"):
            net.komi_curves(positions, [99])
    if name != "vn":
        owner = np.tanh(heads["ownership"].numpy()) * np.where(black, 1, -1)[:, None]
        assert np.array([one.ownership for one in found]).reshape(4, 25) == pytest.approx(owner, abs=1e-5)
    assert (found[0].margin is None) == (name != "ordered-vn")
    same = trained_evaluator(tmp_path / "run").evaluate(positions)
    assert [given(one.win).of(Color.BLACK) for one in same] == pytest.approx(win, abs=1e-6)
    pair = Paired(policy=FakeEvaluator(), value=net)
    assert given(pair.evaluate(positions)[0].win) == found[0].win
    (tmp_path / "game.sgf").write_text(games.game(0).to_sgf())
    words = ["eval", str(tmp_path / "game.sgf"), "--net", str(tmp_path / "net")]
    make_app(words)(words, exit_on_error=False, result_action="return_value")
    assert "%" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"net.size": 9}, "is for 9x9, the games are on 5x5: set net.size=5"),
        ({"data.test_komi": 20.5}, "labels go from -12.5 to 12.5 without it"),
        ({"net.architecture": "residual", "net.encoding": "golois39"}, "no option 'size'"),
        ({"data.train_filter": {"years": [1990]}}, "no game of .* is left"),
        ({"data.positions_per_game": -1}, "must be 0 or more"),
        ({"losses.ownership": 0.0}, "must be above 0"),
        ({"data.train": []}, "names no pool"),
    ],
)
def test_recipes_that_are_refused(pool: Path, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        value_task(value_recipe(pool, changes))


def test_a_policy_net_is_refused(pool: Path) -> None:
    table = value_recipe(pool).table()
    table["net"] = {"architecture": "alpha13", "encoding": "golois39", "width": 8}
    with pytest.raises(InputError, match="'alpha13' has no head value or values, only policy"):
        open_value_examples(ValueRecipe.from_table(table, "test"))


def test_pools_that_do_not_say_how_games_ended_are_refused(pool: Path, tmp_path: Path) -> None:
    resigned = changed(
        pool, tmp_path / "r.parquet", final_margin=None, final_owner=None, result="resign", margin=None
    )
    with pytest.raises(
        InputError, match="no game has a final margin and final owners, which the net 'bv-ml-vn'"
    ):
        open_value_examples(value_recipe(pool, {"data.train": [str(resigned)]}))
    ownerless = changed(pool, tmp_path / "o.parquet", final_owner=None)
    with pytest.raises(InputError, match="no game has a final margin and final owners"):
        open_value_examples(value_recipe(pool, {"data.train": [str(ownerless)]}))
    # A net without ownership needs no owners.
    train, _ = open_value_examples(
        value_recipe(pool, {"data.train": [str(ownerless)], "net.architecture": "ml-vn"})
    )
    assert len(train) == 3 * 70


def test_a_pool_of_one_game_is_refused(pool: Path, tmp_path: Path) -> None:
    GameStore(GameStore.open(pool).frame[:1]).write(tmp_path / "one.parquet")
    with pytest.raises(InputError, match="one game is left after the filter"):
        open_value_examples(value_recipe(pool, {"data.train": [str(tmp_path / "one.parquet")]}))


def test_games_without_an_end_are_left_out_and_said(pool: Path, tmp_path: Path) -> None:
    frame = GameStore.open(pool).frame
    some = frame.with_columns(
        pl.when(pl.int_range(pl.len()) < 10).then(None).otherwise(pl.col("final_owner")).alias("final_owner")
    )
    GameStore(some).write(tmp_path / "some.parquet")
    said: list[str] = []
    train, _ = open_value_examples(
        value_recipe(pool, {"data.train": [str(tmp_path / "some.parquet")], "data.train_filter": {}}),
        said.append,
    )
    assert said == ["10 of 80 games are left out: they do not have a final margin and final owners"]
    assert len(train) == 3 * 70


@pytest.mark.parametrize("path", sorted((ROOT / "recipes").glob("cgi-*x*.toml")), ids=lambda path: path.stem)
def test_the_recipes_of_the_value_nets(path: Path) -> None:
    from tengen.training.net_task import build_recipe_net

    recipe = ValueRecipe.read(path)
    with torch.device("meta"):
        net = build_recipe_net(recipe)
    assert f"{net.size}x{net.size}" in path.stem
    assert 7.5 in net.card_komi_labels
    assert ("ownership" in net.heads) == ("bv" in path.stem or "ordered" in path.stem)
    if net.size == 9 and net.komi_labels:  # b15c192's margin with four stones on 9x9
        assert net.komi_labels[-1] > 52.4


def test_a_run_may_begin_with_the_convolutions_of_a_policy(pool: Path, tmp_path: Path) -> None:
    layers = value_recipe(pool).net.options["layers"]
    net = {"architecture": "cgi-policy", "encoding": "cgi49", "width": 16, "layers": layers + 1}
    table = policy_recipe(pool).table() | {"net": net}
    policy = PolicyRecipe.from_table(table, "test").changed({"run.examples": 64, "losses.next_moves": 0.1})
    Run(policy_task(policy), tmp_path / "policy").go()
    begun = value_task(value_recipe(pool, {"run.begin": str(tmp_path / "policy"), "net.width": 16}))
    before = begun.net.trunk[1][0].weight.clone()
    begun.start()
    assert begun.begun["run"] == "policy" and not torch.equal(begun.net.trunk[1][0].weight, before)
    with pytest.raises(InputError, match="which is another net"):
        value_task(value_recipe(pool, {"run.begin": str(tmp_path / "policy"), "net.width": 8})).start()
