"""Bars and lines that say how far a command is."""

from __future__ import annotations

import pytest

from tengen.cli import progress
from tengen.cli.progress import progress_bar
from tengen.progress import Progress, part_of, renamed


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
        bar(Progress("counting", 0.5, 1))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["games: 600 of 1,200 400 : 200", "game 701: [engine] died", "counting: 50%"]


def test_a_job_in_a_job_reports_under_another_name_and_as_a_part() -> None:
    seen: list[Progress] = []
    renamed(seen.append, "features of the full model")(Progress("reading", 3, 4, "a note"))
    part_of(seen.append, "calibrating", 1, 2)(Progress("reading", 3, 4))
    assert seen == [
        Progress("features of the full model", 3, 4, "a note"),
        Progress("calibrating", 0.875, 1.0),
    ]
    assert [each.share for each in seen] == [0.75, 0.875]
    assert Progress("waiting").share is None
