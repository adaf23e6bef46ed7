"""CGI's policy net (section III.A): 13 layers, three moves."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from pathlib import Path  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import build_net  # noqa: E402
from tengen.planes import encoding  # noqa: E402
from tengen.training.net_task import build_recipe_net  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402


def test_it_has_thirteen_layers_and_predicts_three_moves() -> None:
    net = build_net("cgi-policy", planes=49, width=16)
    convolutions = [module for module in net.modules() if isinstance(module, torch.nn.Conv2d)]
    assert [conv.kernel_size[0] for conv in convolutions] == [5] + [3] * 11 + [1]
    for size in (5, 9):
        heads = net({"spatial": torch.zeros(2, 49, size, size)})
        assert heads["policy"].shape == (2, size**2) and heads["next"].shape == (2, 2, size**2)


def test_one_further_move_or_none() -> None:
    assert build_net("cgi-policy", planes=49, width=8, next_moves=0).heads == ("policy",)
    heads = build_net("cgi-policy", planes=49, width=8, next_moves=1)({"spatial": torch.zeros(2, 49, 5, 5)})
    assert heads["next"].shape == (2, 1, 25)
    with pytest.raises(InputError, match="2 layers or more"):
        build_net("cgi-policy", planes=49, layers=1)


def test_the_signal_does_not_vanish() -> None:
    torch.manual_seed(1)
    net = build_net("cgi-policy", planes=49, width=32)
    planes = (torch.rand(16, 49, 9, 9) < 0.2).float()
    assert net({"spatial": planes})["policy"].std() > 0.05


@pytest.mark.parametrize("name", ["cgi13", "cgi13-9x9"])
def test_the_recipes_build_it(name: str) -> None:
    recipe = PolicyRecipe.read(Path(__file__).parents[2] / "recipes" / f"{name}.toml")
    net = build_recipe_net(recipe)
    assert net.planes == len(encoding("cgi49")) == 49 and net.next_moves == 2
    assert recipe.losses.next_moves > 0
