# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test install lint types layers stubs unit bench clean

run: install
	$(BIN)/tengen games import examples -o out/examples.parquet
	$(BIN)/tengen games show out/examples.parquet

test: lint types layers unit

# The environment, made anew when its recipe changes; the native core, when a source of it does.
$(VENV)/ready: pyproject.toml scripts/setup
	PYTHON="$(PYTHON)" scripts/setup $(VENV)
	touch $@

$(VENV)/built: $(VENV)/ready CMakeLists.txt $(shell find native -type f)
	$(BIN)/pip install --quiet --no-build-isolation --no-deps -e .
	touch $@

install: $(VENV)/built

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

# The types of the native module, written by nanobind; a test fails when they are stale.
stubs: install
	$(BIN)/python -m nanobind.stubgen -q -m tengen._native -o src/tengen/_native.pyi

unit: install
	scripts/debian-packages gnugo
	$(BIN)/python -m pytest

bench: install
	$(BIN)/tengen bench core

clean:
	rm -rf $(VENV) build out
