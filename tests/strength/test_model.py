"""Finding the strength model that reads a net's features."""

from __future__ import annotations

from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import open_net
from tengen.strength.model import CARD, default_net, find_model


@pytest.fixture
def spoilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model in the user's folder whose card is of a kind that this version does not know."""
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))
    folder = tmp_path / "strength" / "another"
    folder.mkdir(parents=True)
    (folder / CARD).write_text('{"name": "another", "inputs": "tea leaves"}')
    return folder


def test_a_model_that_cannot_be_read_does_not_spoil_the_others(spoilt: Path) -> None:
    assert default_net() == "tengen"
    assert find_model(open_net("tengen", threads=1)).card.name == "strength-tengen"


def test_it_is_named_where_no_other_fits_and_where_it_is_asked_for(spoilt: Path) -> None:
    with pytest.raises(
        InputError, match=r"there are models for .*; .*another.*not the card of a strength model"
    ):
        find_model(FakeEvaluator())
    with pytest.raises(InputError, match="not the card of a strength model"):
        default_net("another")
