"""`tengen nets` and `tengen eval` on a small net of random weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from nets.head_net import ENCODING, head_graph
from nets.net_writer import make_net, packed
from rich.console import Console

from tengen.cli import nets as nets_commands
from tengen.cli.main import main
from tengen.nets import library, precision
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.convert import convert
from tengen.nets.integers import CHECK_GAMES
from tengen.nets.known import KNOWN

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tengen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command: exit code, what it printed, what it complained about."""

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["tengen", *map(str, words)])
        with pytest.raises(SystemExit) as leave:
            main()
        out, err = capsys.readouterr()
        return int(leave.value.code or 0), out, err

    return run


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("TENGEN_CACHE", str(folder))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(library, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(precision, "_SECONDS", 0.01)
    for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a pull leaves it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "source.bin.gz").write_bytes(
        packed(make_net(8, ("ordinary", "gpool"), channels=16, eights=True))
    )
    precisions = ("fp32", "int16", "int8")
    card = convert(folder / "source.bin.gz", folder, "small", precisions)
    (folder / "card.json").write_text(card.to_json())
    return folder


@pytest.fixture
def small(made: Path, cache: Path) -> str:
    (cache / "nets").mkdir(parents=True)
    (cache / "nets" / "small").symlink_to(made, target_is_directory=True)
    return "small"


@pytest.mark.parametrize("command", ["list", "show", "pull", "convert", "check", "komi", "bench"])
def test_every_command_explains_itself_with_an_example(command: str, tengen: Command) -> None:
    code, out, _ = tengen("nets", command, "--help")
    assert code == 0
    assert f"tengen nets {command}" in " ".join(out.split())
    assert "Example:" in out


def test_list_names_what_is_at_hand_and_what_can_be_pulled(small: str, tengen: Command) -> None:
    code, out, _ = tengen("nets", "list", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert code == 0
    assert rows[small]["status"] == "pulled"
    assert rows[small]["precisions"] == "fp32, int16, int8"
    assert {name for name, row in rows.items() if row["status"] == "known"} == set(KNOWN)
    assert small in tengen("nets", "list")[1]


def test_show_says_what_is_the_default_here_and_why(small: str, tengen: Command) -> None:
    code, out, _ = tengen("nets", "show", small, "--json")
    card = json.loads(out)
    assert code == 0
    assert card["here"]["default"] in ("fp32", "int16", "int8")
    assert card["here"]["reason"]
    assert card["measured"]["int8 against fp32"]["games"] == CHECK_GAMES.name
    table = tengen("nets", "show", small)[1]
    assert "default here" in table
    assert card["here"]["default"] in table


def test_long_names_of_figures_leave_room_for_the_figures(
    small: str, tengen: Command, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = cache / "nets" / "copy"
    shutil.copytree(cache / "nets" / small, copy)
    card = json.loads((copy / "card.json").read_text())
    card["measured"] = {"how often the first move is that of a very long list of games, no bagging": 0.4321}
    (copy / "card.json").write_text(json.dumps(card))
    monkeypatch.setattr(nets_commands, "_console", Console(width=80))
    table = tengen("nets", "show", "copy")[1]
    assert "katago7" in table
    assert "0.4321" in table


def test_pull_without_a_network(tengen: Command, cache: Path) -> None:
    code, out, err = tengen("nets", "pull", "b15c192")
    assert code == 2
    assert "Is there a network?" in " ".join(err.split())
    assert "Traceback" not in err + out
    assert not [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", ["fp32", "int8"])
def test_convert_writes_a_net_with_its_card(kind: str, made: Path, tmp_path: Path, tengen: Command) -> None:
    target = tmp_path / "my.onnx"
    code, out, err = tengen("nets", "convert", made / "source.bin.gz", "-o", target, "--precision", kind)
    assert code == 0, err
    assert "written" in out
    assert ("same_first_move" in out) is (kind == "int8")
    assert sorted(path.name for path in tmp_path.glob("*.*")) == ["my.json", "my.onnx"]
    assert tengen("nets", "show", target, "--json")[0] == 0


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda data: data[:-40], "cut off"),
        (lambda data: data + b"more", "4 bytes follow"),
        (lambda _: b"net\n99\n22\n19\n", "version 99 is not supported"),
        (lambda _: b"", "ends here"),
        (lambda _: b"\x1f\x8b" + bytes(100), "gzip"),
    ],
)
def test_convert_refuses_bad_files_by_name(
    spoil: Callable[[bytes], bytes], words: str, made: Path, tmp_path: Path, tengen: Command
) -> None:
    bad = tmp_path / "bad.bin.gz"
    bad.write_bytes(spoil((made / "source.bin.gz").read_bytes()))
    code, out, err = tengen("nets", "convert", bad, "-o", tmp_path / "bad.onnx")
    said = " ".join(err.split())
    assert code == 2
    assert "bad.bin.gz" in said.replace(" ", "") and words in said
    assert "Traceback" not in err + out
    assert [path.name for path in tmp_path.glob("*.*")] == ["bad.bin.gz"]


def test_check_compares_and_writes_on_the_card(
    made: Path, small: str, cache: Path, examples: Path, tengen: Command
) -> None:
    folder = cache / "nets" / small
    folder.unlink()
    folder.mkdir()
    for path in made.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    words = ("nets", "check", small, examples / "9x9.sgf", "--size", "9", "--positions", "12")
    code, out, _ = tengen(*words, "--json", "--write")
    figures = json.loads(out)
    assert code == 0
    assert figures["positions"] == 12
    card = json.loads((folder / "card.json").read_text())
    assert card["measured"]["int8 against fp32"]["games"] == "9x9.sgf"
    assert card["measured"]["int8 against fp32"]["positions"] == 12
    assert "near enough" in tengen(*words)[1]
    code, out, _ = tengen(*words, "--precision", "int16", "--json", "--write")
    assert code == 0
    assert json.loads(out)["win_rate_mean_difference"] < 0.005
    card = json.loads((folder / "card.json").read_text())
    assert card["measured"]["int16 against fp32"]["games"] == "9x9.sgf"


def test_komi_counts_rises(small: str, examples: Path, tengen: Command) -> None:
    game = examples / "9x9.sgf"
    words = ("nets", "komi", small, game, "--size", "9", "--positions", "3", "--komi", "-4", "4")
    code, out, _ = tengen(*words, "--json")
    figures = json.loads(out)
    assert code == 0
    assert (figures["positions"], figures["komi_labels"]) == (3, 9)
    assert 0 <= figures["curves_that_rise"] <= 1
    assert tengen(*words, "--step", "0.1")[0] == 2


def test_bench_measures_and_says_what_python_costs(small: str, tengen: Command) -> None:
    words = ("nets", "bench", small, "--threads", "1", "--batch", "2", "--size", "9", "--seconds", "0.05")
    code, out, _ = tengen(*words, "--json")
    found = json.loads(out)
    assert code == 0
    assert [row["precision"] for row in found["rates"]] == ["fp32", "int16", "int8"]
    assert all(row["positions_a_second"] > 0 and 0 <= row["outside"] <= 1 for row in found["rates"])
    assert found["roof_gflops"]["1"] > 0


def test_eval_prints_and_draws(small: str, examples: Path, tmp_path: Path, tengen: Command) -> None:
    picture = tmp_path / "position.png"
    code, out, _ = tengen("eval", examples / "9x9.sgf", "--move", "20", "--net", small, "--plot", picture)
    assert code == 0
    assert "Black wins" in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(tengen("eval", examples / "9x9.sgf", "--net", small, "--json")[1])
    curve = found["black_win_rate_by_komi"]
    assert len(curve) == len(found["komi"]) == 41
    assert curve == sorted(curve, reverse=True)


def test_eval_says_that_a_net_is_small(examples: Path, cache: Path, tengen: Command) -> None:
    shipped = Path(library.__file__).parents[1] / "models" / "tengen"
    out = tengen("eval", examples / "9x9.sgf", "--net", shipped)[1]
    assert "tengen: Black" in out
    assert "The net tengen is a small one. For a stronger one: `tengen nets pull b15c192`" in out
    found = tengen("eval", examples / "9x9.sgf", "--net", shipped, "--json")[1]
    assert json.loads(found)["net"] == "tengen" and "stronger" not in found


@pytest.mark.parametrize("name", ["picture.xyz", "none/\0.png"])
def test_a_picture_that_cannot_be_written(
    name: str, small: str, examples: Path, tmp_path: Path, tengen: Command
) -> None:
    code, out, err = tengen("eval", examples / "9x9.sgf", "--net", small, "--plot", f"{tmp_path}/{name}")
    assert code == 2
    assert "Traceback" not in err + out
    assert not list(tmp_path.glob("picture*"))


def test_a_net_that_does_not_fit_the_board_says_so_before_play(
    made: Path, tmp_path: Path, examples: Path, tengen: Command
) -> None:
    card = json.loads((made / "card.json").read_text())
    (tmp_path / "only19.json").write_text(json.dumps({**card, "board_sizes": [19]}))
    for name in ("fp32.onnx", "int8.onnx", "source.bin.gz"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    (tmp_path / "only19.onnx").write_bytes((made / "fp32.onnx").read_bytes())
    code, _, err = tengen("eval", examples / "9x9.sgf", "--net", tmp_path / "only19.onnx")
    assert code == 2
    assert "9x9" in err
    player = f"policy:net={tmp_path / 'only19.onnx'}"
    code, _, err = tengen("match", player, player, "--size", "9", "--games", "1", "-o", tmp_path / "match")
    assert code == 2
    assert "9x9" in err
    assert not (tmp_path / "match").exists()


# A file or a pair wherever a net is named


@pytest.mark.parametrize("name", ["file.bin.gz", "file.txt.gz"])
def test_katago_files_are_nets_like_any_other(
    name: str, tmp_path: Path, examples: Path, tengen: Command
) -> None:
    net, game = tmp_path / name, examples / "9x9.sgf"
    net.write_bytes(packed(make_net(8, ("ordinary",), channels=16, eights=True), text="txt" in name))
    facts = json.loads(tengen("nets", "show", net, "--json")[1])
    assert list(facts["files"]) == ["fp32", "int16"]
    assert facts["here"]["default"] == "fp32"
    words = ("--threads", "1", "--batch", "2", "--size", "9", "--seconds", "0.05", "--json")
    rows = json.loads(tengen("nets", "bench", net, *words)[1])["rates"]
    assert [row["precision"] for row in rows] == ["fp32", "int16"]
    assert all(row["share_of_roof"] > 0 for row in rows)
    few = ("--size", "9", "--positions", "2", "--json")
    assert json.loads(tengen("nets", "komi", net, game, *few)[1])["positions"] == 2
    assert json.loads(tengen("nets", "check", net, game, "--precision", "int16", *few)[1])["positions"] == 2
    for exact in ("fp32", "int16"):
        found = json.loads(tengen("eval", game, "--net", net, "--precision", exact, "--json")[1])
        assert found["net"] == "random-net"
    code, _, err = tengen("eval", game, "--net", net, "--precision", "int8")
    assert code == 2
    assert "--precision int8` makes int8" in err
    assert tengen("predict", game, "--net", net, "--json")[0] == 0
    assert tengen("review", game, "--net", net, "--visits", "2", "--out", tmp_path / "review")[0] == 0
    players = (f"policy:net={net}", f"puct:net={net}+{net},precision=int16,visits=2")
    assert tengen("match", *players, "--size", "5", "--games", "1", "-o", tmp_path / "match")[0] == 0
    code, _, err = tengen("strength", examples / "19x19.sgf", "--net", net)
    assert code == 2
    assert "no strength model reads the features of the net random-net" in err


@pytest.fixture
def moves_only(tmp_path: Path) -> Path:
    """A net that only predicts moves."""
    folder = tmp_path / "res13"
    folder.mkdir()
    (folder / "fp32.onnx").write_bytes(head_graph({"policy": 1}))
    file = NetFile("fp32.onnx", library.sha256_of(folder / "fp32.onnx"))
    card = ModelCard("res13", "policy", ENCODING, (5, 9, 19), heads=("policy",), files={"fp32": file})
    (folder / "card.json").write_text(card.to_json())
    return folder


def test_eval_of_a_net_that_only_predicts_moves(
    moves_only: Path, small: str, examples: Path, tmp_path: Path, tengen: Command
) -> None:
    game, picture = examples / "9x9.sgf", tmp_path / "position.png"
    code, out, _ = tengen("eval", game, "--net", moves_only, "--plot", picture)
    assert code == 0
    assert "This net has no win rate, lead or ownership." in out
    assert "moves " in out
    assert "komi" not in out and "ownership:" not in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    found = json.loads(tengen("eval", game, "--net", moves_only, "--json")[1])
    assert len(found["moves"]) == 10
    for field in (
        "black_win_rate",
        "black_lead",
        "black_margin",
        "black_ownership",
        "black_win_rate_by_komi",
    ):
        assert found[field] is None
    both = json.loads(tengen("eval", game, "--net", f"{moves_only}+{small}", "--json")[1])
    judged = json.loads(tengen("eval", game, "--net", small, "--json")[1])
    assert both["net"] == "res13+small"
    assert both["moves"] == found["moves"]
    assert both["black_win_rate_by_komi"] == judged["black_win_rate_by_komi"]


def test_what_needs_a_judgement_refuses_a_net_without(
    moves_only: Path, examples: Path, tmp_path: Path, tengen: Command
) -> None:
    player = f"puct:net={moves_only},visits=2"
    for words in (
        ("match", player, player, "--size", "5", "--games", "1", "-o", tmp_path / "match"),
        ("review", examples / "9x9.sgf", "--net", moves_only, "--visits", "1", "--out", tmp_path / "review"),
    ):
        code, _, err = tengen(*words)
        assert code == 2
        assert "net res13 has no win rates (win_by_komi)" in err


def test_a_pair_is_shown_and_timed(moves_only: Path, small: str, tengen: Command) -> None:
    pair = f"{moves_only}+{small}"
    facts = json.loads(tengen("nets", "show", pair, "--json")[1])
    assert facts["name"] == "res13+small"
    assert facts["heads"] == ["policy", "win_by_komi", "margin", "ownership", "trunk"]
    assert tengen("nets", "show", pair)[0] == 0
    words = ("--threads", "1", "--batch", "2", "--size", "9", "--seconds", "0.05", "--json")
    rows = json.loads(tengen("nets", "bench", pair, *words)[1])["rates"]
    assert [row["precision"] for row in rows] == ["fp32"]
