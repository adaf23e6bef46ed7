"""Does a finding of a paper show in our figures? One plain sentence for each."""

from __future__ import annotations


def finding(claim: str, low: float, high: float) -> str:
    """The claim, and whether it holds: it says that a difference is above 0, and the 95 % interval is given.

    >>> finding("ML-VN has a lower error than VN", 0.001, 0.004)
    'ML-VN has a lower error than VN: holds.'
    >>> finding("BV-ML-VN is the strongest", -0.02, 0.05)
    'BV-ML-VN is the strongest: not decided.'
    """
    verdict = "holds" if low > 0 else "does not hold" if high < 0 else "not decided"
    return f"{claim}: {verdict}."
