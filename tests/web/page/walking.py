"""What users do on the page, for tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

WIDTHS = (1280, 390)
OpenPage = Callable[..., Page]


def take_example(page: Page, title: str) -> None:
    page.get_by_text("Try an example").click()
    page.get_by_role("button", name=title).click()


def tab_to(page: Page, target: Locator, most: int = 60) -> None:
    """Presses Tab until the element has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{target} is not reached by {most} presses of Tab")


def point(page: Page, name: str) -> Locator:
    """The button of a point, whatever is on it."""
    return page.get_by_role("button", name=re.compile(rf"^(Black|White|Empty) {name}(,|$)"))


def stone(page: Page, color: str, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{color} {name}(,|$)"))


def stones(page: Page) -> list[str]:
    """The stones on the board, such as ["Black E5", "White C3"]."""
    labels = page.locator(".point").evaluate_all("buttons => buttons.map(b => b.getAttribute('aria-label'))")
    return [label.split(",")[0] for label in labels if not label.startswith("Empty")]


def start_game(page: Page) -> None:
    """A new game on 9x9 as Black."""
    page.get_by_role("button", name="Start the game").click()
    wait_for_turn(page)


def wait_for_turn(page: Page) -> None:
    expect(page.locator(".status")).to_contain_text("Your move")


def type_move(page: Page, move: str) -> None:
    page.get_by_label("Type a move").fill(move)
    page.keyboard.press("Enter")
