"""From ranked players to a model that runs without torch, and back: the graph says what the net said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from strength.made_players import made_features, made_pool, made_ranked_pool  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.strength.draft import Draft, prepare  # noqa: E402
from tengen.strength.evaluate import evaluate, move_ratings, stochastic_prediction  # noqa: E402
from tengen.strength.export import to_onnx  # noqa: E402
from tengen.strength.feature_store import FeatureStore, net_key  # noqa: E402
from tengen.strength.groups import GROUPS  # noqa: E402
from tengen.strength.influence import influence  # noqa: E402
from tengen.strength.model import CARD, GRAPH, StrengthCard, StrengthModel  # noqa: E402
from tengen.strength.objectives import RankObjective, rank_logits  # noqa: E402
from tengen.strength.publish import open_objective, publish  # noqa: E402
from tengen.strength.rank_figures import DRAWS  # noqa: E402
from tengen.strength.ranks import draw_players, part_of, players_of  # noqa: E402
from tengen.strength.recipe import StrengthRecipe  # noqa: E402
from tengen.strength.rescale import calibrate_to_ranks  # noqa: E402
from tengen.strength.set_transformer import MeanPooled, SetTransformer  # noqa: E402
from tengen.strength.training import StrengthTask  # noqa: E402
from tengen.strength.windows import draft_windows, drafted_games, stored  # noqa: E402
from tengen.training.run import Run  # noqa: E402

NET = FakeEvaluator()


def small(epochs: int, data: dict[str, Any]) -> StrengthRecipe:
    return StrengthRecipe.from_table(
        {
            "inputs": "full",
            "name": "made",
            "run": {"epochs": epochs, "steps": 20},
            "data": {"net": "fake", **data},
            "model": {"depth": 1, "hidden": 16, "query": 8, "inducing": 4},
            "optimiser": {"rate": 0.01, "batch": 16},
            "losses": {"tau_theta": 0.1},
        },
        "test",
    )


def trained(recipe: StrengthRecipe, folder: Path | None = None) -> StrengthTask:
    task = StrengthTask(recipe, open_objective(recipe, NET))
    Run(task, folder).go()
    return task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranked")
    pool, strength = made_ranked_pool(folder, players=24, games=8)  # so many that V has all groups
    made_features(GameStore.open(pool), strength, folder / "features", net_key(NET))
    return folder


@pytest.fixture(scope="module")
def recipe(folder: Path) -> StrengthRecipe:
    where = {"pool": str(folder / "pool.parquet"), "features": str(folder / "features")}
    return small(6, {**where, "target": "ranks", "window": 60})


@pytest.fixture(scope="module")
def model(folder: Path, recipe: StrengthRecipe) -> StrengthModel:
    trained(recipe, folder / "run")
    publish(folder / "run", folder / "model", NET)
    return StrengthModel.open(folder / "model")


@pytest.mark.parametrize(
    "net",
    [
        SetTransformer(5, 3, depth=2, hidden=8, query=6, inducing=3),
        MeanPooled(5, 3, hidden=8),
        MeanPooled(5, 3, hidden=8, depth=2, centres=torch.tensor([-2.0, 0.0, 1.0])),
    ],
)
def test_the_graph_says_what_the_net_says(net: SetTransformer | MeanPooled) -> None:
    card = StrengthCard("m", "full", "ranks", "n", "h", 5, 3, 500, "s")
    model = StrengthModel(card, to_onnx(net, 3), threads=1)
    rng = np.random.default_rng(0)
    sets = [rng.standard_normal((n, 5)).astype(np.float32) for n in (3, 40, 1)]
    x, mask = torch.zeros(3, 40, 5), torch.zeros(3, 40, dtype=torch.bool)
    for i, each in enumerate(sets):
        x[i, : len(each)], mask[i, : len(each)] = torch.from_numpy(each), True
    direction = rng.standard_normal((3, 3)).astype(np.float32)
    with torch.no_grad():
        output, pull = influence(net.eval(), x, mask, torch.from_numpy(direction))
    np.testing.assert_allclose(model.outputs(sets), output.numpy(), atol=1e-5)
    inputs = {**model._padded(sets), "direction": direction}
    found = model._influence.run(19, inputs, ("output", "influence"))
    np.testing.assert_allclose(found["output"], output.numpy(), atol=1e-5)
    np.testing.assert_allclose(found["influence"], pull.numpy(), atol=1e-5)


def test_a_player_is_in_one_part_and_his_games_are_in_order(folder: Path) -> None:
    players = players_of(GameStore.open(folder / "pool.parquet"))
    assert {player.group for player in players} == set(range(len(GROUPS)))
    for player in players:
        assert player.part == part_of(player.name, 0.15, 0.25)
        assert list(player.games) == sorted(player.games)  # this pool is in date order
    shares = [sum(part_of(f"player {i}", 0.15, 0.25) == part for i in range(4000)) / 4000 for part in "TVE"]
    assert shares == pytest.approx([0.6, 0.15, 0.25], abs=0.03)


def test_a_drawn_pool_is_even_from_its_beginning_on(folder: Path) -> None:
    drawn = draw_players(GameStore.open(folder / "pool.parquet"), players=4, games=3)
    assert len(drawn) <= 11 * 4 * 3
    first = drawn.frame["black_rank"].to_list()[: 11 * 4 - 15]
    assert len(set(first)) >= 9


def test_those_of_t_may_have_fewer_games_in_a_drawn_pool(folder: Path) -> None:
    store = GameStore.open(folder / "pool.parquet")
    drawn, whole = (set(draw_players(store, 24, 3, n).frame["id"].to_list()) for n in (1, None))
    assert drawn < whole
    for player in players_of(store):
        games = store.frame[list(player.games[: 1 if player.part == "T" else 3])]["id"].to_list()
        assert set(games) <= drawn


def test_ranks_are_learnt_calibrated_and_measured(model: StrengthModel) -> None:
    card = model.card
    assert card.scale == "fox" and card.outputs == len(GROUPS) and card.width == 4
    one = card.measured["from 1 games, players of E"]
    five = card.measured["from 5 games, players of E"]
    assert one["error"] < 1.5 and five["error"] < one["error"]
    assert five["within_one"] > 0.6
    assert one["covered80"] == pytest.approx(
        0.80, abs=0.12
    )  # few players; the calibration's own test is sharper
    assert one["covered95"] > 0.85


def test_games_of_a_group_tell_its_rank_the_better_the_more_there_are(model: StrengthModel) -> None:
    measured = model.card.measured
    one, two = (measured[f"from {n} games of a group, players of E"] for n in (1, 2))
    assert one["samples"] == two["samples"] == DRAWS * len(GROUPS)
    assert two["error"] < one["error"]
    assert "from 20 games of a group, players of E" not in measured  # there are not so many


@pytest.mark.parametrize("kind", ["mean", "set-transformer"])
def test_readings_of_the_rank_are_learnt_and_their_chances_have_one_peak(
    folder: Path, recipe: StrengthRecipe, kind: str
) -> None:
    model = {"model.kind": kind, "model.ordered": True}
    reading = recipe.changed({"name": "reading", **model, "optimiser.rate": 0.02})
    task = trained(reading)
    assert isinstance(task.objective, RankObjective)
    logits, group = rank_logits(task.best_net(), task.objective.ranked, "V", 5)
    assert np.abs(logits.argmax(1) - group).mean() < 1
    rises = np.diff(logits, axis=1) > 0
    assert not (rises[:, 1:] & ~rises[:, :-1]).any()  # once it falls it does not rise again
    with pytest.raises(InputError, match="ordered = true is for"):
        reading.changed({"data.target": "games", "data.draft": "draft.parquet"})


def test_influence_points_at_the_moves_that_told(model: StrengthModel) -> None:
    rng = np.random.default_rng(3)
    moves = rng.normal(0, 0.3, (60, 4)).astype(np.float32)
    moves[7, 0], moves[23, 0] = 4.0, -4.0
    influence = model.influence(moves)
    assert influence.argmax() == 7 and influence.argmin() == 23


def test_a_model_is_refused_for_another_net_and_when_it_was_changed(
    model: StrengthModel, folder: Path
) -> None:
    with pytest.raises(InputError, match="reads features of fake-0, not of fake-1"):
        model.check_net(FakeEvaluator(seed=1).card)
    copy = folder / "copy"
    copy.mkdir(exist_ok=True)
    (copy / GRAPH).write_bytes((folder / "model" / GRAPH).read_bytes() + b" ")
    (copy / CARD).write_text((folder / "model" / CARD).read_text())
    with pytest.raises(InputError, match="sha256 differs"):
        StrengthModel.open(copy)
    table = json.loads((folder / "model" / CARD).read_text())
    table["calibrations"]["fox"]["net_sha256"] = "of another net"
    (copy / GRAPH).write_bytes((folder / "model" / GRAPH).read_bytes())
    (copy / CARD).write_text(json.dumps(table))
    with pytest.raises(InputError, match="another net"):
        StrengthModel.open(copy)
    for broken in ("", "[]", "{}", '{"name": 3}', json.dumps(table | {"width": -1})):
        (copy / CARD).write_text(broken)
        with pytest.raises(InputError, match="not the card"):
            StrengthModel.open(copy)


def test_a_model_may_be_fitted_to_another_scale(model: StrengthModel, folder: Path) -> None:
    games = GameStore.open(folder / "pool.parquet")
    with FeatureStore(folder / "features", NET, write=False) as kept:
        found = calibrate_to_ranks(model, games, kept, "egf")
    assert found.scale == "egf" and found.slope == pytest.approx(100, rel=0.3)  # a rank is 100 points
    assert found.low == pytest.approx(1700) and found.high == pytest.approx(2900)


def test_training_needs_no_player_of_the_other_parts(folder: Path, recipe: StrengthRecipe) -> None:
    objective = open_objective(recipe, NET)
    assert isinstance(objective, RankObjective)
    assert {objective.ranked.players[i].part for i in objective.training} == {"T"}


def test_table_52_on_made_games(tmp_path: Path) -> None:
    pool, strength = made_pool(tmp_path, players=40, games=700)
    store = GameStore.open(pool)
    made_features(store, strength, tmp_path / "features", net_key(NET), noise=0.5)
    prepare(store, sizes={"T": 150, "V": 80, "E": 120, "X": 15}).write(tmp_path / "draft.parquet")
    draft = Draft.open(tmp_path / "draft.parquet")
    where = {
        "pool": str(pool),
        "features": str(tmp_path / "features"),
        "draft": str(tmp_path / "draft.parquet"),
    }
    trained(small(3, {**where, "window": 40}), tmp_path / "run")
    card = publish(tmp_path / "run", tmp_path / "model", NET)
    assert card.scale == "glicko2" and card.calibrations["glicko2"].slope == draft.deviation
    model = StrengthModel.open(tmp_path / "model")
    games = drafted_games(draft)
    records = store.records()
    with FeatureStore(tmp_path / "features", NET, write=False) as kept:
        load = stored(store, kept, "full")
        windows = draft_windows(draft, records, games, load, "full", 40)
        stochastic = stochastic_prediction(draft, records, games, load)
    lines = {
        line.name: line.by_set
        for line in evaluate(draft, games, {"full": move_ratings(model, draft, windows)}, stochastic)
    }
    test = {name: by_set["E"].log_likelihood for name, by_set in lines.items()}
    assert test["50:50"] == pytest.approx(-np.log(2))
    assert test["full"] > test["Glicko-2"] > test["50:50"]  # the features show the strength itself
    assert test["combined (Glicko-2 and full)"] > test["Glicko-2"]
    assert lines["future Glicko-2"]["T"].accuracy == 1.0
    assert "stochastic" in lines


def test_a_run_of_another_kind_is_refused(folder: Path, recipe: StrengthRecipe, model: StrengthModel) -> None:
    counts = {"run.epochs": 1, "run.steps": 1}
    trained(recipe.changed({"name": "other", "inputs": "basic", **counts}), folder / "basic")
    assert publish(folder / "basic", folder / "basic-model", NET).width == 6
