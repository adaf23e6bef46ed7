"""axe finds no serious fault, in light and dark; nothing is wider than a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from web.page.walking import OpenPage, start_game, take_example, type_move, wait_for_turn

ROOT = Path(__file__).parents[3]


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


def test_the_colours_of_words_stand_out_on_every_ground() -> None:
    """A contrast of 4.5 to 1 between words and what they are written on, in both themes."""
    text = (ROOT / "web/src/styles/base.css").read_text(encoding="utf-8")
    colours = {name: pair for name, *pair in re.findall(r"--([a-z-]+): light-dark\((#\w+), (#\w+)\)", text)}
    words = ("ink", "muted", "accent", "fault", "small", "medium", "big")
    faint = [
        f"{word} on {ground}, {theme}: {ratio:.2f}"
        for word in words
        for ground in ("page", "surface", "sunken", "accent-soft", "fault-soft")
        for i, theme in enumerate(("light", "dark"))
        if (ratio := contrast(colours[word][i], colours[ground][i])) < 4.5
    ]
    assert faint == []


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
