"""Analysis over GTP: Leela Zero's, KataGo's, Sabaki's and CGOS's commands, and GoGui's boards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tengen.engine import dialects
from tengen.engine.dialects import Request, parse_request
from tengen.engine.gtp_core import Gtp, command
from tengen.engine.session import CommandError
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.search.player import Limit, Question, Root, last_report

Form = Callable[[Position, Root, Request], str]


def _analysis(gtp: Gtp, words: list[str], form: Form) -> str:
    """Writes reports until a line comes in."""
    request = parse_request(words, gtp.session.position)
    game = gtp.session.seen_by(request.color)
    position = game.position()
    params = replace(gtp.params, root_noise=gtp.analysis_noise)
    question = params.for_analysis(request.question(stop=gtp.lines.waiting), request.color)
    gtp.stream("")
    for root in gtp.session.player.analyze(game, question):
        if root.candidates:
            gtp.stream(form(position, root, request))
    gtp.lines.wait()  # the answer ends when the next line comes, even if the search ended before
    return ""


def _generate(gtp: Gtp, words: list[str], form: Form) -> str:
    """Writes reports while a move is chosen, and then the move."""
    request = parse_request(words, gtp.session.position)
    position = gtp.session.seen_by(request.color).position()

    def report(root: Root) -> None:
        if root.candidates:
            gtp.stream(form(position, root, request))

    gtp.stream("")
    vertex, root = gtp.generate(request.color, request.question(), report)
    report(root)
    return f"play {vertex}\n"


@command("lz-analyze")
def _lz_analyze(gtp: Gtp, words: list[str]) -> str:
    return _analysis(gtp, words, dialects.leela)


@command("kata-analyze")
def _kata_analyze(gtp: Gtp, words: list[str]) -> str:
    return _analysis(gtp, words, dialects.katago)


@command("analyze")
def _analyze(gtp: Gtp, words: list[str]) -> str:
    return _analysis(gtp, words, dialects.sabaki)


@command("lz-genmove_analyze")
def _lz_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return _generate(gtp, words, dialects.leela)


@command("kata-genmove_analyze")
def _kata_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return _generate(gtp, words, dialects.katago)


@command("genmove_analyze")
def _genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    return _generate(gtp, words, dialects.sabaki)


@command("cgos-genmove_analyze")
def _cgos_genmove_analyze(gtp: Gtp, words: list[str]) -> str:
    color = gtp.color(words)
    position = gtp.session.seen_by(color).position()
    vertex, root = gtp.generate(color, Question(ownership=True), None)
    gtp.stream(dialects.cgos(position, root))
    return f"play {vertex}\n"


@command("kata-raw-nn")
def _raw_nn(gtp: Gtp, words: list[str]) -> str:
    """The net's own outputs in KataGo's layout: `kata-raw-nn SYMMETRY`, 0 to 7 or all."""
    symmetry = words[0] if words else "0"
    if symmetry != "all" and symmetry not in "01234567":
        raise CommandError("symmetry must be from 0 to 7, or all")
    position = gtp.session.position
    chosen = list(range(8)) if symmetry == "all" else [int(symmetry)]
    net = gtp.session.player.net
    net.card.require("policy", "kata-raw-nn shows the policy of a net")
    said = net.evaluate([position] * len(chosen), symmetries=chosen)
    return "\n".join(_raw_block(position, s, e) for s, e in zip(chosen, said, strict=True))


def _raw_block(position: Position, symmetry: int, said: Evaluation) -> str:
    """The outputs that the net has, in White's view except for the policy."""
    legal, chances = set(position.legal_moves), given(said.policy)
    policy = [f"{chances[p]:8.6f}" if p in legal else "     NAN" for p in range(position.size**2)]

    def grid(cells: list[str]) -> list[str]:
        return [" ".join(cells[y * position.size : (y + 1) * position.size]) for y in range(position.size)]

    lines = [f"symmetry {symmetry}"]
    if said.win is not None:
        win, no_result = said.win.of(Color.WHITE), 0.0
        if said.raw is not None:
            no_result = said.raw.no_result
            win = said.raw.win if position.to_move is Color.WHITE else said.raw.loss
        lines += [f"whiteWin {win:.6f}", f"whiteLoss {1 - win - no_result:.6f}", f"noResult {no_result:.6f}"]
    if said.lead is not None:
        lines.append(f"whiteLead {said.lead.of(Color.WHITE):.3f}")
    if said.margin is not None:
        lines.append(f"whiteScoreSelfplay {position.rules.komi - said.margin.mean:.3f}")
    lines += ["policy", *grid(policy), f"policyPass {chances[-1]:8.6f}"]
    if said.ownership is not None:
        lines += ["whiteOwnership", *grid([f"{-x:9.7f}" for x in said.ownership.ravel()])]
    return "\n".join(lines)


@command("gogui-analyze_commands")
def _gogui_analyze_commands(gtp: Gtp, words: list[str]) -> str:
    return "\n".join(
        [
            "dboard/Policy/tengen-policy",
            "dboard/Ownership/tengen-ownership",
            "gfx/Win rate by komi/tengen-win_by_komi",
            "gfx/Komi in use/tengen-komi",
            "string/Final score/final_score",
            "plist/Dead stones/final_status_list dead",
        ]
    )


def _dboard(values: npt.NDArray[np.float32]) -> str:
    return "\n" + "\n".join(" ".join(f"{x:.4f}" for x in row) for row in values)


@command("tengen-policy")
def _policy(gtp: Gtp, words: list[str]) -> str:
    """The prior of every move, as a board for GoGui."""
    size, net = gtp.session.game.size, gtp.session.player.net
    net.card.require("policy", "there is nothing to show")
    return _dboard(given(net.evaluate([gtp.session.position])[0].policy)[:-1].reshape(size, size))


@command("tengen-ownership")
def _ownership(gtp: Gtp, words: list[str]) -> str:
    """1 Black's to -1 White's, as a board for GoGui."""
    net = gtp.session.player.net
    net.card.require("ownership", "there is nothing to show")
    return _dboard(given(net.evaluate([gtp.session.position])[0].ownership))


@command("tengen-win_by_komi")
def _win_by_komi(gtp: Gtp, words: list[str]) -> str:
    """Black's chance at each komi, written under GoGui's board."""
    root = last_report(gtp.session.player, gtp.session.game, Question(Limit(visits=1)))
    if root.komi_labels is None or root.win_by_komi is None:
        raise CommandError(f"{gtp.session.player.name} has no win rates")
    shares = [f"{k:g}: {w:.0%}" for k, w in zip(root.komi_labels, root.win_by_komi, strict=True)]
    return "TEXT Black wins at komi " + ", ".join(shares)


@command("tengen-komi")
def _komi_in_use(gtp: Gtp, words: list[str]) -> str:
    """The game's komi, and the one that the last move was searched for, written under GoGui's board."""
    text = f"TEXT komi {gtp.session.rules.komi:g}"
    if (searched := gtp.session.searched) is None:
        return f"{text}; no move has been searched yet"
    text += f"; the last move was searched for komi {searched.komi:.2f}"
    if searched.win_rate is None:
        return text
    return f"{text}, where Black wins {searched.win_rate.of(Color.BLACK):.0%}"
