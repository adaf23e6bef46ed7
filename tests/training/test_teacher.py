"""A teacher's lessons: a KataGo net's answers in the example's symmetry, and losses with known values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from nets.net_writer import make_net, packed  # noqa: E402
from training.test_supervised import recipe  # noqa: E402

from tengen import Color, _native  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.games.store import GameStore  # noqa: E402
from tengen.nets.heads import MARGIN_UNIT  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.export import load_trained, make_card, to_safetensors  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.supervised import Trainer, open_examples  # noqa: E402
from tengen.training.teacher import Lesson, Teacher  # noqa: E402
from tengen.training.teacher_losses import hint_loss, judged_loss, taught_loss  # noqa: E402


@pytest.fixture(scope="module")
def teacher_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("teacher") / "b2c8.bin.gz"
    path.write_bytes(packed(make_net(8, seed=5)))
    return path


def taught(pool: Path, teacher: Path, **changes: Any) -> PolicyRecipe:
    channels = Teacher(str(teacher)).channels
    options = {"width": 16, "blocks": 2, "pooling": 2, "next_moves": 2, "teacher": channels}
    weights = {"taught_weight": 0.5, "hint_weight": 1.0, "judged_weight": 0.5}
    return recipe(pool, options=options, teacher=str(teacher), **(weights | changes))


def trainer(plan: PolicyRecipe, run: Path) -> Trainer:
    return Trainer(plan, run, *open_examples(plan))


def test_a_lesson_is_what_the_net_says_of_the_turned_board(pool: Path, teacher_file: Path) -> None:
    records = GameStore.open(pool).records()
    teacher = Teacher(str(teacher_file))
    games, moves = np.zeros(2, np.int64), np.full(2, 6)
    lesson = teacher.lesson(records, games, moves, np.array([0, 5]))
    size = int(records.sizes[0])
    position = GameStore.open(pool).game(0).position(6)
    [said] = teacher.net.evaluate([position], trunk=True)
    assert said.trunk is not None
    np.testing.assert_allclose(lesson.trunk[0].transpose(2, 0, 1), said.trunk, atol=1e-4)
    [turned] = teacher.net.evaluate([position], symmetries=[5])
    for policy, symmetry, answer in ((lesson.policy[0], 0, said), (lesson.policy[1], 5, turned)):
        # An answer is on the board as it was, the lesson on the board as the pupil sees it.
        seen = policy[[_native.transform_point(p, size, symmetry) for p in range(size * size)]]
        legal = answer.policy[:-1] > 0
        chances = np.exp(seen[legal])
        expected = answer.policy[:-1][legal]
        np.testing.assert_allclose(chances / chances.sum(), expected / expected.sum(), atol=1e-4)


def test_a_lessons_margin_and_owners_are_the_movers(pool: Path, teacher_file: Path) -> None:
    store = GameStore.open(pool)
    teacher, records, size = Teacher(str(teacher_file)), store.records(), store.game(0).size
    for moves in (6, 7):  # one move of either colour
        position = store.game(0).position(moves)
        lesson = teacher.lesson(records, np.zeros(1, np.int64), np.full(1, moves), np.array([3]))
        [said] = teacher.net.evaluate([position], symmetries=[3])
        mover = position.to_move
        sign = 1.0 if mover is Color.BLACK else -1.0
        assert said.raw is not None
        decided = said.raw.score_mean / (1 - said.raw.no_result) + sign * position.rules.komi
        assert lesson.margin[0] == pytest.approx(decided, abs=1e-3)
        seen = lesson.owner[0][[_native.transform_point(p, size, 3) for p in range(size * size)]]
        np.testing.assert_allclose(seen, sign * said.ownership.ravel(), atol=1e-4)


def test_a_judgement_costs_nothing_where_it_agrees() -> None:
    owner = np.array([[0.5, -0.9, 0.0]], np.float32)
    lesson = Lesson(
        np.zeros((1, 3), np.float32), np.zeros((1, 1, 3, 1), np.float32), np.array([14.0], np.float32), owner
    )
    agreed = torch.from_numpy(np.arctanh(owner))
    sure, unsure = torch.tensor([[14.0 / MARGIN_UNIT, -3.0]]), torch.tensor([[14.0 / MARGIN_UNIT, 3.0]])
    assert float(judged_loss(sure, agreed, lesson)) == pytest.approx(0, abs=1e-6)
    assert float(judged_loss(unsure, agreed, lesson)) == pytest.approx(
        0, abs=1e-6
    )  # games tell how sure it is
    # 34 points for 14: Huber's error of 2 tens is 1.5.
    assert float(judged_loss(sure + 1.0, agreed, lesson)) == pytest.approx(1.5)
    assert float(judged_loss(sure, 0 * agreed, lesson)) > 0.1


def test_only_katagos_nets_teach() -> None:
    with pytest.raises(InputError, match="tengen cannot teach"):
        Teacher("tengen")
    with pytest.raises(InputError, match="unknown net"):
        Teacher("nobody")


def test_losses_of_known_answers() -> None:
    policy = np.log(np.array([[0.5, 0.25, 0.25]], np.float32))
    trunk = np.arange(2 * 1 * 1 * 2, dtype=np.float32).reshape(2, 1, 1, 2)
    lesson = Lesson(policy, trunk, np.zeros(2, np.float32), np.zeros((2, 3), np.float32))
    entropy = 0.5 * np.log(2) + 0.5 * np.log(4)
    assert float(taught_loss(torch.from_numpy(policy), lesson)) == pytest.approx(entropy)
    assert float(taught_loss(torch.zeros(1, 3), lesson)) == pytest.approx(np.log(3))
    # Channels 0, 2 and 1, 3: each is -1 and 1 times its deviation / sqrt 2.
    assert float(hint_loss(torch.zeros(2, 2, 1, 1), lesson)) == pytest.approx(0.5, rel=1e-2)
    known = torch.tensor([-1.0, 1.0]).reshape(2, 1, 1, 1).expand(2, 2, 1, 1) / 2**0.5
    assert float(hint_loss(known, lesson)) == pytest.approx(0, abs=1e-5)


def test_a_pupil_comes_nearer_to_its_teacher(pool: Path, teacher_file: Path, tmp_path: Path) -> None:
    plan = taught(pool, teacher_file, examples=960)
    pupil = trainer(plan, tmp_path / "run")
    batch = pupil.train.drawn(0, 256, seed=9, symmetries=True)
    assert batch.lesson is not None

    def distance() -> float:
        with torch.no_grad():
            heads = pupil.net(torch.from_numpy(batch.planes))
            return float(hint_loss(heads["hint"], batch.lesson))

    before = distance()
    pupil.go()
    assert distance() < 0.8 * before


def test_an_interrupted_pupil_goes_on_to_the_same_weights(
    pool: Path, teacher_file: Path, tmp_path: Path
) -> None:
    plan = taught(pool, teacher_file, examples=320, schedule="constant")
    trainer(plan, tmp_path / "whole").go()
    half = taught(pool, teacher_file, examples=160, schedule="constant")
    trainer(half, tmp_path / "parts").go()
    rest = trainer(plan, tmp_path / "parts")
    assert rest.resume()
    rest.go()
    one, other = (checkpoints.load(tmp_path / run).tensors["net"] for run in ("whole", "parts"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_may_begin_with_the_weights_of_another(pool: Path, teacher_file: Path, tmp_path: Path) -> None:
    plain = recipe(pool, examples=160)
    first = trainer(plain, tmp_path / "plain")
    first.go()
    plan = taught(pool, teacher_file, begin=str(tmp_path / "plain"), examples=320)
    pupil = trainer(plan, tmp_path / "taught")
    assert torch.equal(pupil.net.state_dict()["stem.weight"], first.net.state_dict()["stem.weight"])
    pupil.go()
    net, exported, saved = load_trained(tmp_path / "taught")
    card = make_card(net, exported, saved)
    assert "b2c8 as a teacher" in card.training
    assert "begun with the weights of plain after 160 examples" in card.training
    assert "teacher" not in card.settings["options"]
    # What only teaches is left behind.
    assert b"hint" not in to_safetensors(net)
    # A third run tells of both before it.
    third = trainer(
        taught(pool, teacher_file, begin=str(tmp_path / "taught"), examples=32), tmp_path / "third"
    )
    third.go()
    history = make_card(*load_trained(tmp_path / "third")).training
    assert history.index("weights of taught after 320") < history.index("weights of plain after 160")
    # It resumes without the run it began with.
    (tmp_path / "plain").rename(tmp_path / "gone")
    assert trainer(plan, tmp_path / "taught").resume()


def test_a_run_cannot_begin_with_another_net(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool, examples=160), tmp_path / "plain").go()
    wider = {"width": 24, "blocks": 2, "pooling": 2, "next_moves": 2}
    with pytest.raises(InputError, match="another net"):
        trainer(recipe(pool, options=wider, begin=str(tmp_path / "plain")), tmp_path / "run")
    deeper = {"width": 16, "blocks": 3, "pooling": 2, "next_moves": 2}
    with pytest.raises(InputError, match="is in one only"):
        trainer(recipe(pool, options=deeper, begin=str(tmp_path / "plain")), tmp_path / "run")
    with pytest.raises(InputError, match="no checkpoint"):
        trainer(recipe(pool, begin=str(tmp_path / "nowhere")), tmp_path / "run")


def test_a_recipe_whose_net_and_teacher_do_not_fit(pool: Path, teacher_file: Path) -> None:
    with pytest.raises(InputError, match="goes with"):
        taught(pool, teacher_file, taught_weight=0.0, hint_weight=0.0, judged_weight=0.0)
    with pytest.raises(InputError, match="goes with"):
        recipe(pool, hint_weight=1.0)
    with pytest.raises(InputError, match=r"has 8 channels, the net has options.teacher=0: set it to 8"):
        open_examples(recipe(pool, teacher=str(teacher_file), hint_weight=1.0))
    lonely = {"width": 16, "blocks": 2, "pooling": 2, "next_moves": 2, "teacher": 8}
    with pytest.raises(InputError, match="names no teacher"):
        open_examples(recipe(pool, options=lonely))
