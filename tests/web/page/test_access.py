"""axe finds no serious fault, in light and dark; nothing is wider than a phone."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from web.page.walking import OpenPage, start_game, take_example, type_move, wait_for_turn


def check(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3])
        for fault in found
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_no_serious_fault(open_page: OpenPage, width: int, scheme: str) -> None:
    page = open_page(width=width, color_scheme=scheme)
    expect(page.get_by_role("heading", name="How strong am I?")).to_be_visible()
    check(page)
    take_example(page, "unequal strength")
    page.get_by_role("checkbox").first.check()
    check(page)
    page.get_by_role("button", name="Estimate strength").click()
    expect(page.get_by_role("article")).to_be_visible()
    check(page)

    page.get_by_role("link", name="Review", exact=True).click()
    expect(page.get_by_role("heading", name="Review my game")).to_be_visible()
    check(page)
    take_example(page, "A game on 9x9")
    expect(page.get_by_text(re.compile("Looking deeper|Review complete"))).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator(".candidate").first).to_be_visible()
    page.get_by_text("Use a stronger net").click()
    check(page)

    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_text("Handicap, komi").click()
    check(page)
    start_game(page)
    type_move(page, "E5")
    wait_for_turn(page)
    check(page)


def test_the_theme_can_be_chosen_and_stays(open_page: OpenPage) -> None:
    page = open_page()
    shade = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(shade)
    page.get_by_role("button", name="Switch to dark colours").click()
    dark = page.evaluate(shade)
    assert dark != light
    page.reload()
    assert page.evaluate(shade) == dark
    expect(page.get_by_role("button", name="Switch to light colours")).to_be_visible()
