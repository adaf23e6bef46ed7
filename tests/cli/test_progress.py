"""Bars and lines that say how far a command is."""

from __future__ import annotations

import pytest

from tengen.cli import progress
from tengen.cli.progress import progress_bar


def test_a_file_gets_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    with progress_bar("games") as bar:
        bar.at(1, 1200)
        now += progress.LINE_EVERY
        bar.at(600, 1200, "400 : 200")
        bar.at(700, 1200)
        bar.complain("game 701: [engine] died")
        now += progress.LINE_EVERY
        bar.share(0.5, title="counting")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["games: 600 of 1,200 400 : 200", "game 701: [engine] died", "counting: 50%"]
