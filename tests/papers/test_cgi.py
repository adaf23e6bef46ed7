"""The CGI paper's tables and figures."""

from __future__ import annotations

from pathlib import Path

from tengen.papers import reproduction
from tengen.papers.reproduction import Request


def test_figure_3_has_the_papers_rates(tmp_path: Path) -> None:
    drawing = tmp_path / "figure3.png"
    outcome = reproduction.find("cgi-figure3").run(Request(tmp_path, drawing))
    assert [row.published for row in outcome.rows] == [row.ours for row in outcome.rows]
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_figure_3_of_another_board(tmp_path: Path) -> None:
    reproduced = reproduction.find("cgi-figure3")
    settings = reproduced.read_settings(["size=9", "s=0.5"])
    outcome = reproduced.run(Request(tmp_path, None, settings=settings))
    assert outcome.rows[0].ours == "0.9802"  # 1 / (1 + exp(8 (1 / 81 - 0.5)))
