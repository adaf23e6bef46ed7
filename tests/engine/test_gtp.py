"""GTP: transcripts replayed byte for byte, and what no transcript can show."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tengen import Color, Game
from tengen.engine.gtp import COMMANDS, Gtp, Lines
from tengen.engine.lines import read_lines
from tengen.engine.session import Session
from tengen.go.rules import Rules
from tengen.nets.fake import FakeEvaluator
from tengen.search.registry import make_player

GOLDEN = Path(__file__).parents[1] / "golden" / "gtp"

Converse = Callable[[Iterable[str]], str]


@pytest.mark.parametrize("name", sorted(path.stem for path in GOLDEN.glob("*.txt")))
def test_transcripts(name: str, converse: Converse) -> None:
    """tests/golden/gtp: commands after `> `, then their answers. TENGEN_GOLDEN=write writes them anew."""
    path = GOLDEN / f"{name}.txt"
    expected = path.read_text()
    commands = [line[2:] for line in expected.splitlines() if line.startswith("> ")]
    answers = converse(commands)
    if os.environ.get("TENGEN_GOLDEN") == "write":
        path.write_text(answers)
    assert answers == expected


def answer(converse: Converse, *commands: str) -> str:
    """The answer to the last command."""
    return converse(commands).rsplit("> ", 1)[1].split("\n", 1)[1].strip()


def test_no_answer_is_an_internal_error() -> None:
    for path in GOLDEN.glob("*.txt"):
        assert "internal error" not in path.read_text(), path


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.text(max_size=30),
            st.builds(
                lambda c, words: " ".join([c, *words]),
                st.sampled_from(sorted(set(COMMANDS) - {"loadsgf", "quit"})),
                st.lists(
                    st.sampled_from(
                        ["b", "w", "D4", "pass", "0", "-1", "9", "1e99", "nan", "interval", "true", "{", "1"]
                    ),
                    max_size=4,
                ),
            ),
        ),
        max_size=8,
    )
)
def test_whatever_comes_in_an_answer_goes_out(session: Session, lines: list[str]) -> None:
    for line in ["boardsize 5", *lines]:
        out = io.StringIO()
        gtp = Gtp(session, Lines([]), out)
        gtp.answer(line)
        text = out.getvalue()
        assert "internal error" not in text
        words = re.sub(r"[\x00-\x08\x0a-\x1f\x7f]", "", line).split("#")[0].split()
        assert not words or re.fullmatch(r"[=?]\d*( .*)?\n(.+\n)*\n", text, re.DOTALL), (line, text)


def test_ownership_of_one_board_is_not_mixed_with_that_of_another(converse: Converse) -> None:
    commands = ["boardsize 9", "cgos-genmove_analyze b", "boardsize 5", "final_score"]
    assert answer(converse, *commands).startswith("= ")


def test_handicap_sent_as_moves_counts_as_handicap(converse: Converse, session: Session) -> None:
    converse(["boardsize 9", "komi 0.5", "play b C3", "play b G7", "play b G3", "play w E5"])
    assert session.position.handicap_bonus == 3


def test_a_move_out_of_turn_is_chosen_for_the_colour_asked(converse: Converse, session: Session) -> None:
    converse(["boardsize 9", "play b E5", "genmove b"])
    assert [move.color for move in session.game.moves] == [Color.BLACK, Color.BLACK]


def test_analysis_is_from_the_side_that_was_asked_for(converse: Converse) -> None:
    text = converse(["boardsize 5", "play b C3", "kata-analyze b interval 0"])
    assert re.search(r"winrate 0\.\d{6} ", text)


def test_sabaki_reads_every_report(converse: Converse) -> None:
    """Sabaki's rules: `info` parts them, the variation ends each, fractions are known by their point."""
    text = converse(["boardsize 9", "play b E5", "analyze W 0", "genmove_analyze W 0"])
    reports = [line for line in text.splitlines() if line.startswith("info")]
    assert reports
    for line in reports:
        for part in re.split(r"\s*info\s+", line)[1:]:
            pv = re.search(r"(pass|[A-Za-z]\d+)(\s+(pass|[A-Za-z]\d+))*$", part.strip())
            assert pv
            tokens = part.strip()[: pv.start()].split()[:-1]
            values = dict(zip(tokens[::2], tokens[1::2], strict=True))
            assert re.fullmatch(r"(pass|[A-Z]\d+)", values["move"])
            assert "." in values["winrate"] and 0 <= float(values["winrate"]) <= 1
            assert "." in values["scoreLead"]
            assert values["visits"].isdigit()


def test_a_record_goes_out_and_comes_back(converse: Converse, session: Session, tmp_path: Path) -> None:
    text = converse(["boardsize 9", "komi 5.5", "play b E5", "play w C3", "play b pass", "printsgf"])
    path = tmp_path / "a game.sgf"
    path.write_text(text.split("> printsgf\n= ", 1)[1])
    converse(["clear_board", f"loadsgf {path}"])
    assert session.rules.komi == 5.5
    assert [session.position.vertex(m.point) for m in session.game.moves] == ["E5", "C3", "pass"]
    converse([f"loadsgf {path} 2"])
    assert len(session.game.moves) == 1
    assert Game.from_sgf(path).size == 9


def test_a_damaged_record_is_refused_and_the_game_stays(
    converse: Converse, session: Session, tmp_path: Path
) -> None:
    path = tmp_path / "cut.sgf"
    path.write_text("(;SZ[9];B[aa];W[")
    text = converse(["boardsize 9", "play b E5", f"loadsgf {path}"])
    assert text.splitlines()[-2].startswith("? ")
    assert len(session.game.moves) == 1


def test_an_analysis_ends_when_a_line_comes_in_and_not_before(session: Session) -> None:
    read, write = os.pipe()
    out = io.StringIO()
    gtp = Gtp(session, Lines(os.fdopen(read, "rb")), out)
    thread = threading.Thread(target=gtp.run, daemon=True)
    thread.start()
    with os.fdopen(write, "wb", buffering=0) as commands:
        commands.write(b"boardsize 5\nlz-analyze 1\n")
        thread.join(0.7)
        reports = out.getvalue().count("info move C")
        assert thread.is_alive() and reports > 1
        commands.write(b"name\nquit\n")
        thread.join(10)
    assert not thread.is_alive()
    assert out.getvalue().endswith("\n\n= Tengen\n\n=\n\n")


def test_the_process_speaks_gtp_and_starts_in_time() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tengen", "gtp", "--net", "fake", "--visits", "10"],
        input=b"name\nboardsize 9\n\xff\xfe\ngenmove b\nquit\n",
        capture_output=True,
        timeout=60,
        check=True,
    )
    answers = done.stdout.decode().split("\n\n")
    assert answers[0] == "= Tengen"
    assert answers[2] == "? unknown command"
    assert re.fullmatch(r"= ([A-J]\d|pass)", answers[3])


def test_quit_ends_the_process_while_the_client_keeps_the_pipe_open() -> None:
    command = [sys.executable, "-m", "tengen", "gtp", "--net", "tengen", "--visits", "10"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as engine:
        assert engine.stdin and engine.stdout and engine.stderr
        engine.stdin.write(b"name\nquit\n")
        engine.stdin.flush()
        assert engine.wait(60) == 0
        assert engine.stdout.read() == b"= Tengen\n\n=\n\n"
        assert engine.stderr.read() == b""


def test_lines_are_cut_at_their_ends_and_at_the_longest() -> None:
    read, write = os.pipe()
    with os.fdopen(write, "wb") as end:
        end.write(b"name\n\nlist_commands\r\nquit" + 5 * b"x")
    assert list(read_lines(read, 13)) == [b"name", b"", b"list_commands", b"\r", b"quitxxxxx"]
    os.close(read)


def test_a_board_that_the_net_has_not_learnt_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    net = FakeEvaluator()
    net.card = replace(net.card, trained_sizes=(19,))
    session = Session(make_player("policy", net), Rules.named("chinese"))
    out = io.StringIO()
    Gtp(session, Lines(["clear_board"]), out).run()
    assert capsys.readouterr().err == ""
    Gtp(session, Lines(["boardsize 9", "boardsize 13", "clear_board"]), out).run()
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "on 19x19 only: do not rely on it on 9x9. For a stronger one" in told
    assert "19x19" not in out.getvalue()
