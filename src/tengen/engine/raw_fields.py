"""What a net says of a position without search, under KataGo's names."""

from __future__ import annotations

from tengen.go.color import Color
from tengen.go.perspective import Lead
from tengen.go.rules import Rules
from tengen.nets.evaluation import Evaluation
from tengen.search.no_result import no_result_chance


def raw_fields(said: Evaluation, rules: Rules, view: Color) -> dict[str, float]:
    """Win rates and points in the view of a side. What the net has no output for is left out."""
    margin, raw = said.margin, said.raw
    lead = None if margin is None else Lead(margin.mean - rules.komi, Color.BLACK)
    error = None if raw is None else raw.shortterm_win_error
    values = {
        "rawWinrate": None if said.win is None else said.win.of(view),
        "rawLead": None if said.lead is None else said.lead.of(view),
        "rawScoreSelfplay": None if lead is None else lead.of(view),
        "rawScoreSelfplayStdev": None if margin is None else margin.deviation,
        "rawNoResultProb": no_result_chance(said, rules),
        "rawStWrError": None if error is None else error / 2,  # of a value from -1 to 1 to a win rate
        "rawStScoreError": None if raw is None else raw.shortterm_score_error,
        "rawVarTimeLeft": None if raw is None else raw.variance_time,
    }
    return {name: round(value, 6) for name, value in values.items() if value is not None}
