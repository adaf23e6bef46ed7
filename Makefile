# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run demo test install tools lint types layers stubs unit page bench clean

# The web page, until Ctrl-C.
run: install
	$(BIN)/tengen serve --browser --next-port

# The same at the command line: imports, reviews and rates the examples.
demo: install
	$(BIN)/tengen games import examples -o out/examples.parquet
	$(BIN)/tengen games show out/examples.parquet
	$(BIN)/tengen review examples/19x19.sgf --net tengen --visits 8 -o out/review
	$(BIN)/tengen strength examples/19x19.sgf --player black --plot out/strength.png

test: lint types layers unit

# The environment, made anew when its recipe changes; the native core, when a source of it does.
$(VENV)/ready: pyproject.toml scripts/setup
	PYTHON="$(PYTHON)" scripts/setup $(VENV) .
	touch $@

$(VENV)/built: $(VENV)/ready CMakeLists.txt $(shell find native -type f)
	$(BIN)/pip install --quiet --no-build-isolation --no-deps -e .
	touch $@

install: $(VENV)/built

# What tests need beside it: torch, the tools of developers.
$(VENV)/tools: $(VENV)/ready
	PYTHON="$(PYTHON)" scripts/setup $(VENV) '.[train,dev]'
	touch $@

tools: $(VENV)/tools $(VENV)/built

lint: tools
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: tools
	$(BIN)/mypy

layers: tools
	$(BIN)/lint-imports

# The types of the native module, written by nanobind; a test fails when they are stale.
stubs: tools
	$(BIN)/python -m nanobind.stubgen -q -m tengen._native -o src/tengen/_native.pyi

unit: tools
	scripts/debian-packages gnugo chromium
	@$(BIN)/tengen nets pull b15c192 || echo "tengen: NO NETWORK, so the tests on KataGo's b15c192 WILL NOT RUN" >&2
	$(BIN)/python -m pytest

# The web page, from web/; needs Node 20.19 or newer. A test fails when the committed build does not match its source.
page:
	cd web && npm install --no-save --no-audit --no-fund && npm run build

bench: install
	$(BIN)/tengen bench core

clean:
	rm -rf $(VENV) build out
