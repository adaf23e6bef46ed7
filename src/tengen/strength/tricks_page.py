"""Drawings of trick plays: a page with the boards, and the ratings as in figure 7.5 of the thesis."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from tengen.files import write_whole
from tengen.games.problems import Board, Line
from tengen.go.drawing import svg_board
from tengen.plots import new_figure, save
from tengen.strength.tricks import Trick

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "section{margin:2.5rem 0}.pair{display:flex;gap:1rem;flex-wrap:wrap}figure{flex:1 1 20rem;margin:0}"
    "svg{width:100%;height:auto}.surprise{color:#a33}"
)

Published = Mapping[str, tuple[float, float]]  # failure and refutation by the problem's name


def write_page(tricks: Sequence[Trick], published: Published, path: Path) -> None:
    """A self-contained HTML page: each problem on the first of its boards, refutation and failure numbered."""
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Trick plays</title>',
        '<meta name="viewport" content="width=device-width">',
        f"<style>{_STYLE}</style><h1>Trick plays</h1>",
        f"<p>{html.escape(summary(tricks))}</p>",
    ]
    for trick in tricks:
        name, first = html.escape(trick.problem.name), trick.judged[0]
        surprise = "" if trick.as_expected else ' class="surprise"'
        thesis = published.get(trick.problem.name)
        beside = f" In the thesis: {thesis[1]:.0f} and {thesis[0]:.0f}." if thesis else ""
        parts.append(
            f"<section><h2{surprise}>{name}</h2><p>Refutation {rating_text(trick.refutation)}, "
            f"failure {rating_text(trick.failure)} (means of {len(trick.judged)} boards); the net likes the refutation "
            f"better by {trick.gain:+.1f} points.{beside} Drawn: {html.escape(first.board.how)}.</p><div class=pair>"
        )
        for title, line in (("Refutation", trick.problem.refutation), ("Failure", trick.problem.failure)):
            parts.append(f"<figure>{_drawn(first.board, line)}<figcaption>{title}</figcaption></figure>")
        parts.append("</div></section>")
    write_whole(path, "\n".join([*parts, "</html>\n"]))


def _drawn(board: Board, line: Line) -> str:
    """The board after the line, its moves numbered; the last move on a point gives its number."""
    numbers = {move.point: str(i) for i, move in enumerate(board.carried(line), 1)}
    return svg_board(board.after(line).position().stones(), marks=numbers)


def summary(tricks: Sequence[Trick]) -> str:
    """How often the refutation is rated above the failure."""
    expected = sum(trick.as_expected for trick in tricks)
    liked = sum(trick.gain > 0 for trick in tricks)
    return (
        f"The refutation is rated above the failure in {expected} of {len(tricks)} problems; "
        f"the net's lead is higher after it in {liked}."
    )


def rating_text(rating: float) -> str:
    """A rating as text: without decimals on scales of thousands, with decimals for ranks."""
    return f"{rating:.0f}" if rating >= 100 else f"{rating:.2f}"


def draw_ratings(tricks: Sequence[Trick], scale: str, path: Path) -> None:
    """Both ratings of each problem, ordered by that of the failure, with the mean of the refutations (figure 7.5)."""
    order = sorted(tricks, key=lambda trick: trick.failure)
    figure = new_figure(9, 5)
    axes = figure.add_subplot()
    x = range(1, len(order) + 1)
    failure, refutation = [t.failure for t in order], [t.refutation for t in order]
    for at, low, high in zip(x, failure, refutation, strict=True):
        axes.plot([at, at], [low, high], color="0.8", lw=1, zorder=1)
    axes.plot(x, refutation, "^", ms=5, color="tab:green", label="refutation")
    axes.plot(x, failure, "v", ms=5, color="tab:red", label="failure")
    mean = sum(refutation) / len(refutation)
    axes.axhline(
        mean, ls="--", lw=1, color="tab:green", label=f"mean of the refutations: {rating_text(mean)}"
    )
    axes.set(xlabel="problems, by the rating of the failure", ylabel=f"rating ({scale})", xticks=[])
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, path)
