"""The HTML page of a review: one file that loads nothing else."""

from __future__ import annotations

import html
import re

import numpy as np
import numpy.typing as npt

from tengen.engine.review import MoveReview, Review
from tengen.go.color import Color
from tengen.go.drawing import MARGIN, STEP, svg_board
from tengen.nets.evaluation import given

_STYLE = """
body { font: 16px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem;
  color: #1c1c1c; background: #fff }
h1 { font-size: 1.5rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.facts { color: #555 } table { border-collapse: collapse }
td, th { padding: .25rem .8rem .25rem 0; text-align: left }
td.number, th.number { text-align: right } svg { max-width: 100%; height: auto }
.mistake { display: flex; gap: 1.5rem; flex-wrap: wrap; margin: 1.2rem 0; break-inside: avoid }
.mistake svg { width: 31rem; max-width: 100% } .mistake p { max-width: 24rem; margin: .3rem 0 }
.graph { overflow: visible } .graph text { font-size: 13px } .graph path { vector-effect: non-scaling-stroke }
@media (max-width: 40rem) { body { margin: 1rem auto } .graph text { font-size: 27px } }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e6e6 } .facts { color: #aaa }
  .graph text { fill: #ccc } }
"""


def page(review: Review) -> str:
    """The whole page."""
    game = review.game
    title = (
        f"{_player(game.black, game.black_rank, 'Black')} – {_player(game.white, game.white_rank, 'White')}"
    )
    facts = [f"{game.size}x{game.size}", f"komi {game.komi:g}", game.rules.name or "own rules"]
    facts += [f"{game.handicap} handicap stones"] if game.handicap else []
    facts += [game.date] if game.date else []
    facts += [f"result {game.result}", f"{len(game.moves)} moves"]
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="facts">{html.escape(", ".join(facts))}.<br>Reviewed by {html.escape(review.judge)}.</p>',
        f'<p class="advice">{_code(html.escape(review.advice))}</p>' if review.advice else "",
        "<h2>Win rate of Black</h2>",
        _graph([given(root.win_rate).of(Color.BLACK) * 100 for root in review.roots], 0, 100, 50, "%"),
        f"<h2>Lead of Black in points</h2>{_lead_graph(review)}" if review.has_lead else "",
        _sides(review),
        "<h2>Biggest mistakes</h2>",
    ]
    mistakes = review.mistakes()
    legend = '<p class="facts">✕ is the move that was played, A the better one.</p>'
    parts += [legend, *map(_mistake, mistakes)] if mistakes else ["<p>There are none.</p>"]
    if review.ownership is not None:
        parts += ["<h2>Ownership at the end</h2>", _owners(review, review.ownership)]
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _code(text: str) -> str:
    """Words between backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", text)


def _player(name: str, rank: str, fallback: str) -> str:
    return f"{name or fallback}{f' ({rank})' if rank else ''}"


def _lead_graph(review: Review) -> str:
    leads = [given(root.lead).of(Color.BLACK) for root in review.roots]
    reach = max(10.0, *(abs(lead) for lead in leads))
    reach = 10 * np.ceil(reach / 10)
    return _graph(leads, -reach, reach, 0, "")


def _graph(values: list[float], low: float, high: float, middle: float, unit: str) -> str:
    """A line over the moves, with its middle marked."""
    width, height, left, bottom = 900, 240, 72, 34
    span = max(len(values) - 1, 1)

    def x(i: float) -> float:
        return round(left + i / span * (width - left - 8), 1)

    def y(value: float) -> float:
        inside = min(max(value, low), high)
        return round(8 + (high - inside) / (high - low) * (height - bottom - 8), 1)

    path = "M" + " L".join(f"{x(i)} {y(v)}" for i, v in enumerate(values))
    parts = [
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
    ]
    for value in (low, middle, high):
        dash = "" if value == middle else ' stroke-dasharray="2 4"'
        parts.append(f'<path d="M{left} {y(value)}H{width - 8}" stroke="#999"{dash}/>')
        parts.append(
            f'<text x="{left - 6}" y="{y(value)}" text-anchor="end" dominant-baseline="middle" fill="#444">'
            f"{value:g}{unit}</text>"
        )
    step = 10 if span <= 100 else 25 if span <= 250 else 50
    for i in range(0, span + 1, step):
        parts.append(f'<text x="{x(i)}" y="{height - 5}" text-anchor="middle" fill="#444">{i}</text>')
    parts.append(f'<path d="{path}" fill="none" stroke="#c0392b" stroke-width="2"/></svg>')
    return "".join(parts)


def _sides(review: Review) -> str:
    rows = []
    for color in Color:
        mistakes = sum(m.is_mistake for m in review.moves if m.move.color is color)
        loss = review.mean_loss(color)
        points = "" if loss is None else f"<td class=number>{loss:.2f}</td>"
        rows.append(f"<tr><td>{color}</td>{points}<td class=number>{mistakes}</td></tr>")
    points = "<th class=number>points lost a move</th>" if review.has_lead else ""
    return (
        f"<h2>By side</h2><table><tr><th></th>{points}<th class=number>mistakes</th></tr>"
        + "".join(rows)
        + "</table>"
    )


def _mistake(move: MoveReview) -> str:
    position = move.position
    area = position.size**2
    marks = {move.move.point: "✕"} if move.move.point < area else {}
    best = move.before.candidates[0]
    line = " ".join(position.vertex(p) for p in best.variation[:8])
    follow = f": {line}" if len(best.variation) > 1 else ""
    if best.move < area:
        marks[best.move] = "A"
    mover = move.move.color
    before, after = (f"{given(root.win_rate).of(mover):.1%}" for root in (move.before, move.after))
    change = f" ({before} to {after})" if move.win_rate_lost >= 0.0005 else ""
    return (
        f'<div class="mistake">{svg_board(position.stones(), marks=marks)}<div>'
        f"<p><b>Move {move.number}, {mover} {move.vertex}</b> {move.loss}{change}.</p>"
        f"<p>Better is <b>A</b>, {move.best}{follow}.</p></div></div>"
    )


def _owners(review: Review, ownership: npt.NDArray[np.float32]) -> str:
    """The last position with a square on each point; a larger square means a surer owner."""
    stones = review.game.position().stones()
    board = svg_board(stones)
    squares = []
    for point, owned in enumerate(ownership.ravel().tolist()):
        side = 10 * abs(owned)
        if side < 2:
            continue
        row, column = divmod(point, review.game.size)
        x, y = MARGIN + STEP * column - side / 2, MARGIN + STEP * row - side / 2
        fill = "#111" if owned > 0 else "#fdfdfd"
        squares.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" '
            f'fill="{fill}" stroke="#777"/>'
        )
    return board.replace("</svg>", "".join(squares) + "</svg>")
