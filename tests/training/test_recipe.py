"""Recipes: what they may say, and what they are told when they say something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.training.recipe import PolicyRecipe

FOLDER = Path(__file__).parents[2] / "recipes"
RECIPES = sorted(path for path in FOLDER.glob("*.toml") if not path.stem.startswith("strength"))


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text('net = "res13"\nencoding = "golois39"\nbatch = 50\n[options]\nwidth = 8\n')
    return path


def test_a_recipe_is_named_for_its_file(recipe: Path) -> None:
    plan = PolicyRecipe.read(recipe)
    assert (plan.name, plan.net, plan.batch, plan.options) == ("small", "res13", 50, {"width": 8})


def test_set_changes_keys_and_options(recipe: Path) -> None:
    plan = PolicyRecipe.read(
        recipe, ["batch=10", "options.width=16", "train=a.parquet", "rate=1", "train_filter.years=[2015]"]
    )
    assert (plan.batch, plan.options, plan.train, plan.rate) == (10, {"width": 16}, ("a.parquet",), 1.0)
    assert plan.train_filter == {"years": [2015]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("bacth=10", "no key 'bacth'; did you mean 'batch'?"),
        ("zzz=10", "no key 'zzz': known are"),
        ("batch=ten", "batch must be a whole number, not 'ten'"),
        ("batch=1.5", "batch must be a whole number"),
        ("batch=true", "batch must be a whole number"),
        ("batch=0", "'batch' must be 1 or more"),
        ("rate=-1", "'rate' must be above 0"),
        ("ema=1", "'ema' must be from 0 to below 1"),
        ("criterion=huber", "criterion must be one of cross-entropy, mse"),
        ("net=3", "net must be text"),
        ("options=3", "options must be a table"),
        ("batch", "--set wants key=value"),
        ("batch.x=3", "'batch' is no table"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(recipe: Path, change: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        PolicyRecipe.read(recipe, [change])
    assert message in str(error.value)


def test_a_recipe_must_name_net_and_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("batch = 10\n")
    with pytest.raises(InputError, match="must have net, encoding"):
        PolicyRecipe.read(tmp_path / "x.toml")


def test_a_file_that_is_no_toml_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe net =")
    for name in ("x.toml", "y.toml"):
        with pytest.raises(InputError, match="cannot read the recipe"):
            PolicyRecipe.read(tmp_path / name)


def test_a_recipe_comes_back_from_json(recipe: Path) -> None:
    plan = PolicyRecipe.read(recipe, ["train=a.parquet", "stages=[0.5,0.75]"])
    assert PolicyRecipe.from_table(json.loads(json.dumps(plan.table())), "here") == plan


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_of_the_repository_can_be_built(path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")
    from tengen.nets.board_net import build_net
    from tengen.planes import encoding

    plan = PolicyRecipe.read(path)
    with torch.device("meta"):  # shapes only
        assert build_net(plan.net, planes=len(encoding(plan.encoding)), **plan.options).parameter_count > 0
