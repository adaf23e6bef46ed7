"""Recipes: what they may say, and what they are told when they say something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.training.recipe import PolicyRecipe
from tengen.training.value_recipe import ValueRecipe

FOLDER = Path(__file__).parents[2] / "recipes"
RECIPES = sorted(
    path for path in FOLDER.glob("*.toml") if not path.stem.startswith(("strength", "reinforce", "long-term"))
)


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(
        '[net]\narchitecture = "res13"\nencoding = "golois39"\nwidth = 8\n[optimiser]\nbatch = 50\n'
    )
    return path


def test_a_recipe_is_named_for_its_file(recipe: Path) -> None:
    plan = PolicyRecipe.read(recipe)
    assert (plan.name, plan.net.architecture, plan.net.options) == ("small", "res13", {"width": 8})
    assert plan.optimiser.batch == 50


def test_set_changes_keys_of_sections(recipe: Path) -> None:
    keys = ["optimiser.batch=10", "net.width=16", "data.train=a.parquet", "optimiser.rate=1", "seed=3"]
    plan = PolicyRecipe.read(recipe, [*keys, "data.train_filter.years=[2015]"])
    assert (plan.optimiser.batch, plan.optimiser.rate, plan.seed) == (10, 1.0, 3)
    assert plan.net.options == {"width": 16}
    assert (plan.data.train, plan.data.train_filter) == (("a.parquet",), {"years": [2015]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("optimiser.bacth=10", "optimiser has no key 'bacth'; did you mean 'batch'?"),
        ("optimiser.zzz=10", "no key 'zzz': known are"),
        ("zzz=10", "no key 'zzz': known are data, losses, name, net, optimiser, run, seed, threads"),
        ("optimiser.batch=ten", "batch must be a whole number, not 'ten'"),
        ("optimiser.batch=1.5", "batch must be a whole number"),
        ("optimiser.batch=true", "batch must be a whole number"),
        ("optimiser.batch=0", "'batch' must be 1 or more"),
        ("optimiser.rate=-1", "'rate' must be above 0"),
        ("optimiser.ema=1", "'ema' must be from 0 to below 1"),
        ("losses.policy=huber", "policy must be one of cross-entropy, mse"),
        ("net.architecture=3", "architecture must be text"),
        ("data.train_filter=3", "train_filter must be a table"),
        ("data=3", "data must be a section, not 3"),
        ("optimiser.batch", "--set wants key=value"),
        ("optimiser.batch.x=3", "'batch' is no table"),
        # Recipes had no sections once.
        ("batch=10", "'batch' is optimiser.batch now"),
        ("rate=0.1", "'rate' is optimiser.rate now"),
        ("net=res13", "'net' is net.architecture now"),
        ("options.width=16", "'options' is net now"),
        ("optimiser=sgd", "'optimiser' is optimiser.method now"),
        ("train=a.parquet", "'train' is data.train now"),
        ("train_filter.years=[2015]", "'train_filter' is data.train_filter now"),
        ("examples=3", "'examples' is run.examples now"),
        ("hint_weight=2", "'hint_weight' is losses.teacher_trunk now"),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(recipe: Path, change: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        PolicyRecipe.read(recipe, [change])
    assert message in str(error.value)


def test_a_recipe_without_sections_is_refused_with_the_new_place(tmp_path: Path) -> None:
    (tmp_path / "old.toml").write_text('net = "res13"\nencoding = "golois39"\nrate = 0.1\n')
    with pytest.raises(InputError, match=r"old.toml: recipes have sections: 'net' is net\.architecture now"):
        PolicyRecipe.read(tmp_path / "old.toml")


def test_a_recipe_must_name_net_and_encoding(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("[optimiser]\nbatch = 10\n")
    with pytest.raises(InputError, match="must have net"):
        PolicyRecipe.read(tmp_path / "x.toml")
    with pytest.raises(InputError, match="net must have encoding"):
        PolicyRecipe.read(tmp_path / "x.toml", ["net.architecture=res13"])


def test_a_file_that_is_no_toml_or_not_there(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe net =")
    for name in ("x.toml", "y.toml"):
        with pytest.raises(InputError, match="cannot read the recipe"):
            PolicyRecipe.read(tmp_path / name)


def test_a_recipe_comes_back_from_json(recipe: Path) -> None:
    plan = PolicyRecipe.read(recipe, ["data.train=a.parquet", "optimiser.stages=[0.5,0.75]"])
    assert PolicyRecipe.from_table(json.loads(json.dumps(plan.table())), "here") == plan


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_of_the_repository_can_be_built(path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")
    from tengen.training.net_task import build_recipe_net

    plan = (ValueRecipe if path.stem.startswith("cgi-") else PolicyRecipe).read(path)
    with torch.device("meta"):  # shapes only
        assert build_recipe_net(plan).parameter_count > 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_recipes_name_only_pools_that_the_runs_make(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "../" not in text
    for word in text.replace('"', " ").split():
        assert not word.startswith("/")
        if word.endswith(".parquet") and "draft" not in word:
            assert word.startswith(("out/pools/", "out/labels/"))


def test_the_same_run_is_known_by_its_keys(recipe: Path, tmp_path: Path) -> None:
    saved = json.loads(json.dumps(PolicyRecipe.read(recipe).table()))
    free = ["run.examples=9", "optimiser.decay=3", "threads=2", "name=other", "data.test_positions=5"]
    PolicyRecipe.read(recipe, free).check_same_run(saved, tmp_path)
    for change, message in (
        ("net.width=9", "begun with net.width = 8, and the recipe now says 9"),
        ("net.blocks=9", "begun with net.blocks = None, and the recipe now says 9"),
        ("losses.margin=0.5", "begun with losses.margin = 0.0, and the recipe now says 0.5"),
        ("data.train_filter.years=[2016]", r"begun with data.train_filter.years = None"),
    ):
        with pytest.raises(InputError) as error:
            PolicyRecipe.read(recipe, [change]).check_same_run(saved, tmp_path)
        assert message in str(error.value)
    # A key that is new since has its default.
    del saved["losses"]["label_smoothing"]
    PolicyRecipe.read(recipe).check_same_run(saved, tmp_path)
    with pytest.raises(InputError, match=r"losses\.label_smoothing = 0\.0"):
        PolicyRecipe.read(recipe, ["losses.label_smoothing=0.1"]).check_same_run(saved, tmp_path)
