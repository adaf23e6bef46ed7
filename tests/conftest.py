"""Where the tests find what is not part of the package."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings
from made_games import made_pool

# At home hypothesis looks for new examples at every run; a change is judged by the same ones each time.
settings.register_profile("ci", derandomize=True, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("ci")

# A shell starts what it puts in the background with Ctrl-C ignored, and programs inherit that from the tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real games beside the repository; tests that want it are marked `data`."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real games (../shared/data) are not on this machine")
    return folder


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture(scope="session")
def gnugo() -> str:
    """GNU Go's path. `make test` installs it where it may, so its absence is a failure, not a skip."""
    path = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    assert path, "gnugo is not installed: run `make test`, or install the Debian package gnugo"
    return path


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """KataGo's own outputs, beside the repository."""
    folder = ROOT.parent / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip("KataGo's reference outputs (../shared/reference) are not on this machine")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says at the very end, in red, which tests on real nets did not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    missing = [report for report in skipped if "NOT RUN" in str(report.longrepr)]
    if missing:
        terminalreporter.section("NETS ARE MISSING", red=True, bold=True)
        terminalreporter.line(
            f"{len(missing)} tests on KataGo's nets DID NOT RUN: the nets are not in the cache, and no package "
            "index answered. `tengen nets pull b15c192` brings the one that `make test` needs.",
            red=True,
        )


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eighty games on 5x5, ten of each year."""
    return made_pool(tmp_path_factory.mktemp("pool"), 80)
