"""The biggest mistakes that two nets find in games."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tengen.engine.options import make_player
from tengen.engine.review import review_game
from tengen.errors import InputError
from tengen.go.game import Game
from tengen.nets.fake import FakeEvaluator
from tengen.prediction import shared_mistakes
from tengen.prediction.shared_mistakes import Compared, Mistake, Reviewer, SharedMistakes, compare_reviews
from tengen.progress import Progress

SGF = "(;SZ[5]KM[7.5]PB[Ann]PW[Bo];B[cc];W[bb];B[dd];W[cb];B[bd];W[db])"


def game() -> Game:
    return Game.from_sgf(SGF)


def found(*numbers: int) -> list[Mistake]:
    return [Mistake(number, "B", "C3", "D4", 3.0, 0.1) for number in numbers]


def kept_net(seed: int = 0) -> FakeEvaluator:
    """A fake net with a file of its own."""
    net = FakeEvaluator(seed)
    net.card = replace(net.card, source_sha256=f"{seed:064d}")
    return net


def test_shared_are_the_moves_among_the_biggest_of_both() -> None:
    one = Compared(game(), found(1, 3, 5), found(5, 2, 1))
    assert one.shared(3) == [1, 5] and one.shared(2) == [] and one.shared(10) == [1, 5]
    other = Compared(game(), found(2), found(2, 4))
    figures = SharedMistakes.of([one, other], count=3)
    assert (figures.games, figures.mistakes, figures.shared.value) == (2, 2.0, 1.5)
    assert figures.chance == pytest.approx((3 * 3 / 6 + 1 * 2 / 6) / 2)
    assert json.loads(json.dumps(figures.to_json()))["shared"] == {"value": 1.5, "low": 1.0, "high": 2.0}


def test_a_net_shares_all_mistakes_with_itself_and_they_are_those_of_a_review() -> None:
    progress: list[Progress] = []
    reviewer = Reviewer(FakeEvaluator(), visits=4)
    [one] = compare_reviews([game()], reviewer, reviewer, progress.append)
    assert one.first and one.shared(10) == [mistake.number for mistake in one.first[:10]]
    review = review_game(game(), make_player("puct", FakeEvaluator(), {"visits": 4}))
    assert [mistake.number for mistake in one.first] == [move.number for move in review.mistakes(None)]
    assert [p.done for p in progress] == list(range(14)) and progress[0].total == 14


def test_kept_mistakes_are_not_looked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Reviewer(kept_net(), 4, keep=tmp_path).mistakes(game())
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(shared_mistakes, "review_game", None)
    assert Reviewer(kept_net(), 4, keep=tmp_path).mistakes(game()) == first
    for other in (Reviewer(kept_net(1), 4, keep=tmp_path), Reviewer(kept_net(), 5, keep=tmp_path)):
        with pytest.raises(TypeError):
            other.mistakes(game())
    [file] = tmp_path.iterdir()
    file.write_text("[{}]")
    with pytest.raises(InputError, match="not the mistakes of a review"):
        Reviewer(kept_net(), 4, keep=tmp_path).mistakes(game())


def test_reviews_of_a_net_without_a_file_are_not_kept(tmp_path: Path) -> None:
    """The weights of a training run change while its name stays."""
    Reviewer(FakeEvaluator(), 2, keep=tmp_path).mistakes(game())
    assert not list(tmp_path.iterdir())


def test_a_net_that_cannot_review_is_named() -> None:
    with pytest.raises(InputError, match=r"fake-0 has no win rates.*a review needs win rates"):
        Reviewer(FakeEvaluator(heads=("policy",)), 4)
    with pytest.raises(InputError, match="fake-0 has no move probabilities"):
        Reviewer(FakeEvaluator(heads=("margin",)), 4)
