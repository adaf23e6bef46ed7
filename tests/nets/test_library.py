"""Finding nets by name and by file, pulling them, and what is said when that fails."""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from nets.net_writer import make_net, packed

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets import library
from tengen.nets import pull as pulling
from tengen.nets.convert import convert
from tengen.nets.known import KNOWN, KnownNet
from tengen.nets.library import (
    cards,
    find_card,
    open_net,
    precisions_of,
    pulled_source,
    source_of,
    write_fidelity,
)
from tengen.nets.pull import pull
from tengen.progress import Progress, Report
from tengen.progress import silent as quiet


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own, nothing shipped, and an index that is not there."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TENGEN_CACHE", str(folder))
    monkeypatch.setattr(library, "SHIPPED", tmp_path / "shipped")
    for name in ("PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "1")
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "small.bin.gz"
    path.write_bytes(packed(make_net(14, ("gpool",))))
    return path


@pytest.fixture
def converted(tmp_path: Path, source: Path) -> Path:
    folder = tmp_path / "converted"
    folder.mkdir()
    card = convert(source, folder, "small", ("fp32",), stem="small")
    (folder / "small.json").write_text(card.to_json(), encoding="utf-8")
    return folder / "small.onnx"


# Names


def test_an_unknown_name_gets_the_known_ones() -> None:
    with pytest.raises(InputError, match="unknown net 'b99'") as caught:
        open_net("b99")
    assert all(name in str(caught.value) for name in KNOWN)


def test_a_known_net_that_was_not_pulled_says_how() -> None:
    with pytest.raises(InputError, match="`tengen nets pull b15c192`"):
        open_net("b15c192")


def test_without_any_net_at_hand_it_says_how_to_bring_one() -> None:
    with pytest.raises(InputError, match="tengen nets pull"):
        open_net()


@pytest.mark.parametrize("name", ["none.onnx", "none.bin.gz", "none.txt.gz"])
def test_a_file_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=name):
        open_net(str(tmp_path / name))


def test_an_onnx_file_without_its_card(converted: Path) -> None:
    converted.with_suffix(".json").unlink()
    with pytest.raises(InputError, match=r"small\.json"):
        open_net(str(converted))


# Files


def test_a_converted_net_evaluates_as_its_source(converted: Path, source: Path) -> None:
    assert sorted(path.name for path in converted.parent.iterdir()) == ["small.json", "small.onnx"]
    card, folder = find_card(str(converted))
    assert (card.name, card.source, folder) == ("small", "random-net", converted.parent)
    assert card.source_sha256 == hashlib.sha256(source.read_bytes()).hexdigest()
    position = Position(9).play("C3")
    ours, plain = (open_net(str(path), threads=1).evaluate([position])[0] for path in (converted, source))
    assert np.array_equal(ours.policy, plain.policy)
    assert ours.win == plain.win


def test_a_file_other_than_its_card_says_is_refused(converted: Path) -> None:
    data = bytearray(converted.read_bytes())
    data[len(data) // 2] ^= 1
    converted.write_bytes(data)
    with pytest.raises(InputError, match=r"small\.onnx: not the file its card describes"):
        open_net(str(converted))


def test_a_card_for_another_kind_of_net_is_refused(converted: Path) -> None:
    path = converted.with_suffix(".json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "architecture": "leela"}))
    with pytest.raises(InputError, match="leela"):
        open_net(str(converted))


def test_a_precision_that_was_not_made_is_refused(converted: Path, source: Path) -> None:
    for path in (converted, source):
        with pytest.raises(InputError, match="int8"):
            open_net(str(path), precision="int8")


def test_a_broken_source_leaves_nothing(tmp_path: Path, source: Path) -> None:
    source.write_bytes(source.read_bytes()[:-100])
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(InputError, match=r"small\.bin\.gz"):
        convert(source, folder, "small", ("fp32",))
    assert list(folder.iterdir()) == []


def test_int16_is_the_file_itself_and_nets_that_cannot_run_in_it_do_without(tmp_path: Path) -> None:
    for name, eights in (("runs", True), ("does-not", False)):
        folder = tmp_path / name
        folder.mkdir()
        source = folder / "source.bin.gz"
        source.write_bytes(packed(make_net(8, ("ordinary",), channels=16, eights=eights)))
        card = convert(source, folder, name, ("fp32", "int16"))
        (folder / "card.json").write_text(card.to_json(), encoding="utf-8")
        assert ("int16" in card.files) is eights
    assert card.precision == "fp32"
    exact, near = open_net(str(tmp_path / "runs"), "fp32"), open_net(str(tmp_path / "runs"), "int16")
    positions = [Position(9), Position(19)]
    for one, other in zip(exact.evaluate(positions), near.evaluate(positions), strict=True):
        np.testing.assert_allclose(one.policy, other.policy, atol=0.01)
    straight = open_net(str(tmp_path / "runs" / "source.bin.gz"), "int16")
    assert (straight.evaluate(positions)[1].policy == near.evaluate(positions)[1].policy).all()
    with pytest.raises(InputError, match="does-not has no int16, only fp32"):
        open_net(str(tmp_path / "does-not"), "int16")
    with pytest.raises(InputError, match="only fp32 and int16 are made on the fly"):
        open_net(str(tmp_path / "runs" / "source.bin.gz"), "int8")
    (tmp_path / "runs" / "source.bin.gz").write_bytes(b"another")
    with pytest.raises(InputError, match="not the file its card describes"):
        open_net(str(tmp_path / "runs"), "int16")


# One opener


def test_a_net_in_use_is_not_opened_again(converted: Path, source: Path) -> None:
    for path in (converted, source):
        net = open_net(str(path), "fp32", 1)
        assert open_net(str(path), "fp32", 1) is net
        assert open_net(str(path), "fp32", 2) is not net
    assert open_net("fake") is open_net("fake")


def test_a_file_that_was_replaced_is_opened_anew(source: Path) -> None:
    net = open_net(str(source), threads=1)
    source.write_bytes(packed(make_net(8, ("ordinary",), seed=99)))
    other = open_net(str(source), threads=1)
    assert other is not net
    assert other.card.identity != net.card.identity


def test_a_katago_file_has_a_card_with_what_runs_from_it(tmp_path: Path) -> None:
    for name, eights in (("runs.bin.gz", True), ("does-not.txt.gz", False)):
        path = tmp_path / name
        path.write_bytes(packed(make_net(8, ("ordinary",), channels=16, eights=eights), text="txt" in name))
        card, folder = find_card(str(path))
        assert folder == tmp_path
        assert list(card.files) == (["fp32", "int16"] if eights else ["fp32"])
        assert card.identity == card.files["fp32"].sha256
        assert precisions_of(str(path)) == list(card.files)
        assert source_of(str(path)) == path
        assert open_net(str(path), threads=1).card == card
    with pytest.raises(InputError, match="int16 is for nets of ordinary, pooling and nested blocks"):
        open_net(str(path), "int16")
    with pytest.raises(InputError, match=r"nets convert .* --precision int8` makes int8"):
        open_net(str(path), "int8")
    with pytest.raises(InputError, match="no card to write to"):
        write_fidelity(str(path), "int16", {}, True)


def test_a_file_may_have_a_plus_in_its_name(tmp_path: Path, source: Path) -> None:
    odd = tmp_path / "a+b.bin.gz"
    odd.write_bytes(source.read_bytes())
    assert open_net(str(odd), threads=1).card.identity == open_net(str(source), threads=1).card.identity
    pair = open_net(f"{source}+{source}", threads=1)
    assert pair.card.architecture == "pair"


# Pulling


def test_pulling_without_a_network_says_so_and_leaves_no_net(cache: Path) -> None:
    with pytest.raises(InputError, match=r"katrain 1\.0\.6.*could not be downloaded.*network"):
        pull("b15c192", quiet)
    assert cards() == {}
    assert pulled_source("b15c192") is None
    assert not list(cache.rglob("*.onnx"))
    with pytest.raises(InputError, match="not on this machine"):
        open_net("b15c192")


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Puts a script in pip's place."""

    def put(body: str, version: str) -> None:
        script = tmp_path / "python"
        script.write_text(f"#!{sys.executable}\nimport pathlib, sys, time\nwords = sys.argv[1:]\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setattr(pulling.sys, "executable", str(script))
        monkeypatch.setattr(pulling, "version", lambda _package: version)

    return put


def download(tmp_path: Path, progress: Report = quiet) -> Path:
    folder = tmp_path / "partial"
    folder.mkdir(exist_ok=True)
    return pulling._download(KNOWN["b15c192"], folder, progress)


WHEEL = """
folder = pathlib.Path(words[words.index("--dest") + 1])
folder.mkdir(parents=True)
(folder / "katrain-1.0.6-py3-none-any.whl").write_text(" ".join(words))
"""


@pytest.mark.parametrize(
    ("version", "raw"), [("23.2.1", False), ("24.0", False), ("24.1", True), ("26.1", True)]
)
def test_pip_gets_only_the_words_it_knows(
    version: str, raw: bool, pip: Callable[[str, str], None], tmp_path: Path
) -> None:
    pip(WHEEL, version)
    words = download(tmp_path).read_text()
    assert words.startswith(
        "-m pip download --no-deps --only-binary :all: --ignore-requires-python --no-input"
    )
    assert "katrain==1.0.6" in words
    assert ("--progress-bar raw" in words) is raw


def test_pip_may_say_as_much_as_it_likes(pip: Callable[[str, str], None], tmp_path: Path) -> None:
    pip('sys.stderr.write("a warning\\n" * 100_000)\nprint("Progress 5 of 10")' + WHEEL, "24.1")
    shares: list[float | None] = []
    assert download(tmp_path, lambda p: shares.append(p.share)).suffix == ".whl"
    assert shares == [0.5]


def test_the_error_of_pip_is_passed_on_and_nothing_is_left(
    pip: Callable[[str, str], None], tmp_path: Path
) -> None:
    pip(WHEEL + 'print("ERROR: no such version", file=sys.stderr)\nprint("bye")\nsys.exit(1)', "24.1")
    with pytest.raises(InputError, match="ERROR: no such version"):
        download(tmp_path)
    assert list((tmp_path / "partial").iterdir()) == []


def test_ctrl_c_ends_pip_too(pip: Callable[[str, str], None], tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    pip(f'print("Progress 1 of 2", flush=True)\ntime.sleep(3)\npathlib.Path({str(mark)!r}).touch()', "24.1")

    def interrupted(_progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(tmp_path, interrupted)
    assert not mark.exists()


def test_pulling_an_unknown_net() -> None:
    with pytest.raises(InputError, match=r"unknown net '\.\./b15'"):
        pull("../b15", quiet)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, source: Path) -> Callable[..., None]:
    """A wheel in place of the one pip would bring, with what it holds."""

    def offer(data: bytes = source.read_bytes(), path: str = "katrain/models/small.bin.gz") -> None:
        known = KnownNet("small", "1.0", hashlib.sha256(source.read_bytes()).hexdigest(), "a test's net")
        monkeypatch.setitem(KNOWN, "small", known)

        def download(_known: KnownNet, folder: Path, _progress: Report) -> Path:
            wheel = folder / "katrain-1.0-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr(path, data)
            return wheel

        monkeypatch.setattr(pulling, "_download", download)

    return offer


def test_a_pulled_net_is_at_hand(offered: Callable[..., None], cache: Path) -> None:
    offered()
    folder = pull("small", quiet)
    assert cards() == {"small": ("pulled", folder)}
    assert pulled_source("small") is not None
    assert open_net("small", threads=1).evaluate([Position(9)])[0].size == 9
    assert open_net(threads=1).card.name == "small"
    assert [path.name for path in (cache / "nets").iterdir()] == ["small"]
    assert pull("small", quiet) == folder


def test_a_wheel_with_another_net_in_it_is_refused(offered: Callable[..., None], cache: Path) -> None:
    offered(packed(make_net(8)))
    with pytest.raises(InputError, match="sha256"):
        pull("small", quiet)
    assert cards() == {}
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_wheel_without_the_net_is_refused(offered: Callable[..., None]) -> None:
    offered(path="katrain/models/large.bin.gz")
    with pytest.raises(InputError, match="does not hold the net small"):
        pull("small", quiet)
    assert cards() == {}


def test_a_pull_that_was_cut_off_is_no_net_and_goes_on(
    offered: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    offered()

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(pulling, "convert", cut)
        pull("small", quiet)
    assert cards() == {}
    monkeypatch.setattr(pulling, "_download", cut)  # the file is there: nothing is to be downloaded again
    assert pull("small", quiet).name == "small"
    assert list(cards()) == ["small"]


def test_a_folder_half_done_is_not_listed(offered: Callable[..., None], cache: Path) -> None:
    offered()
    folder = pull("small", quiet)
    folder.rename(cache / "nets" / ".small.partial")  # as if it had been cut off just before its last step
    assert cards() == {}
    assert pull("small", quiet) == folder
    assert list(cards()) == ["small"]
