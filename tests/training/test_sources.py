"""Training on labelled pools of several board sizes: targets, proportions, resuming, beginning with an exported net."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_ends import made_ends  # noqa: E402
from training.made_tasks import policy_recipe, policy_task  # noqa: E402

from tengen import Color, Position, _native, open_net  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.go.perspective import Lead, WinRate  # noqa: E402
from tengen.nets.evaluation import Evaluation  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.planes import encode_globals  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.data import Batch, Examples  # noqa: E402
from tengen.training.export import export, load_trained, make_card  # noqa: E402
from tengen.training.labelling import Draw, label  # noqa: E402
from tengen.training.labels import open_labels  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402
from tengen.training.supervised import criterion, open_examples  # noqa: E402
from tengen.training.teacher_losses import teacher_win_loss  # noqa: E402
from tengen.training.value_losses import margin_loss  # noqa: E402

HEADS = ["policy", "margin", "ownership", "teacher_policy"]


class BlackIsAhead(FakeEvaluator):
    """A teacher for which Black is always 12 points ahead on the board: that can be learnt."""

    def evaluate(self, positions: Sequence[Position], **how: Any) -> list[Evaluation]:
        said = zip(positions, super().evaluate(positions, **how), strict=True)
        leads = [(12.0 - position.rules.komi, one) for position, one in said]
        return [
            replace(
                one,
                lead=Lead(lead, Color.BLACK),
                win=WinRate(1 / (1 + math.exp(-lead / 2)), Color.BLACK),
            )
            for lead, one in leads
        ]


@pytest.fixture(scope="module")
def folder(pool: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pools on 5x5 and 7x7 with labels of the fake net."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "five.parquet").write_bytes(pool.read_bytes())
    made_ends(folder / "seven.parquet", 12, size=7)
    for name in ("five", "seven"):
        label(folder / f"{name}.parquet", BlackIsAhead(), folder / f"{name}-labels.parquet", Draw(), 300)
    return folder


def source(folder: Path, name: str, **more: Any) -> dict[str, Any]:
    return {"pool": str(folder / f"{name}.parquet"), "labels": str(folder / f"{name}-labels.parquet"), **more}


def recipe(folder: Path, changes: Mapping[str, Any] | None = None) -> PolicyRecipe:
    five, seven = source(folder, "five", share=3), source(folder, "seven", learns="teacher")
    table: dict[str, Any] = {
        "data": {"sources": [five, seven], "judged": [source(folder, "seven")]},
        "net.next_moves": 0,
        "net.heads": HEADS,
        "net.globals": ["komi", "rules"],
        "losses": {"teacher_policy": 0.5, "teacher_value": 0.5, "teacher_win": 0.5},
    }
    return policy_recipe(folder / "five.parquet", {**table, **(changes or {})})


def test_examples_are_the_labelled_positions_in_the_movers_view(folder: Path) -> None:
    store = GameStore.open(folder / "seven.parquet")
    labels = open_labels(folder / "seven-labels.parquet", folder / "seven.parquet", store.identity)
    examples = Examples(store.records(), "golois39", globals=("komi", "rules"), labels=labels)
    batch = examples.at(np.arange(60), np.arange(60) % 8)
    targets = batch.teacher_targets
    assert targets is not None and batch.white is not None
    ended = 0
    for i in range(60):
        game = store.game(int(labels.games[i]))
        position = game.position(int(labels.numbers[i]))
        if labels.rules[i] >= 0:
            position.rules = GameStore.open(folder / "seven.parquet").records().rules_table[labels.rules[i]]
        position.rules = position.rules.with_komi(float(labels.komi[i]))
        [said] = BlackIsAhead().evaluate([position])
        mover = position.to_move
        sign = 1 if mover is Color.BLACK else -1
        assert batch.white[i] == (mover is Color.WHITE)
        assert said.win is not None and said.lead is not None and said.policy is not None
        assert targets.win[i] == pytest.approx(said.win.of(mover), abs=1e-6)
        assert targets.komi[i] == sign * position.rules.komi
        assert targets.margin[i] == pytest.approx(said.lead.of(mover) + targets.komi[i], abs=1e-4)
        carried = [_native.transform_point(p, 7, i % 8) for p in range(50)]
        np.testing.assert_allclose(targets.owner[i][carried[:-1]], sign * said.ownership.ravel(), atol=0.005)
        assert carried[int(said.policy.argmax())] == targets.policy[i].argmax()
        assert targets.policy[i].sum() == pytest.approx(1, abs=1e-5)
        np.testing.assert_array_equal(
            batch.globals[i],
            encode_globals(("komi", "rules"), [position])[0],  # type: ignore[index]
        )
        ended += int(labels.numbers[i] == len(game.moves))
        assert (batch.target[i] == -1) == (labels.numbers[i] == len(game.moves))
    assert ended


def test_what_the_policy_learns_is_the_sources_choice(folder: Path) -> None:
    plan = recipe(folder, {"losses": {"teacher_win": 1e-9}})
    train, _, _ = open_examples(plan)
    played, taught = (
        train.drawn(0, 32, 1, True),
        next(batch for i in range(9) if len((batch := train.drawn(32 * i, 32, 1, True)).planes[0, 0]) == 7),
    )
    assert (played.learns, taught.learns) == ("played", "teacher")

    def loss(batch: Batch, logits: Any) -> float:
        return float(criterion(plan, {"policy": logits, "margin": torch.zeros(32, 2)}, batch))

    moves = torch.from_numpy(np.maximum(played.target, 0))
    sure = 50 * torch.nn.functional.one_hot(moves, 26).float()
    assert loss(played, sure) == pytest.approx(0, abs=1e-3)
    assert taught.teacher_targets is not None
    policy = torch.from_numpy(taught.teacher_targets.policy)
    entropy = float(torch.special.entr(policy).sum(1).mean())
    assert loss(taught, policy.clamp_min(1e-9).log()) == pytest.approx(entropy, abs=1e-3)
    taught.learns = "none"
    assert loss(taught, policy) == pytest.approx(0, abs=1e-3)


def test_whose_win_rate_is_learnt_is_the_sources_choice(folder: Path) -> None:
    """From results, the margin that the game had is what costs least, whatever the teacher says."""

    def batch_of(learns_win: str) -> tuple[PolicyRecipe, Batch]:
        one = source(folder, "five", learns="none", learns_win=learns_win)
        weights = {"margin": 1.0, "teacher_win": 1.0}
        plan = recipe(folder, {"data": {"sources": [one]}, "losses": weights})
        train, _, _ = open_examples(plan)
        return plan, train.drawn(0, 32, 1, True)

    plan, results = batch_of("results")
    assert results.endings is not None
    heads = {"margin": torch.zeros(32, 2)}
    alone = margin_loss(heads["margin"], results.endings)
    torch.testing.assert_close(criterion(plan, heads, results), alone)
    plan, taught = batch_of("teacher")
    assert taught.endings is None and taught.teacher_targets is not None
    torch.testing.assert_close(
        criterion(plan, heads, taught), teacher_win_loss(heads, taught.teacher_targets)
    )


def test_a_net_comes_nearer_to_the_labels(folder: Path, tmp_path: Path) -> None:
    task = policy_task(recipe(folder, {"run.examples": 3200, "run.test_every": 3200}))
    before = task.validate()
    Run(task, tmp_path / "run").go()
    after = task.validate()
    assert after["win_seven-labels"] < 0.7 * before["win_seven-labels"]
    assert after["lead_seven-labels"] < 0.7 * before["lead_seven-labels"]
    head = (tmp_path / "run" / "log.csv").read_text().splitlines()[0]
    assert "lead_5x5" in head and "validation_first_seven-labels" in head
    card = make_card(*load_trained(tmp_path / "run"))
    assert card.trained_sizes == (5, 7) and card.inputs == ("komi", "rules")
    assert "teacher_policy" not in card.heads
    assert "labels five-labels" in card.training and "labelled by fake-0" in card.training
    assert any("points, labels seven-labels" in name for name in card.measured)


def test_an_interrupted_run_goes_on_to_the_same_weights(folder: Path, tmp_path: Path) -> None:
    level = {"optimiser.schedule": "constant"}
    plan = recipe(folder, {"run.examples": 320, **level})
    Run(policy_task(plan), tmp_path / "whole").go()
    Run(policy_task(recipe(folder, {"run.examples": 160, **level})), tmp_path / "parts").go()
    rest = Run(policy_task(plan), tmp_path / "parts")
    assert rest.resumed
    rest.go()
    one, other = (checkpoints.load(tmp_path / run).tensors["net"] for run in ("whole", "parts"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_may_begin_with_an_exported_net_and_is_that_net_at_first(folder: Path, tmp_path: Path) -> None:
    """Komi and rules, and a third block, are what the exported net does not have: at first they change nothing."""
    plain = {"net.globals": [], "net.heads": HEADS[:3], "losses": {"teacher_win": 1.0}, "run.examples": 320}
    Run(policy_task(recipe(folder, plain)), tmp_path / "plain").go()
    export([tmp_path / "plain"], tmp_path / "net")
    task = policy_task(
        recipe(folder, {"run.begin": str(tmp_path / "net"), "run.examples": 32, "net.blocks": 3})
    )
    Run(task, tmp_path / "run")
    batch = task.train.drawn(0, 8, 1, False)
    with torch.inference_mode():
        task.net.eval()
        inputs = {"spatial": torch.from_numpy(batch.planes), "global": torch.randn(8, 9)}
        now = task.net(inputs)
        before = load_trained(tmp_path / "plain")[0](inputs)
    for head in ("policy", "margin", "ownership"):
        torch.testing.assert_close(now[head], before[head], atol=1e-4, rtol=1e-4)
    task.net.train()
    Run(task, tmp_path / "run").go()
    history = make_card(*load_trained(tmp_path / "run")).training
    assert "begun with the weights of the net net, trained on 320 examples" in history


def test_an_exported_net_with_komi_and_rules_as_inputs_runs_in_every_precision(
    folder: Path, tmp_path: Path
) -> None:
    Run(policy_task(recipe(folder, {"run.examples": 960, "net.width": 32})), tmp_path / "run").go()
    export([tmp_path / "run"], tmp_path / "net")
    positions = [Position(7, rules, komi=komi) for rules in ("chinese", "japanese") for komi in (0.5, 9.5)]
    answers = {}
    for precision in ("fp32", "int16", "int8"):
        said = open_net(str(tmp_path / "net"), precision).evaluate(positions)
        answers[precision] = [one.margin.mean for one in said if one.margin is not None]
        assert len({round(margin, 4) for margin in answers[precision]}) == 4  # each input has its effect
    np.testing.assert_allclose(answers["fp32"], answers["int16"], atol=0.05)
    np.testing.assert_allclose(answers["fp32"], answers["int8"], atol=0.5)


def test_a_source_without_labels_gives_all_its_moves(folder: Path) -> None:
    plan = recipe(
        folder,
        {"data": {"sources": [{"pool": str(folder / "five.parquet")}, source(folder, "seven")]}},
    )
    train, _, _ = open_examples(plan)
    whole = Examples(GameStore.open(folder / "five.parquet").records(), "golois39", passes=True)
    assert len(train) == len(whole) + 300
    assert train.drawn(0, 32, 1, True).teacher_targets is None
    assert np.isfinite(policy_task(plan).learn(train.drawn(0, 32, 1, True))["loss"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"losses": {}}, "goes with losses.teacher_policy"),
        ({"losses.teacher_trunk": 1.0}, "labels do not hold the teacher's trunk"),
        ({"net.teacher": 8}, "labels do not hold the teacher's trunk: set net.teacher=0"),
        ({"net.heads": HEADS[:3]}, "teacher_policy is for nets with the head teacher_policy"),
        ({"net.heads": ["policy", "teacher_policy"]}, "teacher_value is for nets with the head margin"),
        ({"data.train": ["pool"]}, "data.sources take the place of data.train"),
    ],
)
def test_recipes_that_make_no_sense_are_refused(folder: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_examples(recipe(folder, changes))


def test_sources_that_make_no_sense_are_refused(folder: Path) -> None:
    def opened(**changes: Any) -> None:
        open_examples(recipe(folder, {"data": {"sources": [source(folder, "five", **changes)]}}))

    with pytest.raises(InputError, match=r"has labels of the pool seven\.parquet"):
        opened(labels=str(folder / "seven-labels.parquet"))
    with pytest.raises(InputError, match=r"no game of .* that meets the filter .* has labels"):
        opened(filter={"years": [1999]})
    with pytest.raises(InputError, match="must be above 0"):
        opened(share=0)
    with pytest.raises(InputError, match="learns from a teacher: name its labels"):
        opened(labels="", learns="teacher")
    with pytest.raises(InputError, match="learns must be one of played, teacher, none"):
        opened(learns="all")
