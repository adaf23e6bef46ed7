"""`tengen eval`: a net's evaluation of a position."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.console import Console

if TYPE_CHECKING:
    from tengen.go.perspective import Lead
    from tengen.go.position import Position
    from tengen.nets.card import ModelCard
    from tengen.nets.evaluation import Evaluation, Floats

app = App(name="eval")

_console = Console(highlight=False, soft_wrap=True)


@app.default
def evaluate(
    game: Path,
    *,
    move: int | None = None,
    net: str | None = None,
    precision: str | None = None,
    bagging: Annotated[bool, Parameter(negative=())] = False,
    komi: tuple[float, float] | None = None,
    plot: Path | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Evaluate a position of a game: win rate, lead, top moves, ownership, win rate for every komi.

    Only the outputs that the net has are shown: a net that only predicts moves has no win rate, lead or ownership.

    Example: tengen eval game.sgf --move 100 --net b15c192 --plot position.png

    Parameters
    ----------
    game
        The record: .sgf, .gib or .ngf.
    move
        The position after this many moves; the last one if not given.
    net
        A net by name (`tengen nets list`), folder or file (.onnx, .bin.gz, .txt.gz), or POLICY-NET+VALUE-NET. If not
        given: the strongest at hand, which is the small one that ships, tengen, until `tengen nets pull b15c192` has
        brought another. It evaluates once, without search: there are no visits.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    bagging
        Average over the eight symmetries of the board.
    komi
        The lowest and the highest komi of the curve, in steps of a point. If not given: the net's own labels, or
        -12.5 to 27.5 for a net that has none.
    plot
        Draw board, ownership and curve to this file (.png, .svg, .pdf).
    json_
        Print all figures as JSON.
    """
    from tengen.errors import InputError
    from tengen.go.game import Game
    from tengen.nets.evaluator import Bagged, Evaluator
    from tengen.nets.library import open_net

    record = Game.from_file(game)
    try:
        position = record.position(move)
    except ValueError as error:
        raise InputError(f"{game}: {error}") from None
    evaluator: Evaluator = open_net(net, precision)
    if bagging:
        evaluator = Bagged(evaluator)
    labels = _labels(komi, evaluator.card)
    found = evaluator.evaluate([position], komi_labels=labels, sweep=True)[0]
    if plot:
        from tengen.cli.eval_plot import draw

        draw(position, found, f"{game.name}, move {position.move_number}, {evaluator.card.name}", plot)
    if json_:
        about = {"net": evaluator.card.name, "move": position.move_number}
        print(json.dumps({**about, **found.to_json()}))
    else:
        _print(position, found, evaluator.card)
        if plot:
            _console.print(f"Drawn: {plot}", markup=False)


def _labels(komi: tuple[float, float] | None, card: ModelCard) -> list[float]:
    """The komi that win rates are wanted for."""
    from tengen.errors import InputError

    if komi is None and len(card.komi_labels) > 1:
        return sorted(card.komi_labels)
    low, high = komi or (-12.5, 27.5)
    if not -1000 <= low < high <= 1000 or high - low > 400:
        raise InputError(
            f"--komi {low:g} {high:g}: the first must be less than the second, at most 400 apart"
        )
    return [low + step for step in range(int(high - low + 0.25) + 1)]


def _print(position: Position, found: Evaluation, card: ModelCard) -> None:
    from tengen.nets.advice import advice

    def say(text: str) -> None:
        _console.print(text, markup=False)

    say(str(position))
    say("")
    words = [str(found.win)] if found.win is not None else []
    words += [f"lead {_lead(found.lead)}"] if found.lead is not None else []
    say(f"{card.name}: {', '.join([*words, f'{position.to_move} to play'])}")
    if lacking := _lacking(found):
        say(f"This net has no {lacking}.")
    if about := advice(card, position.size):
        say(about)
    if found.margin is not None:
        say(f"margin before komi {found.margin.mean:+.1f} ± {found.margin.deviation:.1f} for Black")
    if found.policy is not None:
        best = "  ".join(f"{position.vertex(p)} {chance:.1%}" for p, chance in found.top_moves(8))
        say(f"moves  {best}")
    if found.ownership is not None:
        say("")
        say("ownership: # Black's, o White's, + and - leaning that way, . open")
        say(_ownership(found.ownership))
    if found.win_by_komi is None or found.komi_labels is None:
        return
    say("")
    say("komi   Black wins")
    for label, chance in zip(found.komi_labels, found.win_by_komi, strict=True):
        bar = "█" * round(40 * float(chance))
        own = "  <- this game's" if abs(float(label) - position.rules.komi) < 0.01 else ""
        say(f"{float(label):6.1f} {float(chance):6.1%} {bar}{own}")


def _lacking(found: Evaluation) -> str:
    """The heads that the net does not have, in words: `win rate, lead or ownership`."""
    heads = {"moves": found.policy, "win rate": found.win, "lead": found.lead, "ownership": found.ownership}
    words = [word for word, head in heads.items() if head is None]
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _lead(lead: Lead) -> str:
    """`B+3.5`, or `none`."""
    return "none" if lead.leader is None else f"{lead.leader.letter}+{lead.of(lead.leader):.1f}"


def _ownership(owners: Floats) -> str:
    import numpy as np

    from tengen.go.drawing import text_grid

    steps = np.digitize(owners, [-0.6, -0.2, 0.2, 0.6])
    return text_grid(np.array(["o", "-", ".", "+", "#"])[steps])
