"""Play: by mouse, by touch, by keys; reloads, a killed server, a cut connection."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from web.page.walking import (
    WIDTHS,
    OpenPage,
    point,
    start_game,
    stone,
    stones,
    tab_to,
    type_move,
    wait_for_turn,
)
from web.real_server import RealServer


@pytest.mark.parametrize("width", WIDTHS)
def test_a_stranger_plays_a_game(open_page: OpenPage, width: int) -> None:
    page = open_page("#/play", width=width)
    start_game(page)
    if width < 500:
        # The first tap shows a stone that is not played yet; the second plays it.
        point(page, "E5").tap()
        expect(page.locator(".ghost[data-firm]")).to_be_visible()
        assert stones(page) == []
        point(page, "E5").tap()
    else:
        point(page, "E5").click()
    expect(stone(page, "Black", "E5")).to_be_visible()
    wait_for_turn(page)
    assert len(stones(page)) == 2

    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".candidate").first).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(stone(page, "Empty", "E5")).to_be_visible()
    assert stones(page) == []

    type_move(page, "C3")
    expect(stone(page, "Black", "C3")).to_be_visible()
    wait_for_turn(page)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("group", name="Resign this game?").get_by_role("button", name="Resign").click()
    expect(page.locator(".status")).to_contain_text("The game is over: W+R")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save SGF").click()
    assert "RE[W+R" in Path(download.value.path()).read_text()
    page.get_by_role("button", name="Review the game").click()
    expect(page.get_by_role("region", name="Course of the game")).to_be_visible()


def test_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page("#/play")
    tab_to(page, page.get_by_role("button", name="Start the game"))
    page.keyboard.press("Enter")
    wait_for_turn(page)
    tab_to(page, point(page, "E5"))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(stone(page, "Black", "F6")).to_be_visible()
    wait_for_turn(page)
    expect(page.locator("[aria-live=polite]").last).to_contain_text(re.compile("Move 2: White"))


def test_the_count_can_be_corrected(open_page: OpenPage) -> None:
    page = open_page("#/play")
    start_game(page)
    type_move(page, "E5")
    wait_for_turn(page)
    # The opponent takes off what is dead before it passes as well.
    for _ in range(60):
        page.get_by_role("button", name="Pass").click()
        expect(page.locator(".status")).to_contain_text(re.compile("Your move|Both passed"))
        if "Both passed" in page.locator(".status").inner_text():
            break
    score = page.locator(".score")
    before = score.inner_text()
    color, vertex = stones(page)[0].split()
    was_dead = "dead" in (stone(page, color, vertex).get_attribute("aria-label") or "")
    point(page, vertex).click()
    expect(score).not_to_have_text(before)
    assert ("dead" in (stone(page, color, vertex).get_attribute("aria-label") or "")) != was_dead
    page.get_by_role("button", name="Agree").click()
    expect(page.locator(".status")).to_contain_text("The game is over")


def test_a_reload_in_the_middle_of_a_game(open_page: OpenPage) -> None:
    page = open_page("#/play")
    start_game(page)
    type_move(page, "D4")
    wait_for_turn(page)
    before = stones(page)
    page.reload()
    wait_for_turn(page)
    assert stones(page) == before
    type_move(page, "G7")
    expect(stone(page, "Black", "G7")).to_be_visible()

    # The list of games leads back to it.
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_role("link", name="9x9 against").click()
    expect(stone(page, "Black", "G7")).to_be_visible()


def test_the_server_is_killed_and_started_again(open_page: OpenPage, tmp_path: Path) -> None:
    first = RealServer(tmp_path / "data")
    page = open_page("#/play", address=first.address)
    start_game(page)
    type_move(page, "D4")
    wait_for_turn(page)
    before = stones(page)

    first.end(signal.SIGKILL)
    lost = page.get_by_text("Connection lost")
    expect(lost).to_be_visible()
    # A move that did not arrive is sent again.
    empty = next(name for name in ("G7", "G6", "C7") if f"White {name}" not in before)
    type_move(page, empty)
    with RealServer(tmp_path / "data", port=urlsplit(first.address).port or 0):
        expect(lost).to_be_hidden()
        wait_for_turn(page)
        expect(stone(page, "Black", empty)).to_be_visible()
        assert set(before) <= set(stones(page))
        assert len(stones(page)) == len(before) + 2


def test_the_connection_is_cut(open_page: OpenPage) -> None:
    page = open_page("#/play")
    start_game(page)
    page.context.set_offline(True)
    lost = page.get_by_text("Connection lost")
    expect(lost).to_be_visible()
    page.context.set_offline(False)
    expect(lost).to_be_hidden()
    type_move(page, "E5")
    expect(stone(page, "Black", "E5")).to_be_visible()
    wait_for_turn(page)
    assert len(stones(page)) == 2


def test_a_duplicated_tab_has_its_own_stream(open_page: OpenPage) -> None:
    """A reload keeps the name of the tab; a copy of the tab must not take the stream of the first."""
    page = open_page("#/play")
    name = "sessionStorage.getItem('tengen.tab')"
    first = page.evaluate(name)
    page.reload()
    assert page.evaluate(name) == first
    with page.expect_popup() as opened:
        page.evaluate("void window.open(location.href)")
    expect(opened.value.get_by_role("button", name="Start the game")).to_be_visible()
    assert opened.value.evaluate(name) != first


def test_the_candidates_of_a_player_that_imagines_lines(open_page: OpenPage) -> None:
    page = open_page("#/play", width=1280)
    page.get_by_text("Handicap, komi, rules, clock, opponent").click()
    page.get_by_label("Opponent").select_option("long-term")
    expect(page.get_by_text("It imagines 20 lines of each candidate")).to_be_visible()
    page.get_by_role("radio", name="A little").check(force=True)
    expect(page.get_by_text("It imagines 5 lines of each candidate")).to_be_visible()
    start_game(page)
    type_move(page, "E5")
    wait_for_turn(page)
    page.get_by_text("Opponent's judgement").click()
    table = page.get_by_role("group", name="Candidates of the opponent's last move")
    expect(table.get_by_role("row")).to_have_count(11)
    expect(table.get_by_role("row").nth(1)).to_contain_text("±")
