"""Review my game: the curve, the mistakes, candidates, variations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web.page.walking import WIDTHS, OpenPage, point, stone, stones, tab_to, take_example, type_move

TURN = ".turn b"


def open_example(page: Page, title: str = "A game on 9x9") -> None:
    take_example(page, title)
    expect(page.get_by_text(re.compile("Looking deeper|Review complete"))).to_be_visible()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_stranger_reviews_a_game(open_page: OpenPage, width: int) -> None:
    page = open_page("#/review", width=width)
    open_example(page)
    expect(page.get_by_text("1,349,938 weights")).to_be_visible()

    # From mistake to mistake: the position before it, with what is better. All are known when the review is complete.
    expect(page.get_by_text("Review complete")).to_be_visible()
    page.get_by_role("button", name="Next mistake").click()
    expect(page.locator(".said")).to_contain_text(re.compile(r"Next, (Black|White) \w+ loses"))
    first = int(page.locator(TURN).inner_text())
    page.keyboard.press("n")
    expect(page.locator(TURN)).not_to_have_text(str(first))
    assert int(page.locator(TURN).inner_text()) > first
    page.keyboard.press("p")
    expect(page.locator(TURN)).to_have_text(str(first))

    # Candidates on the board and in the list; the line of one is played out with numbers.
    expect(page.locator(".candidate").first).to_be_visible()
    best = page.locator(".candidates button").first
    best.focus()
    expect(page.locator(".number").first).to_be_visible()
    best.blur()
    expect(page.locator(".number")).to_have_count(0)

    # The graph leads to any move.
    plot = page.locator(".graph .u-over")
    box = plot.bounding_box()
    assert box
    plot.click(position={"x": box["width"] / 2, "y": 20})
    assert abs(int(page.locator(TURN).inner_text()) - 24) <= 2
    page.get_by_role("radio", name="Win rate").check()
    expect(page.get_by_role("img", name="Black's win rate over the moves")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile(r"Black's win rate by komi\. It falls"))).to_be_visible()

    page.get_by_label("Ownership").check()
    expect(page.locator(".owner").first).to_be_attached()

    with page.expect_download() as download:
        page.get_by_role("link", name="Annotated SGF").click()
    assert Path(download.value.path()).read_text().startswith("(;")


def test_a_variation_is_analysed_and_left_again(open_page: OpenPage) -> None:
    page = open_page("#/review")
    open_example(page)
    page.keyboard.press("Home")
    point(page, "A1").click()
    expect(stone(page, "Black", "A1")).to_be_visible()
    type_move(page, "j9")
    expect(stone(page, "White", "J9")).to_be_visible()
    expect(page.locator(".said")).to_contain_text("visits")
    trail = page.get_by_role("navigation", name="Variation")
    trail.get_by_role("button", name="A1").click()
    assert stones(page) == ["Black A1"]
    page.get_by_label("Type a move").blur()
    page.keyboard.press("Escape")
    expect(trail).to_have_count(0)
    assert stones(page) == []


def test_an_illegal_move_is_explained(open_page: OpenPage) -> None:
    page = open_page("#/review")
    open_example(page)
    page.keyboard.press("ArrowRight")
    type_move(page, "E5")
    expect(page.get_by_role("alert").first).to_contain_text("There is a stone on E5 already")
    type_move(page, "Z9")
    expect(page.get_by_role("alert").first).to_contain_text("no point of this board")


def test_arrow_keys_wheel_and_swipe(open_page: OpenPage) -> None:
    page = open_page("#/review")
    open_example(page)
    turn = page.locator(TURN)
    for key, expected in (("ArrowRight", 1), ("ArrowDown", 11), ("ArrowLeft", 10), ("End", 48), ("Home", 0)):
        page.keyboard.press(key)
        expect(turn).to_have_text(str(expected))
    point(page, "E5").hover()
    page.mouse.wheel(0, 120)
    expect(turn).to_have_text("3")

    page.wait_for_url(re.compile("turn=3$"))
    phone = open_page(page.url.split("/", 3)[3], width=390)
    expect(phone.locator(TURN)).to_have_text("3")
    swipe(phone, -100)
    expect(phone.locator(TURN)).not_to_have_text("3")


def swipe(page: Page, dx: int) -> None:
    box = page.locator(".board").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 5):
        place = {"x": x + dx * step / 4, "y": y}
        session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [place]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_keyboard_alone_and_a_reload_keeps_the_place(open_page: OpenPage) -> None:
    page = open_page("#/review")
    tab_to(page, page.locator("summary", has_text="Try an example"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="A game on 9x9"))
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("Looking deeper|Review complete"))).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("turn=11$"))
    before = stones(page)
    page.reload()
    expect(page.locator(TURN)).to_have_text("11")
    assert stones(page) == before


def test_a_deeper_value_is_not_replaced(open_page: OpenPage) -> None:
    """The visits of the position on screen only grow."""
    page = open_page("#/review")
    open_example(page, "A game on 13x13")
    seen = []
    for _ in range(12):
        found = re.search(r"([\d,]+) visits", page.locator(".said").inner_text())
        if found:
            seen.append(int(found[1].replace(",", "")))
        page.wait_for_timeout(150)
    assert seen and seen == sorted(seen)
