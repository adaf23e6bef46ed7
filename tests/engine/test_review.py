"""Reviews: every move judged, the record annotated, one page that stands alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tengen import Color, Game, InputError
from tengen.cli.review import review as command
from tengen.engine.report import page
from tengen.engine.review import Review, annotate, review_game
from tengen.go.sgf import sgf_tree
from tengen.nets.library import open_net
from tengen.progress import Progress
from tengen.search.registry import make_player

SGF = "(;FF[4]GM[1]SZ[5]KM[7.5]RU[Chinese]PB[<Ann> & co]PW[Bob]RE[W+R];B[cc]C[first];W[bb];B[dd];W[];B[bd])"


@pytest.fixture(scope="module")
def review() -> Review:
    game = Game.from_sgf(SGF)
    player = make_player("puct", open_net("fake"), {"visits": 12})
    seen: list[Progress] = []
    review = review_game(game, player, progress=seen.append)
    assert seen == [Progress("reviewing", n, 6) for n in range(6)]
    return review


def test_every_move_is_judged_from_its_movers_side(review: Review) -> None:
    assert len(review.roots) == 6 and len(review.moves) == 5
    for move in review.moves:
        mover = move.move.color
        lost = move.before.lead.of(mover) - move.after.lead.of(mover)
        assert move.points_lost == pytest.approx(max(lost, 0))
        assert move.win_rate_lost >= 0
    assert [m.vertex for m in review.moves] == ["C3", "B4", "D2", "pass", "B2"]
    assert review.mean_loss(Color.BLACK) == pytest.approx(sum(m.points_lost for m in review.moves[::2]) / 3)


def test_mistakes_are_the_moves_that_lose_most(review: Review) -> None:
    mistakes = review.mistakes()
    assert mistakes
    assert all(m.points_lost >= 2 or m.win_rate_lost >= 0.05 for m in mistakes)
    assert all(m.vertex != m.best for m in mistakes)


def test_the_annotated_record_keeps_the_game_and_gains_comments_and_lines(review: Review) -> None:
    text = annotate(review, sgf_tree(SGF)).decode()
    again = Game.from_sgf(text)
    assert again.moves == review.game.moves and again.black == "<Ann> & co"
    tree = sgf_tree(text)
    comments = [node.get("C") for node in tree.get_main_sequence()[1:]]
    assert comments[0].startswith("first") and all("Black " in c for c in comments)
    branches = sum(len(node) > 1 for node in tree.get_main_sequence())
    assert branches == len(review.mistakes())


def test_a_review_of_one_visit_a_move_names_the_likeliest_moves() -> None:
    """The search has tried no move then: the better move is the one with the highest prior."""
    review = review_game(Game.from_sgf(SGF), make_player("puct", open_net("fake"), {"visits": 1}))
    assert review.mistakes() and all(root.candidates for root in review.roots)
    assert review.mistakes()[0].best in page(review)


def test_the_review_as_json(review: Review) -> None:
    table = json.loads(json.dumps(review.to_json()))
    assert [move["move"] for move in table["moves"]] == ["C3", "B4", "D2", "pass", "B2"]
    assert len(table["positions"]) == 6 and all(0 <= p["black_win_rate"] <= 1 for p in table["positions"])
    assert table["mistakes"] == [move.number for move in review.mistakes()]
    assert {m["number"] for m in table["moves"] if m["is_mistake"]} >= set(table["mistakes"])
    assert len(table["ownership"]) == 5 and table["mean_loss"].keys() == {"B", "W"}


def test_the_page_stands_alone(review: Review) -> None:
    html = page(review)
    assert "&lt;Ann&gt; &amp; co" in html and "<Ann>" not in html
    assert not re.search(r"(src|href)=|url\(|@import|<script", html)
    assert html.count('class="graph"') == 2
    assert html.count('class="mistake"') == len(review.mistakes())


def test_reviewed_games_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.sgf"
    path.write_text(SGF)
    command([path], out=tmp_path / "out", net="fake", visits=2)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.html", "a.sgf"]
    (tmp_path / "out" / "a.html").write_text("kept")
    command([path], out=tmp_path / "out", net="fake", visits=2)
    assert (tmp_path / "out" / "a.html").read_text() == "kept"
    command([path], out=tmp_path / "out", net="fake", visits=2, again=True)
    assert (tmp_path / "out" / "a.html").read_text() != "kept"


def test_what_cannot_be_reviewed_is_said_and_the_rest_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.sgf").write_text(SGF)
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[")
    command([tmp_path / "bad.sgf", tmp_path / "good.sgf"], out=tmp_path / "out", net="fake", visits=2)
    assert "bad.sgf" in capsys.readouterr().err
    assert (tmp_path / "out" / "good.html").exists()
    with pytest.raises(InputError, match=r"bad\.sgf"):
        command([tmp_path / "bad.sgf"], out=tmp_path / "none", net="fake")
    with pytest.raises(InputError, match="two games"):
        command([tmp_path / "good.sgf", tmp_path / "good.gib"], out=tmp_path / "none", net="fake")
    assert not (tmp_path / "none").exists()
