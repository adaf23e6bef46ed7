"""How strong am I: a stranger's path, the keyboard alone, no scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect
from web.page.walking import WIDTHS, OpenPage, stone, tab_to, take_example

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_stranger_compares_two_players(open_page: OpenPage, width: int) -> None:
    page = open_page(width=width)
    expect(page.get_by_role("heading", name="How strong am I?")).to_be_visible()
    take_example(page, "unequal strength")
    for level in (10, 1):
        page.get_by_role("checkbox", name=re.compile(rf"level {level} ")).check()
    page.get_by_role("button", name="Compare the two players").click()

    reports = page.get_by_role("article")
    expect(reports).to_have_count(2)
    expect(reports.first).to_contain_text(re.compile("plays like a Fox .* four times in five"))
    expect(page.get_by_role("region", name="Compared")).to_be_visible()
    expect(reports.first.get_by_role("img", name="Four times in five")).to_be_visible()
    expect(reports.first).to_contain_text("On other servers, approximately")

    # A click on a move brings the board there.
    move = reports.last.get_by_role("button", name="Show move").first
    named = re.search(r"Show move \d+, (Black|White) (\w+)", move.get_attribute("aria-label") or "")
    assert named
    move.click()
    expect(stone(page, named[1], named[2])).to_have_accessible_name(re.compile("last move"))

    # The result stays after a reload, and can be downloaded.
    page.reload()
    expect(reports).to_have_count(2)
    json_link, png_link = (reports.first.get_by_role("link", name=name) for name in ("JSON", "picture"))
    with page.expect_download() as download:
        json_link.click()
    assert '"rank"' in Path(download.value.path()).read_text()
    with page.expect_download() as download:
        png_link.click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_one_player_of_several_games_needs_no_choice(open_page: OpenPage, tmp_path: Path) -> None:
    for number, example in ((1, "19x19"), (2, "19x19-uneven")):
        record = (EXAMPLES / f"{example}.sgf").read_text()
        named = re.sub(r"PW\[[^]]*\]", f"PW[other {number}]", re.sub(r"PB\[[^]]*\]", "PB[Me]", record))
        (tmp_path / f"{number}.sgf").write_text(named)
    page = open_page()
    page.locator("input[type=file]").set_input_files([tmp_path / "1.sgf", tmp_path / "2.sgf"])
    expect(page.get_by_role("article", name="Strength of Me")).to_be_visible()
    expect(page.get_by_role("heading", name="Game by game")).to_be_visible()


def test_what_is_no_game_is_refused_with_the_reason(open_page: OpenPage) -> None:
    page = open_page()
    page.get_by_text("Paste an SGF").click()
    page.get_by_label("SGF text").fill("this is a letter")
    page.get_by_role("button", name="Use this game").click()
    expect(page.get_by_role("alert")).to_contain_text("no SGF")


def test_a_script_in_a_name_is_shown_as_text(open_page: OpenPage) -> None:
    page = open_page()
    name = "<img src=x onerror=alert(1)>"
    page.get_by_text("Paste an SGF").click()
    page.get_by_label("SGF text").fill(f"(;GM[1]SZ[9]PB[{name}]PW[b];B[ee];W[cc])")
    page.get_by_role("button", name="Use this game").click()
    expect(page.get_by_role("checkbox", name=name)).to_be_visible()
    assert page.locator("img").count() == 0


def test_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page()
    expect(page.get_by_role("heading", name="How strong am I?")).to_be_visible()
    tab_to(page, page.locator("summary", has_text="Try an example"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="A whole game on 19x19"))
    page.keyboard.press("Enter")
    # Both players of this example have the same name, so nobody must be chosen by name.
    start = page.get_by_role("button", name="Estimate strength")
    expect(start).to_be_visible()
    tab_to(page, start)
    page.keyboard.press("Enter")
    choice = page.get_by_role("checkbox", name="black")
    expect(choice).to_be_visible()
    tab_to(page, choice)
    page.keyboard.press("Space")
    tab_to(page, start)
    page.keyboard.press("Enter")
    expect(page.get_by_role("article")).to_be_visible()


def test_without_scripts_the_form_answers(open_page: OpenPage) -> None:
    page = open_page(java_script_enabled=False)
    page.get_by_role("link", name="Open the plain form").click()
    page.locator("input[type=file]").set_input_files(EXAMPLES / "19x19-uneven.sgf")
    page.locator("[name=player]").fill("GNU Go 3.8 level 1")
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("body")).to_contain_text(re.compile("four times in five"))
