# Everything from a clean checkout needs Python 3.11 to 3.13 and make; each target installs what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := -p lane.models -p lane.trainer -p lane.export -p lane.runtime -p lane.cli
JOBS ?= 2

.PHONY: help setup run test test-slow lint format bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamp makes a second call free, and a changed pyproject.toml install again.
$(VENV)/.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

setup: $(VENV)/.stamp ## create .venv and install the package with its development tools

test: $(VENV)/.stamp ## every test but the slow ones
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-slow: $(VENV)/.stamp ## the tests that train for minutes
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/.stamp ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(PACKAGES)

format: $(VENV)/.stamp ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
