"""The store of features: nothing lost, nothing mixed up, whatever happens while it is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tengen.errors import InputError
from tengen.go.game import Game
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.fake import FakeEvaluator
from tengen.progress import Progress
from tengen.strength.feature_store import ABOUT, INDEX, ROWS, FeatureStore, game_key, net_key
from tengen.strength.features import MoveFeatures, features_of


def some(rows: int, channels: int = 5, seed: int = 0) -> MoveFeatures:
    rng = np.random.default_rng(seed)
    return MoveFeatures(
        np.arange(1, rows + 1, dtype=np.int16),
        rng.random(rows) < 0.5,
        rng.normal(size=(rows, 6)).astype(np.float32),
        rng.normal(size=(rows, channels)).astype(np.float16),
        rng.normal(size=(rows, channels)).astype(np.float16),
    )


def same(a: MoveFeatures | None, b: MoveFeatures) -> bool:
    if a is None:
        return False
    names = ("number", "white", "basic", "trunk", "expected")
    pairs = [(getattr(a, name), getattr(b, name)) for name in names]
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in pairs)


def key(i: int) -> bytes:
    return i.to_bytes(16, "big")


def filled(folder: Path, games: int = 6) -> dict[bytes, MoveFeatures]:
    made = {key(i): some(3 * i, seed=i) for i in range(games)}
    with FeatureStore(folder, "net") as store:
        for each, features in made.items():
            store.put(each, features)
    return made


def test_what_is_put_comes_back(tmp_path: Path) -> None:
    made = filled(tmp_path)
    with FeatureStore(tmp_path, "net", write=False) as store:
        assert set(store.keys()) == set(made) and len(store) == 6
        assert all(same(store.get(each), features) for each, features in made.items())
        assert store.get(key(99)) is None
        with pytest.raises(ValueError, match="reading"):
            store.put(key(99), some(1))
    assert sorted(p.name for p in (tmp_path / "net").iterdir()) == [
        "about.json",
        "index.bin",
        "lock",
        "rows.bin",
    ]


def test_a_folder_that_was_begun_without_expected_goes_on_so(tmp_path: Path) -> None:
    """Hours of evaluation by a large net are not lost, and rows of two kinds never mix."""
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / ABOUT).write_text('{"version": 1, "trunk": "float16"}')
    made = filled(tmp_path)
    with FeatureStore(tmp_path, "net", write=False) as store:
        for each, features in made.items():
            assert same(store.get(each), replace(features, expected=features.expected[:, :0]))


def test_an_about_file_that_says_something_else_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    for text in ("{", "[]", '{"vectors": ["soul"]}', '{"vectors": []}', '{"vectors": 3}'):
        (tmp_path / "net" / ABOUT).write_text(text)
        with pytest.raises(InputError, match=r"about\.json"):
            FeatureStore(tmp_path, "net", write=False)


def test_vectors_of_different_widths_are_not_put(tmp_path: Path) -> None:
    with FeatureStore(tmp_path, "net") as store, pytest.raises(ValueError, match="differ in width"):
        store.put(key(1), replace(some(4), expected=some(4, channels=3).expected))


def test_a_game_put_twice_stays_as_it_was(tmp_path: Path) -> None:
    with FeatureStore(tmp_path, "net") as store:
        store.put(key(1), some(4, seed=1))
        store.put(key(1), some(9, seed=2))
        assert same(store.get(key(1)), some(4, seed=1))


@given(cut_rows=st.integers(0, 2000), cut_index=st.integers(0, 300))
def test_files_cut_anywhere_lose_only_their_end(
    tmp_path_factory: pytest.TempPathFactory, cut_rows: int, cut_index: int
) -> None:
    """After a kill or with a full disk: all complete games before the cut are there, and new games can be added."""
    folder = tmp_path_factory.mktemp("cut")
    made = filled(folder)
    for name, cut in ((ROWS, cut_rows), (INDEX, cut_index)):
        path = folder / "net" / name
        os.truncate(path, min(cut, path.stat().st_size))
    with FeatureStore(folder, "net") as store:
        kept = list(store.keys())
        assert kept == list(made)[: len(kept)]
        assert all(same(store.get(each), made[each]) for each in kept)
        for each, features in made.items():
            store.put(each, features)
    with FeatureStore(folder, "net", write=False) as store:
        assert all(same(store.get(each), features) for each, features in made.items())


def test_rows_that_changed_on_the_disk_are_forgotten_and_made_again(tmp_path: Path) -> None:
    made = filled(tmp_path)
    path = tmp_path / "net" / ROWS
    data = bytearray(path.read_bytes())
    data[5] ^= 1  # of game 1, the first with rows
    path.write_bytes(data)
    with FeatureStore(tmp_path, "net") as store:
        assert store.get(key(1)) is None
        assert same(store.get(key(2)), made[key(2)])
        store.put(key(1), made[key(1)])
    with FeatureStore(tmp_path, "net") as store:
        assert same(store.get(key(1)), made[key(1)])


def test_files_that_are_something_else_hold_nothing(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / INDEX).write_bytes(os.urandom(1000))
    (tmp_path / "net" / ROWS).write_bytes(os.urandom(1000))
    with pytest.raises(InputError, match="no features"):
        FeatureStore(tmp_path, "net", write=False)
    (tmp_path / "net" / ABOUT).write_text("{}")
    with FeatureStore(tmp_path, "net", write=False) as store:
        assert len(store) == 0


def test_one_writer_at_a_time_and_any_readers(tmp_path: Path) -> None:
    filled(tmp_path)
    with FeatureStore(tmp_path, "net"):
        with pytest.raises(InputError, match="another process"):
            FeatureStore(tmp_path, "net")
        FeatureStore(tmp_path, "net", write=False).close()
    FeatureStore(tmp_path, "net").close()


@pytest.mark.parametrize("name", ["", "..", "a/b", "../net", "/etc"])
def test_names_of_nets_are_no_paths(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="not the name"):
        FeatureStore(tmp_path, name)


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no features"):
        FeatureStore(tmp_path / "nowhere", "net", write=False)


def test_the_key_is_what_the_net_sees_of_a_game() -> None:
    text = "(;SZ[9]KM[5.5]RU[Japanese]PB[Ann]PW[Bo];B[ee];W[ec])"
    record = Game.from_sgf(text)
    assert game_key(record) == game_key(Game.from_sgf(text.replace("Ann", "Zoe")))
    others = [
        text.replace("5.5", "6.5"),
        text.replace("Japanese", "Chinese"),
        text.replace("[ec]", "[ed]"),
        text.replace(";W[ec]", ""),
        text.replace("SZ[9]", "SZ[13]"),
        text.replace(";B[ee]", "AB[ee]"),
        text.replace(";B[ee];W[ec]", ";W[ee];B[ec]"),
    ]
    keys = {game_key(Game.from_sgf(other)) for other in others}
    assert len(keys) == len(others) and game_key(record) not in keys


def test_the_net_is_known_by_its_file_precision_and_encoding() -> None:
    class Net(FakeEvaluator):
        def __init__(self, card: ModelCard, precision: str) -> None:
            super().__init__()
            self.card, self.precision = card, precision

    files = {"fp32": NetFile("a.onnx", "11"), "int8": NetFile("b.onnx", "22")}
    card = ModelCard("../evil name", "katago", "katago7", (19,), files=files)
    names = {
        net_key(Net(card, "fp32")),
        net_key(Net(card, "int8")),
        net_key(Net(replace(card, encoding="katago7s"), "fp32")),
        net_key(Net(replace(card, files={"fp32": NetFile("a.onnx", "33")}), "fp32")),
    }
    assert len(names) == 4
    assert all(Path(name).name == name and not name.startswith(".") for name in names)


def test_features_are_asked_for_once(tmp_path: Path) -> None:
    games = [Game.from_sgf(f"(;SZ[9];B[{c}a];W[{c}b])") for c in "abcd"]
    seen: list[Progress] = []
    net = FakeEvaluator()
    with FeatureStore(tmp_path, net) as store:
        first = list(features_of(games[:2], net, store))
        again = list(features_of(games, net, store, seen.append, total=4))
        assert store.found == 2
    assert [(each.done, each.total) for each in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [each.note for each in seen] == ["1 known", "2 known", "2 known", "2 known"]
    assert all(same(a, b) for a, b in zip(first, again, strict=False))


def test_a_game_is_read_in_less_than_a_millisecond(tmp_path: Path) -> None:
    with FeatureStore(tmp_path, "net") as store:
        store.put(key(1), some(250, 384))
        best = min(_timed(lambda: store.get(key(1))) for _ in range(50))
    assert best < 1e-3


def _timed(run: object) -> float:
    start = time.perf_counter()
    run()  # type: ignore[operator]
    return time.perf_counter() - start


def test_a_killed_writer_leaves_a_good_store(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from tengen.strength.feature_store import FeatureStore
from strength.test_feature_store import key, some
with FeatureStore(Path({str(tmp_path)!r}), "net") as store:
    i = 0
    while True:
        store.put(key(i), some(200, 96, seed=i % 3)); i += 1
"""
    writer = subprocess.Popen([sys.executable, "-c", code])
    index = tmp_path / "net" / INDEX
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not index.exists() or index.stat().st_size < 2000):
        assert writer.poll() is None
        time.sleep(0.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    with FeatureStore(tmp_path, "net") as store:
        assert len(store) >= 40
        for i in range(len(store)):
            assert same(store.get(key(i)), some(200, 96, seed=i % 3))


@pytest.mark.parametrize(
    ("precision", "folder"),
    [
        ("fp32", "tengen-fp32-f40782d117325944"),
        ("int16", "tengen-int16-8e924d506e57244e"),
    ],
)
def test_features_of_the_shipped_net_are_found_where_they_were(precision: str, folder: str) -> None:
    from tengen.nets.library import open_net

    assert net_key(open_net("tengen", precision, 1)) == folder
