"""The page in Debian's Chromium, with a real server and the net that ships."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from web.page.walking import OpenPage
from web.real_server import RealServer

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 30_000  # milliseconds: other programs may need the cores

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with RealServer(tmp_path_factory.mktemp("page") / "data", net="tengen") as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """For one file of tests only: while it is open, no other test of this process can use asyncio."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is missing: scripts/debian-packages chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Browser, server: RealServer) -> Iterator[OpenPage]:
    """Opens a page: `open_page("#/play", width=390)`. The test fails if the page has an error of a script, breaks its
    content security policy, or asks another host."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_it(path: str = "", *, width: int = 1280, address: str | None = None, **options: Any) -> Page:
        phone = width < 500
        context = browser.new_context(
            viewport={"width": width, "height": 844 if phone else 800},
            has_touch=phone,
            is_mobile=phone,
            **options,
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        home = address or server.address

        def asked(url: str) -> None:
            if urlsplit(url).netloc != urlsplit(home).netloc and not url.startswith(("data:", "blob:")):
                faults.append(f"another host was asked: {url}")

        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("console", lambda message: _note(message.type, message.text, faults))
        page.on("request", lambda request: asked(request.url))
        page.goto(home + path)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert not faults, faults


def _note(kind: str, text: str, faults: list[str]) -> None:
    # A refused request and a cut connection are part of what is tested; the browser reports both as errors.
    if kind == "error" and "Failed to load resource" not in text and "net::ERR" not in text:
        faults.append(f"console: {text}")
