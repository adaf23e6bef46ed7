"""Network files: both forms give the same net; whatever is wrong with one ends in a NetFileError that names it."""

from __future__ import annotations

import dataclasses
import gzip
import re
import tracemalloc
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nets.net_writer import BLOCKS, MULTIPLIERS, TIPS, Net, make_net, net_bytes, packed

from tengen.nets.katago_file import VERSIONS, NetFileError, parse_net, read_net
from tengen.nets.katago_layers import KataGoNet, Multipliers

SOURCE = "some/net.bin.gz"
bounded = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def every_kind() -> Net:
    return make_net(17, BLOCKS, tip="rms spatial", policy_channels=4)


@cache
def whole(text: bool = False, version: int = 17) -> bytes:
    return net_bytes(every_kind() if version == 17 else make_net(version), text=text)


def same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and np.array_equal(one, other)
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(same, one, other))
    if dataclasses.is_dataclass(one):
        names = [f.name for f in dataclasses.fields(one) if f.name != "sha256"]
        return type(one) is type(other) and all(same(getattr(one, n), getattr(other, n)) for n in names)
    return one == other


def refused(data: bytes) -> str:
    """The complaint about a file that must not be read."""
    with pytest.raises(NetFileError) as caught:
        parse_net(data, SOURCE)
    assert str(caught.value).startswith(f"{SOURCE}: ")
    return str(caught.value)


def read_or_refused(data: bytes) -> KataGoNet | None:
    """Damage that cannot be seen (a weight is another weight) gives a net; the rest the one error."""
    try:
        return parse_net(data, SOURCE)
    except NetFileError as error:
        assert str(error).startswith(f"{SOURCE}: ")
        return None


# What a file says


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tip", TIPS)
def test_binary_and_text_are_the_same_net(version: int, tip: str) -> None:
    if tip != "bn" and version < 15:
        tip = "bn"
    net = make_net(version, BLOCKS, tip=tip)
    binary, text = parse_net(packed(net)), parse_net(packed(net, text=True))
    assert same(binary, text)
    assert same(binary, parse_net(net_bytes(net)))
    assert binary.version == version


def test_weights_and_header_are_those_that_were_written() -> None:
    net = make_net(15, ("nested",))
    net.pass_alive_suicide = True
    read = parse_net(packed(net))
    assert read.name == "random-net"
    assert read.multipliers == Multipliers(*MULTIPLIERS)
    assert read.pass_alive_suicide
    assert np.array_equal(read.trunk.initial.weight, net.initial.weight)
    assert np.array_equal(read.trunk.globals.weight, net.globals)
    assert np.array_equal(read.value.ownership.weight, net.value.ownership.weight)
    assert read.trunk.channels == 8


def test_below_version_13_the_multipliers_are_katagos_defaults() -> None:
    assert parse_net(packed(make_net(12))).multipliers == Multipliers()


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "net.bin.gz"
    path.write_bytes(packed(make_net(8)))
    assert read_net(path).version == 8
    path.write_bytes(packed(make_net(8))[:200])
    with pytest.raises(NetFileError, match=re.escape(str(path))):
        read_net(path)
    with pytest.raises(NetFileError, match=re.escape(str(tmp_path))):
        read_net(tmp_path)
    with pytest.raises(NetFileError, match=r"none\.bin\.gz"):
        read_net(tmp_path / "none.bin.gz")


# Damage


@bounded
@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_a_cut_file_is_refused(share: float, text: bool) -> None:
    data = whole(text).rstrip()
    if text:  # a number cut short is still a number: cut at the space before it
        place = data.rfind(b" ", 0, int(share * len(data)))
        refused(data[: max(0, place)])
    else:
        refused(data[: int(share * len(data))])


@bounded
@given(st.floats(0, 1, exclude_max=True))
def test_a_cut_gzip_stream_is_refused(share: float) -> None:
    data = packed(every_kind())
    refused(data[: int(share * len(data))])


@bounded
@given(st.binary(min_size=1, max_size=300), st.booleans())
def test_what_follows_the_end_is_refused(rest: bytes, text: bool) -> None:
    if rest.strip(b" \t\r\n"):
        refused(whole(text) + rest)
    refused(packed(every_kind()) + rest)


@pytest.mark.parametrize("rest", [b"\x0b", b"\x0c", b"\0", b"\n\x0b"])
@pytest.mark.parametrize("text", [False, True])
def test_odd_blanks_at_the_end_are_refused(rest: bytes, text: bool) -> None:
    refused(whole(text) + rest)


@pytest.mark.parametrize("text", [False, True])
def test_blank_space_may_follow(text: bool) -> None:
    assert same(parse_net(whole(text) + b"\n \r\n\t"), parse_net(whole(text)))


@bounded
@given(st.data(), st.booleans())
def test_flipped_bits_give_a_net_or_the_one_error(data: st.DataObject, text: bool) -> None:
    broken = bytearray(whole(text))
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, len(broken) - 1))] ^= data.draw(st.integers(1, 255))
    read_or_refused(bytes(broken))


@bounded
@given(st.data())
def test_flipped_bits_in_the_words(data: st.DataObject) -> None:
    """Most bytes are weights, so the words get a test of their own: they are all that steers the reader."""
    broken = bytearray(whole(False))
    ranges = [(m.end(), m.end() + 40) for m in re.finditer(rb"\n(?=[a-z])", bytes(broken))]
    start, stop = data.draw(st.sampled_from(ranges))
    place = data.draw(st.integers(start, min(stop, len(broken)) - 1))
    broken[place] = data.draw(st.integers(0, 255))
    read_or_refused(bytes(broken))


@bounded
@given(st.data())
def test_flipped_bits_of_a_gzip_stream_never_change_a_net(data: st.DataObject) -> None:
    good = packed(make_net(8))
    broken = bytearray(good)
    broken[data.draw(st.integers(2, len(broken) - 1))] ^= data.draw(st.integers(1, 255))
    net = read_or_refused(bytes(broken))  # a flip in the stream's own name or date changes nothing
    assert net is None or same(net, parse_net(good))


@bounded
@given(st.binary(max_size=400))
def test_noise_is_refused(noise: bytes) -> None:
    refused(noise)
    refused(gzip.compress(noise))
    refused(b"\x1f\x8b" + noise)


# Files that are whole and wrong


@pytest.mark.parametrize("version", ["7", "18", "0", "-1", "3", "999999999999999999999", "8.0", "eight"])
def test_wrong_versions_are_refused(version: str) -> None:
    header, rest = b"random-net\n8\n", whole(version=8)
    assert rest.startswith(header)
    assert "version" in refused(b"random-net\n" + version.encode() + b"\n" + rest[len(header) :])


def changed(old: str, new: str, version: int = 15) -> bytes:
    """A file in which a line of words, the first that matches, reads otherwise."""
    data, count = re.subn(old.encode(), new.encode(), whole(version=version), count=1)
    assert count == 1
    return data


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (r"\n22\n19\n", "\n23\n19\n", "spatial inputs"),
        (r"\n22\n19\n", "\n22\n20\n", "global inputs"),
        (r"\n20\.0 ", "\nnan ", "multiplier"),
        (r"\n20\.0 ", "\n-20 ", "multiplier"),
        (r"\n0 0 0 0 0 0 0 0\n", "\n1 0 0 0 0 0 0 0\n", "human"),
        (r"\n0 0 0 0 0 0 0 0\n", "\n0 0 0 0 1 0 0 0\n", "reserved"),
        (r"trunk 1 8", "trunk 2 8", "unknown kind of block"),
        (r"trunk 1 8", "trunk 0 8", "number of blocks"),
        (r"trunk 1 8", "trunk 999999999 8", "number of blocks"),
        (r"trunk 1 8", "trunk 1 9", "gives 8 channels where 9 are needed"),
        (r"trunk 1 8", "trunk 1 -8", "trunk channels"),
        (r"layer1 3 3 22 8", "layer1 3 3 23 8", "takes 23 channels"),
        (r"layer1 3 3 22 8", "layer1 4 4 22 8", "no middle"),
        (r"layer1 3 3 22 8", "layer1 999999 3 22 8", "kernel height"),
        (r"layer1 3 3 22 8 1 1", "layer1 3 3 22 8 0 1", "dilation"),
        (r"layer1 3 3 22 8 1 1", "layer1 3 3 22 8 1 100", "dilation"),
        (r"layer2 19 8\n@BIN@", "layer2 19 8\n@BAN@", "@BIN@"),
        (r"ordinary_block", "dilated_block", "unknown kind of block 'dilated_block'"),
        (r"ACTIVATION_\w+", "ACTIVATION_GELU", "ACTIVATION_GELU"),
        (r"layer4 8 \S+ ", "layer4 8 nan ", "epsilon"),
        (r"layer4 8 \S+ ", "layer4 8 -1000 ", "variance"),
        (r"random-net", "n" * 100_000, "without end"),
        (r"random-net", "nét", "binary data"),
        (r"random-net\n", " " * 100_000, "missing"),
    ],
)
def test_what_does_not_fit_is_named(old: str, new: str, complaint: str) -> None:
    assert complaint in refused(changed(old, new))


def test_the_error_names_the_place() -> None:
    message = refused(changed(r"layer2 19 8", "layer2 19 7"))
    assert re.search(r"\(at byte \d+, in layer2\)$", message)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("text", [False, True])
def test_weights_must_be_numbers(value: float, text: bool) -> None:
    net = make_net(14)
    net.globals[3, 2] = value
    assert "finite" in refused(net_bytes(net, text=text))


def test_a_transformer_whose_heads_do_not_divide() -> None:
    net = net_bytes(make_net(17, ("attention learned",)))
    line = re.search(rb"transformer_attention_block \S+ 4 2 8 3 1 1", net)
    assert line
    for numbers, complaint in [
        (b"4 3 8 3 1 1", "cannot share"),
        (b"4 2 7 3 1 1", "channels where"),
        (b"4 2 8 3 1 2", "learnedRope"),
        (b"8192 8192 8192 8192 1 1", "channels where"),
    ]:
        assert complaint in refused(net.replace(line[0], line[0].replace(b"4 2 8 3 1 1", numbers)))


def test_blocks_within_blocks_without_end() -> None:
    net = make_net(8, ("nested",), channels=8)
    line = re.search(rb"nested_bottleneck_block.*?(?=ordinary_block)", net_bytes(net), re.DOTALL)
    assert line
    start = net_bytes(net)[: line.start()]
    block = line[0].replace(b"3 3 8 6", b"3 3 8 8")
    block = re.sub(
        rb"1 1 8 6 1 1\n@BIN@.*", b"1 1 8 8 1 1\n@BIN@" + bytes(4 * 64) + b"\n", block, flags=re.DOTALL
    )
    assert "nested more than" in refused(start + block * 2000)


# Files that would fill the memory


def peak_of_refusing(data: bytes) -> tuple[str, int]:
    tracemalloc.start()
    try:
        message = refused(data)
        return message, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_announced_numbers_are_not_made_room_for() -> None:
    header = b"net\n8\n22\n19\ntrunk 1 8192 8192 8192 0 8192\nc 15 15 22 8192 1 1\n"
    for start in (b"@BIN@\0\0\0\0", b"0.5 0.5 0.5"):
        message, peak = peak_of_refusing(header + start)
        assert "announced" in message
        assert peak < 1 << 20


def test_a_gzip_bomb_is_refused_early() -> None:
    press = zlib.compressobj(1, wbits=31)
    mebibyte = b" " * (1 << 20)
    bomb = b"".join([press.compress(mebibyte) for _ in range(100)]) + press.flush()
    assert len(bomb) < 1 << 20
    message, peak = peak_of_refusing(bomb)
    assert "unpacks to more than 64 MiB" in message
    assert peak < 160 << 20


def test_one_long_number_among_many_short_ones() -> None:
    # Laid out in a table as wide as its longest number, these 600 KB would be 40 GB.
    header = b"net\n8\n22\n19\ntrunk 1 1024 1024 1024 0 1024\nc 3 3 22 1024 1 1\n"
    numbers = b"0 " * 150_000 + b"0." + b"0" * 300_000 + b" " + b"0 " * 60_000
    message, peak = peak_of_refusing(header + numbers)
    assert "without end" in message
    assert peak < 64 << 20
