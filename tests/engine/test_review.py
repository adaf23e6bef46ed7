"""Reviews: every move judged, the record annotated, one page that stands alone."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tengen import Color, Game, InputError
from tengen.cli.review import review as command
from tengen.engine.report import page
from tengen.engine.review import Review, annotate, review_game
from tengen.go.perspective import WinRate
from tengen.go.sgf import sgf_tree
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import open_net
from tengen.progress import Progress
from tengen.search.registry import make_player

SGF = "(;FF[4]GM[1]SZ[5]KM[7.5]RU[Chinese]PB[<Ann> & co]PW[Bob]RE[W+R];B[cc]C[first];W[bb];B[dd];W[];B[bd])"


@pytest.fixture(scope="module")
def review() -> Review:
    game = Game.from_sgf(SGF)
    player = make_player("puct", open_net("fake"), {"visits": 16})
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
    assert not (tmp_path / "none").exists()


def test_files_of_one_name_get_a_page_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / folder / "game.sgf" for folder in ("a", "b")] + [tmp_path / "b" / "2.1.sgf"]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text(SGF.replace("Bob", path.parent.name))
    out = tmp_path / "out"
    command([*paths, paths[0]], out=out, net="fake", visits=2)
    assert sorted(p.name for p in out.glob("*.html")) == ["2.1.html", "a-game.html", "b-game.html"]
    assert "PW[a]" in (out / "a-game.sgf").read_text() and "PW[b]" in (out / "b-game.sgf").read_text()
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    capsys.readouterr()
    command(paths, out=out, net="fake", visits=2)
    assert {path: path.stat().st_mtime_ns for path in out.iterdir()} == before
    assert "3 games left out: their pages are in" in capsys.readouterr().err


def test_the_page_of_another_game_is_neither_taken_for_this_ones_nor_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "a" / "game.sgf", tmp_path / "b" / "game.sgf"
    for path in (one, other):
        path.parent.mkdir()
        path.write_text(SGF.replace("Bob", path.parent.name))
    command([one], out=tmp_path / "out", net="fake", visits=2)
    command([other], out=tmp_path / "out", net="fake", visits=2)
    assert f"left out: {other}" in capsys.readouterr().err
    assert "PW[a]" in (tmp_path / "out" / "game.sgf").read_text()
    command([other], out=tmp_path / "out", net="fake", visits=2, again=True)
    assert "PW[b]" in (tmp_path / "out" / "game.sgf").read_text()


def test_a_review_by_a_small_net_says_so_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.sgf").write_text(SGF)
    command([tmp_path / "a.sgf"], out=tmp_path / "out", net="tengen", precision="fp32", visits=2, json_=True)
    said, told = capsys.readouterr()
    assert json.loads(said)["net"] == "tengen" and "learnt" not in said
    page_, record = ((tmp_path / "out" / name).read_text() for name in ("a.html", "a.sgf"))
    for text in (page_, record, told):
        text = " ".join(text.split())
        assert "with the net tengen, 2 visits a move at most" in text
        assert "has learnt from games on boards from 7x7 to 19x19 only: do not rely on it on 5x5" in text
    assert "<code>tengen nets pull b15c192</code>" in page_ and "`tengen nets pull b15c192`" in told


def test_ctrl_c_leaves_the_pages_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.sgf", "b.sgf"):
        (tmp_path / name).write_text(SGF)

    def stopped_at_the_second(*args: Any, **options: Any) -> Review:
        if (tmp_path / "out" / "a.html").exists():
            raise KeyboardInterrupt
        return review_game(*args, **options)

    monkeypatch.setattr("tengen.engine.review.review_game", stopped_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        command([tmp_path / "a.sgf", tmp_path / "b.sgf"], out=tmp_path / "out", net="fake", visits=2)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["a.html", "a.sgf"]


def test_a_loss_that_rounds_to_nothing_is_not_printed(review: Review) -> None:
    def lost(points: float, share: float, after: float) -> str:
        move = review.moves[0]
        root = replace(move.after, win_rate=WinRate(after, Color.BLACK))
        return replace(move, points_lost=points, win_rate_lost=share, after=root).loss

    assert lost(6.5, 0.08, 0.4) == "loses 6.5 points and 8.0% of win rate"
    assert lost(0.01, 0.08, 0.4) == "loses 8.0% of win rate"
    assert lost(6.5, 0.0001, 0.001) == "loses 6.5 points, but the game was decided already (win rate 0.1%)"
    assert lost(6.5, 0.0001, 0.999).endswith("decided already (win rate 99.9%)")
    assert lost(6.5, 0.0, 0.55) == "loses 6.5 points, but no win rate"


@pytest.mark.parametrize("heads", [("policy", "win_by_komi"), ("policy", "win_by_komi", "ownership")])
def test_a_net_of_win_rates_alone_reviews_without_points(heads: tuple[str, ...]) -> None:
    """VN has neither lead nor ownership, BV-ML-VN no lead: what is missing is left out, and nothing is made up."""
    net = FakeEvaluator(heads=heads, komi_labels=(6.5, 7.5, 8.5))
    record = (Path(__file__).parents[2] / "examples" / "9x9.sgf").read_text()
    review = review_game(Game.from_sgf(record), make_player("puct", net, {"visits": 16}))
    assert all(move.points_lost is None for move in review.moves)
    mistakes = review.mistakes()
    assert mistakes and all(m.win_rate_lost >= 0.05 and "points" not in m.loss for m in mistakes)
    table = json.loads(json.dumps(review.to_json()))
    assert table["mean_loss"] == {"B": None, "W": None} and table["positions"][0]["black_lead"] is None
    assert (table["ownership"] is None) == ("ownership" not in heads)
    shown = page(review)
    assert "Win rate of Black" in shown and "Lead of Black" not in shown and "points lost" not in shown
    assert ("Ownership at the end" in shown) == ("ownership" in heads)
    assert "lead" not in annotate(review, sgf_tree(record)).decode()


def test_a_net_without_win_rates_cannot_review() -> None:
    net = FakeEvaluator(heads=("policy",))
    with pytest.raises(InputError, match=r"fake-0 has no win rates .*: a review needs win rates"):
        review_game(Game.from_sgf(SGF), make_player("policy", net, {}))
