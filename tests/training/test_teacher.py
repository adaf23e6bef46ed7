"""A teacher's targets: a KataGo net's answers in the example's symmetry, and losses with known values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from nets.net_writer import make_net, packed  # noqa: E402
from training.made_tasks import policy_recipe, policy_task  # noqa: E402

from tengen import Color, _native  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.nets.heads import LEAST_SCALE, margin_unit  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.export import load_trained, make_card, to_safetensors  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402
from tengen.training.supervised import open_examples  # noqa: E402
from tengen.training.teacher import Teacher, TeacherTargets  # noqa: E402
from tengen.training.teacher_losses import (  # noqa: E402
    teacher_policy_loss,
    teacher_trunk_loss,
    teacher_value_loss,
    teacher_win_loss,
)


@pytest.fixture(scope="module")
def teacher_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("teacher") / "b2c8.bin.gz"
    path.write_bytes(packed(make_net(8, seed=5)))
    return path


def taught(pool: Path, teacher: Path, changes: Mapping[str, Any] | None = None) -> PolicyRecipe:
    losses = {"losses.teacher_policy": 0.5, "losses.teacher_trunk": 1.0, "losses.teacher_value": 0.5}
    named = {"data.teacher": str(teacher), "net.teacher": Teacher(str(teacher)).channels}
    return policy_recipe(pool, {**losses, **named, **(changes or {})})


def test_targets_are_the_nets_answers_to_the_turned_board(pool: Path, teacher_file: Path) -> None:
    records = GameStore.open(pool).records()
    teacher = Teacher(str(teacher_file))
    games, moves = np.zeros(2, np.int64), np.full(2, 6)
    targets = teacher.targets(records, games, moves, np.array([0, 5]))
    size = int(records.sizes[0])
    position = GameStore.open(pool).game(0).position(6)
    [said] = teacher.net.evaluate([position], trunk=True)
    assert said.trunk is not None
    np.testing.assert_allclose(targets.trunk[0].transpose(2, 0, 1), said.trunk, atol=1e-4)
    [turned] = teacher.net.evaluate([position], symmetries=[5])
    for policy, symmetry, answer in ((targets.policy[0], 0, said), (targets.policy[1], 5, turned)):
        # An answer is on the board as it was, the targets on the board as the pupil sees it.
        seen = policy[[_native.transform_point(p, size, symmetry) for p in range(size * size + 1)]]
        legal = answer.policy > 0
        chances, expected = seen[legal], answer.policy[legal]
        np.testing.assert_allclose(chances / chances.sum(), expected, atol=1e-4)


def test_the_targets_margin_and_owners_are_the_movers(pool: Path, teacher_file: Path) -> None:
    store = GameStore.open(pool)
    teacher, records, size = Teacher(str(teacher_file)), store.records(), store.game(0).size
    for moves in (6, 7):  # one move of either colour
        position = store.game(0).position(moves)
        targets = teacher.targets(records, np.zeros(1, np.int64), np.full(1, moves), np.array([3]))
        [said] = teacher.net.evaluate([position], symmetries=[3])
        mover = position.to_move
        sign = 1.0 if mover is Color.BLACK else -1.0
        assert said.raw is not None
        decided = said.raw.lead / (1 - said.raw.no_result) + sign * position.rules.komi
        assert targets.margin[0] == pytest.approx(decided, abs=1e-3)
        assert targets.komi[0] == sign * position.rules.komi
        won = said.raw.win / (1 - said.raw.no_result)
        assert targets.win[0] == pytest.approx(won, abs=1e-4)
        seen = targets.owner[0][[_native.transform_point(p, size, 3) for p in range(size * size)]]
        np.testing.assert_allclose(seen, sign * said.ownership.ravel(), atol=1e-4)


def made_targets(**given: Any) -> TeacherTargets:
    """Of one position on a board of three points, unless `given` says otherwise."""
    none: dict[str, Any] = {
        "policy": np.zeros((1, 4)),
        "win": np.full(1, 0.5),
        "komi": np.zeros(1),
        "margin": np.zeros(1),
        "owner": np.zeros((1, 3)),
    }
    return TeacherTargets(**{name: np.asarray(value, np.float32) for name, value in (none | given).items()})


def test_a_judgement_costs_nothing_where_it_agrees() -> None:
    owner = np.array([[0.5, -0.9, 0.0]], np.float32)
    targets = made_targets(margin=[14.0], owner=owner)
    agreed = torch.from_numpy(np.arctanh(owner))
    unit = margin_unit(3)
    sure, unsure = torch.tensor([[14.0 / unit, -3.0]]), torch.tensor([[14.0 / unit, 3.0]])
    assert float(teacher_value_loss(sure, agreed, targets)) == pytest.approx(0, abs=1e-6)
    assert float(teacher_value_loss(unsure, agreed, targets)) == pytest.approx(
        0, abs=1e-6
    )  # games tell how sure it is
    # Two halves of the unit (10 points each on 19x19) too much: Huber's error of 2 is 1.5.
    assert float(teacher_value_loss(sure + 1.0, agreed, targets)) == pytest.approx(1.5)
    assert float(teacher_value_loss(sure, 0 * agreed, targets)) > 0.1


def test_only_katagos_nets_teach() -> None:
    with pytest.raises(InputError, match="tengen cannot teach"):
        Teacher("tengen")
    with pytest.raises(InputError, match="unknown net"):
        Teacher("nobody")


def margin_of_five(least: float) -> torch.Tensor:
    """The output `margin` of 5 points with a scale of 2."""
    unit = margin_unit(3)
    return torch.tensor([[5.0 / unit, float(np.log(np.expm1((2.0 - least) / unit)))]])


def test_win_rates_are_asked_at_the_targets_komi() -> None:
    """A margin of 5 points with a scale of 2: at komi 3 the win rate is that of (5 - 3) / 2."""
    margin = margin_of_five(LEAST_SCALE)
    targets = made_targets(komi=[3.0], win=[1 / (1 + np.exp(-1.0))])
    own_least = {"margin": margin_of_five(0.1)}
    assert float(teacher_win_loss(own_least, targets, 0.1)) == pytest.approx(0, abs=1e-5)
    assert float(teacher_win_loss(own_least, targets)) > 1e-3
    assert float(teacher_win_loss({"margin": margin}, targets)) == pytest.approx(0, abs=1e-5)
    assert float(teacher_win_loss({"margin": margin}, made_targets(komi=[5.0]))) == pytest.approx(0, abs=1e-5)
    assert float(teacher_win_loss({"margin": margin}, made_targets(komi=[9.0]))) > 0.1
    # A net with a win rate of its own is asked for that.
    own = {"margin": margin, "value": torch.zeros(1, 1)}
    assert float(teacher_win_loss(own, made_targets(komi=[9.0]))) == pytest.approx(0, abs=1e-5)


def test_losses_of_known_answers() -> None:
    policy = np.array([[0.5, 0.25, 0.25, 0.0]], np.float32)
    trunk = np.arange(2 * 1 * 1 * 2, dtype=np.float32).reshape(2, 1, 1, 2)
    targets = made_targets(policy=policy, trunk=trunk)
    entropy = 0.5 * np.log(2) + 0.5 * np.log(4)
    logits = torch.from_numpy(np.log(policy[:, :3]))
    assert float(teacher_policy_loss(logits, targets)) == pytest.approx(entropy)
    assert float(teacher_policy_loss(torch.zeros(1, 3), targets)) == pytest.approx(np.log(3))
    assert float(teacher_policy_loss(torch.zeros(1, 4), targets)) == pytest.approx(np.log(4))
    # Where the teacher passes, a head without pass has nothing to learn.
    passed = made_targets(policy=[[0.0, 0.0, 0.0, 1.0]])
    assert float(teacher_policy_loss(torch.randn(1, 3), passed)) == 0
    # Channels 0, 2 and 1, 3: each is -1 and 1 times its deviation / sqrt 2.
    assert float(teacher_trunk_loss(torch.zeros(2, 2, 1, 1), targets)) == pytest.approx(0.5, rel=1e-2)
    known = torch.tensor([-1.0, 1.0]).reshape(2, 1, 1, 1).expand(2, 2, 1, 1) / 2**0.5
    assert float(teacher_trunk_loss(known, targets)) == pytest.approx(0, abs=1e-5)


def test_a_pupil_comes_nearer_to_its_teacher(pool: Path, teacher_file: Path, tmp_path: Path) -> None:
    pupil = policy_task(taught(pool, teacher_file, {"run.examples": 960}))
    batch = pupil.train.drawn(0, 256, seed=9, symmetries=True)
    assert batch.teacher_targets is not None

    def distance() -> float:
        with torch.no_grad():
            heads = pupil.net({"spatial": torch.from_numpy(batch.planes)})
            return float(teacher_trunk_loss(heads["teacher_trunk"], batch.teacher_targets))

    before = distance()
    Run(pupil, tmp_path / "run").go()
    assert distance() < 0.8 * before


def test_an_interrupted_pupil_goes_on_to_the_same_weights(
    pool: Path, teacher_file: Path, tmp_path: Path
) -> None:
    level = {"optimiser.schedule": "constant"}
    plan = taught(pool, teacher_file, {"run.examples": 320, **level})
    Run(policy_task(plan), tmp_path / "whole").go()
    half = taught(pool, teacher_file, {"run.examples": 160, **level})
    Run(policy_task(half), tmp_path / "parts").go()
    rest = Run(policy_task(plan), tmp_path / "parts")
    assert rest.resumed
    rest.go()
    one, other = (checkpoints.load(tmp_path / run).tensors["net"] for run in ("whole", "parts"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_may_begin_with_the_weights_of_another(pool: Path, teacher_file: Path, tmp_path: Path) -> None:
    first = policy_task(policy_recipe(pool, {"run.examples": 160}))
    Run(first, tmp_path / "plain").go()
    plan = taught(pool, teacher_file, {"run.begin": str(tmp_path / "plain"), "run.examples": 320})
    pupil = policy_task(plan)
    run = Run(pupil, tmp_path / "taught")
    assert torch.equal(pupil.net.state_dict()["stem.weight"], first.net.state_dict()["stem.weight"])
    assert torch.equal(pupil.average.weights["stem.weight"], first.net.state_dict()["stem.weight"])
    run.go()
    net, exported, saved = load_trained(tmp_path / "taught")
    card = make_card(net, exported, saved)
    assert "b2c8 as a teacher" in card.training
    assert "begun with the weights of plain after 160 examples" in card.training
    assert "teacher" not in card.settings["options"]
    # What only teaches is left behind.
    assert b"hint" not in to_safetensors(net)
    # A third run tells of both before it.
    third = taught(pool, teacher_file, {"run.begin": str(tmp_path / "taught"), "run.examples": 32})
    Run(policy_task(third), tmp_path / "third").go()
    history = make_card(*load_trained(tmp_path / "third")).training
    assert history.index("weights of taught after 320") < history.index("weights of plain after 160")
    # It resumes without the run it began with.
    (tmp_path / "plain").rename(tmp_path / "gone")
    assert Run(policy_task(plan), tmp_path / "taught").resumed


def test_a_run_cannot_begin_with_another_net(pool: Path, tmp_path: Path) -> None:
    plain = policy_recipe(pool, {"run.examples": 160, "net.blocks": 3})
    Run(policy_task(plain), tmp_path / "plain").go()

    def begin(changes: dict[str, Any]) -> None:
        plan = policy_recipe(pool, {"run.begin": str(tmp_path / "plain"), **changes})
        Run(policy_task(plan), tmp_path / "run")

    with pytest.raises(InputError, match="another net"):
        begin({"net.width": 24})
    with pytest.raises(InputError, match="is in one only"):
        begin({"net.blocks": 2})
    with pytest.raises(InputError, match="no run and no net of ours: unknown net"):
        begin({"run.begin": str(tmp_path / "nowhere")})


def test_a_recipe_whose_net_and_teacher_do_not_fit(pool: Path, teacher_file: Path) -> None:
    with pytest.raises(InputError, match="goes with"):
        taught(pool, teacher_file, {"losses": {}})
    with pytest.raises(InputError, match="goes with"):
        policy_recipe(pool, {"losses.teacher_trunk": 1.0})
    with pytest.raises(InputError, match=r"has 8 channels, the net has net\.teacher=0: set it to 8"):
        open_examples(taught(pool, teacher_file, {"net.teacher": 0}))
    with pytest.raises(InputError, match="names no teacher"):
        open_examples(policy_recipe(pool, {"net.teacher": 8}))
