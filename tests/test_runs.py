"""The scripts of runs/: each of their commands is one that the package understands, and one script runs to its end."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from strength.made_players import made_ranked_pool

from tengen.cli.commands import make_app

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path for path in (ROOT / "runs").glob("*.sh") if path.name != "common.sh")
TEACHER = "g170-b6c96-s175395328-d26788732.bin.gz"

# In place of tengen: notes its words, and makes what they ask for as empty files.
STUB = r"""#!/usr/bin/env bash
printf '%q ' "$@" >> commands.txt; echo >> commands.txt
while [ $# -gt 0 ]; do
    case "$1" in
        -o) case "$2" in
                *.parquet|*.png) touch "$2";;
                *) mkdir -p "$2"; touch "$2/card.json" "$2/agent.json" "$2/strength.json";;
            esac;;
        name=*) mkdir -p "out/runs/${1#name=}/checkpoints/000000000001"
                touch "out/runs/${1#name=}/checkpoints/000000000001/state.json";;
    esac
    shift
done
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the folders that scripts use, with the teacher in its place."""
    for name in ("runs", "recipes"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "out" / "nets").mkdir(parents=True)
    (tmp_path / "out" / "nets" / TEACHER).touch()
    return tmp_path


@pytest.fixture
def games(tmp_path: Path) -> Path:
    for name in ("kgs6d/kgs6d_2015.sgfs", "fox_ranked/fox.sgfs", "tygem9d/tygem9d_2005.sgfs"):
        path = tmp_path / "games" / name
        path.parent.mkdir(parents=True)
        path.touch()
    return tmp_path / "games"


def run(house: Path, script: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(house / "runs" / script), *words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=500,
    )


def commands_of(house: Path, games: Path, script: str) -> list[list[str]]:
    """The commands that a script gives, tengen's words."""
    (house / "stub").write_text(STUB)
    (house / "stub").chmod(0o755)
    (house / "commands.txt").unlink(missing_ok=True)
    done = run(house, script, str(games), TENGEN=str(house / "stub"))
    assert done.returncode == 0, done.stdout + done.stderr
    return [shlex.split(line) for line in (house / "commands.txt").read_text().splitlines()]


@pytest.mark.parametrize("script", [*SCRIPTS, ROOT / "runs" / "common.sh"], ids=lambda path: path.name)
def test_the_syntax(script: Path) -> None:
    done = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    text = script.read_text()
    assert "../shared" not in text and "/home" not in text and "/tmp" not in text


def test_the_readme_names_every_script() -> None:
    text = (ROOT / "runs" / "README.md").read_text()
    assert all(f"| `{script.name}` |" in text for script in SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_command_is_understood(house: Path, games: Path, script: Path) -> None:
    """Options and recipes are read as the command reads them; a pool is made before it is named."""
    pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")
    from tengen.strength.recipe import StrengthRecipe
    from tengen.training.recipe import PolicyRecipe
    from tengen.training.reinforce_recipe import ReinforceRecipe
    from tengen.training.value_recipe import ValueRecipe

    made: set[str] = set()
    for words in commands_of(house, games, script.name):
        make_app(words).parse_args(words, exit_on_error=False, print_error=False)
        made |= {words[i + 1] for i, word in enumerate(words) if word in ("-o", "--output")}
        changes = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
        named = [word for word in words if word.startswith("out/") and word.endswith(".parquet")]
        if words[:2] in (["train", "policy"], ["train", "value"]):
            kind = PolicyRecipe if words[1] == "policy" else ValueRecipe
            plan = kind.read(house / words[2], changes)
            named += [*plan.games.train, plan.games.test]
            if isinstance(plan, PolicyRecipe):
                sources = (*plan.data.sources, *plan.data.judged)
                named += [file for source in sources for file in (source.pool, source.labels) if file]
            made.add(f"out/runs/{plan.name}")
        elif words[:2] == ["train", "reinforce"]:
            assert ReinforceRecipe.read(house / words[2], changes).run.begin in made
        elif words[:2] == ["train", "strength"]:
            strength = StrengthRecipe.read(house / words[3], words[2], changes)
            named += [strength.data.pool, *([strength.data.draft] if strength.data.draft else [])]
            assert strength.data.features in made
        assert set(named) <= made


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_what_is_done_is_not_done_again(house: Path, games: Path, script: Path) -> None:
    first = commands_of(house, games, script.name)
    second = commands_of(house, games, script.name)
    again = {" ".join(words[:2]) for words in second}
    # These see for themselves what is there.
    assert again <= {
        "strength features",
        "nets pull",
        "measure policy",
        "measure value",
        "measure boards",
        "measure review",
        "train label",
        "strength evaluate",
        "measure reading",
        "games settle",
    } | {" ".join(words[:2]) for words in first if words[0] in ("reproduce", "match")}


def test_a_run_that_was_stopped_is_resumed(house: Path, games: Path) -> None:
    first = commands_of(house, games, "strength-tengen.sh")
    (house / "out" / "runs" / "strength-fox-relative" / "reached-60").unlink()
    second = commands_of(house, games, "strength-tengen.sh")
    assert [words[:2] for words in second] == [["strength", "features"], ["train", "strength"]]
    assert "--resume" in second[1] and not any("--resume" in words for words in first)


def test_a_script_says_what_it_does_and_what_it_wants(house: Path) -> None:
    for words in ((), ("nowhere",)):
        done = run(house, "tengen-96x6.sh", *words)
        assert done.returncode == 2
        assert "Makes the net that shipped first" in done.stdout and "usage:" in done.stdout
    (house / "out" / "nets" / TEACHER).unlink()
    done = run(house, "tengen-96x6.sh", str(house))
    assert done.returncode == 1 and "the teacher is missing" in done.stdout


def test_a_script_from_games_to_card(house: Path, tmp_path: Path) -> None:
    """A strength model of the net that ships, from some small games of every rank."""
    pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")
    made_ranked_pool(tmp_path / "all" / "fox_ranked", players=4, games=4)
    (tmp_path / "all" / "fox_ranked" / "pool.parquet").unlink()
    recipe = house / "recipes" / "strength-fox.toml"
    recipe.write_text(
        recipe.read_text().replace("epochs = 60", "epochs = 2").replace("steps = 100", "steps = 5")
    )
    tengen = house / "tengen"
    tengen.write_text(f"#!{sys.executable}\nfrom tengen.cli.main import main; main()\n")
    tengen.chmod(0o755)
    done = run(house, "strength-tengen.sh", str(tmp_path / "all"), TENGEN=str(tengen))
    assert done.returncode == 0, done.stdout + done.stderr
    assert (house / "out" / "models" / "strength-tengen" / "strength.json").is_file()
    assert (house / "out" / "models" / "strength-tengen" / "model.onnx").is_file()
    assert (house / "out" / "runs" / "strength-fox-relative" / "log.csv").is_file()
