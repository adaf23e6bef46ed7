"""Tables of figures with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from tengen.prediction.resampling import Estimate


def figure_table(first: str, *others: str) -> Table:
    table = Table(first, *others)
    for column in table.columns[1:]:
        column.justify = "left" if column.header == "net" else "right"
    return table


def number(figure: Estimate, digits: int = 3) -> str:
    """
    >>> from tengen.prediction.resampling import Estimate
    >>> number(Estimate(0.25, 0.2, 0.3)), signed(Estimate(0.25, -0.2, 0.7)), share(Estimate(0.5, 0.4, 0.6))
    ('0.250 (0.200 to 0.300)', '+0.250 (-0.200 to +0.700)', '50.0 % (40.0 to 60.0)')
    """
    return f"{figure.value:.{digits}f} ({figure.low:.{digits}f} to {figure.high:.{digits}f})"


def signed(figure: Estimate, digits: int = 3) -> str:
    return f"{figure.value:+.{digits}f} ({figure.low:+.{digits}f} to {figure.high:+.{digits}f})"


def share(figure: Estimate) -> str:
    value, low, high = (100 * part for part in figure)
    return f"{value:.1f} % ({low:.1f} to {high:.1f})"
