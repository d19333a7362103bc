# make demo, make test: everything is set up in .venv, which needs Python 3.11 or later and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
EXTRAS ?= dev

.DEFAULT_GOAL := help
.PHONY: help demo test check benchmark clean

help:
	@echo "make demo       rank simulated metrics, and see what metaeval answers"
	@echo "make test       run every test, the type checks and the style checks"
	@echo "make benchmark  measure speed and memory against the naive algorithms"
	@echo "make clean      remove the environment and the caches"

demo: $(VENV)/.demo
	@$(BIN)/metaeval demo

test: $(VENV)/.test
	@echo "== style and types"
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	@echo "== tests"
	@$(BIN)/python -m pytest -n $(JOBS) $(PYTEST)

benchmark: $(VENV)/.test
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script --quick || exit 1; done

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.demo: pyproject.toml | $(VENV)/.python
	@echo "== installing metaeval into $(VENV)"
	@$(call install,-e .)
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.python
	@echo "== installing metaeval and its test tools into $(VENV)"
	@$(call install,-e '.[$(EXTRAS)]')
	@touch $@ $(VENV)/.demo

$(VENV)/.python:
	@echo "== making $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "metaeval needs Python 3.11 or later; '$(PYTHON)' is not."; \
	  echo "  Name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then uv venv --quiet --seed --allow-existing --python $(PYTHON) $(VENV); \
	else $(PYTHON) -m venv $(VENV) || { \
	  echo "This Python cannot make virtual environments."; \
	  echo "  Debian and Ubuntu: apt install python3-venv. Or install uv: https://docs.astral.sh/uv"; exit 1; }; fi
	@touch $@

install = if command -v uv >/dev/null 2>&1; then VIRTUAL_ENV=$(VENV) uv pip install --quiet $(1); \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check $(1); fi
