"""Tables 7.1 and 7.2 of the thesis: trick plays, the failure and the refutation rated by the strength model."""

from __future__ import annotations

from typing import Any

from tengen.papers.pools import kgs_pool
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.progress import Progress

TITLE = "Trick plays: are refutations rated above failures?"
# `net` names one that has a strength model; empty: the one that ships.
SETTINGS: dict[str, Any] = {"net": "", "boards": 5}


def run(request: Request) -> Outcome:
    from tengen.games.problems import boards, problem_files, read_problem
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.strength.model import default_net, find_model
    from tengen.strength.tricks import judge
    from tengen.strength.tricks_page import draw_ratings, rating_text, summary

    settings = SETTINGS | dict(request.settings)
    request.file("trickplay/trickratings.csv")
    files, published = problem_files([request.file("trickplay")])
    store = GameStore.open(kgs_pool(request))
    evaluator = open_net(settings["net"] or default_net())
    model = find_model(evaluator)
    found = []
    for i, problem in enumerate(map(read_problem, files), 1):
        request.progress(Progress("looking for boards", i, len(files)))
        found.append((problem, boards(problem, [store], settings["boards"])))
    tricks = judge(found, evaluator, model, progress=request.progress)
    rows = []
    for trick in tricks:
        failure, refutation = published[trick.problem.name]
        ours = f"{rating_text(trick.failure)} and {rating_text(trick.refutation)}"
        rows.append(Row(trick.problem.name, f"{failure:.0f} and {refutation:.0f}", ours))
    above = sum(refutation > failure for failure, refutation in published.values())
    expected = sum(trick.as_expected for trick in tricks)
    rows.append(
        Row("refutation above failure", f"{above} of {len(published)}", f"{expected} of {len(tricks)}")
    )
    scale = tricks[0].judged[0].failure.scale
    if request.output is not None:
        draw_ratings(tricks, scale, request.output)
    return Outcome(
        rows,
        [
            f"Ours: {model.card.name}, ratings of {scale}; means over up to {settings['boards']} boards a problem, "
            f"from {len(store):,} games. The thesis: ratings of OGS, one board a problem, 7 million games.",
            summary(tricks),
        ],
        request.output,
    )
