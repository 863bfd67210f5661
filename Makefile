# From a clean checkout, with Python 3.11 to 3.13 and make; each target installs what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The versions of constraints.txt, so that pip takes the CPU build of torch where one is offered.
INSTALL := -m pip install --quiet --disable-pip-version-check -c constraints.txt
PACKAGES := -p lane.base -p lane.data -p lane.models -p lane.trainer -p lane.export -p lane.runtime -p lane.service -p lane.experiments -p lane.cli
JOBS ?= 2
DEMO := build/demo

.PHONY: help setup run test test-js test-slots page test-slow test-runtime test-lowest readme lint format bundled robot bench bench-js scale fuzz faults campaign clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The stamp is stale if the dependencies or the C source have changed; otherwise a second call is free.
$(VENV)/.stamp: pyproject.toml setup.py trainer/pyproject.toml experiments/pyproject.toml constraints.txt runtime/_core.c
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -e ".[dev]" -e trainer -e experiments
	@touch $@

setup: $(VENV)/.stamp ## create .venv and install the package with its development tools

run: $(VENV)/.stamp ## translate, then train, export and use a model of MiniSCAN
	@echo "The bundled SCAN model:"
	@echo "jump twice and walk around left" | $(BIN)/lane-run --explain
	@echo; echo "A model of MiniSCAN, learned now from 14 pairs:"
	@mkdir -p $(DEMO)
	@$(BIN)/lane-train --task limit --out $(DEMO)/model.pt
	@$(BIN)/lane-export $(DEMO)/model.pt
	@echo "zup blicket zup kiki zup fep" | $(BIN)/lane-run --model $(DEMO)/model.lane --explain tree

# Where npm is missing or has no registry, the tests of js/ are skipped and say so.
js/node_modules/.package-lock.json: js/package-lock.json
	-command -v npm > /dev/null && npm ci --prefix js --silent --ignore-scripts

test: $(VENV)/.stamp js/node_modules/.package-lock.json ## every test but the slow ones
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-js: $(VENV)/.stamp js/node_modules/.package-lock.json ## the JavaScript runtime on 100,000 lines and 25,000 files
	LANE_VECTOR_LINES=100000 $(BIN)/python -m pytest tests/js

test-slots: $(VENV)/.stamp ## 100,000 texts in slots, of which none may become an action
	LANE_SLOT_TEXTS=100000 $(BIN)/python -m pytest tests/runtime/test_hearing_backend.py

test-slow: $(VENV)/.stamp ## the tests that train for minutes
	$(BIN)/python -m pytest -m slow
	LANE_ORACLE_MODELS=4000 $(BIN)/python -m pytest -n $(JOBS) tests/experiments/test_oracle.py

# Python 3.14 has no torch to test with yet: what needs it is skipped.
test-runtime: ## the runtime's tests in an environment of their own, without torch
	$(PYTHON) -m venv $(VENV)-runtime
	$(VENV)-runtime/bin/python $(INSTALL) -e . build hypothesis pytest 'setuptools>=77'
	$(VENV)-runtime/bin/python -m pytest tests/base tests/data tests/runtime tests/test_packaging.py

test-lowest: ## the tests of everything that uses a dependency, with the lowest versions that are allowed
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e ".[serve]" -e trainer -e experiments hypothesis pytest pytest-xdist
	$(VENV)-lowest/bin/python -m pytest -n $(JOBS) -m "not slow" tests/models tests/export tests/runtime tests/service tests/cli/test_run_backends.py tests/cli/test_export.py

readme: $(VENV)/.stamp ## run every command of the README in a new environment
	$(BIN)/python -m pytest -m slow tests/test_readme.py

lint: $(VENV)/.stamp ## ruff, mypy --strict, and linters of the workflows and the citation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(PACKAGES)
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff

format: $(VENV)/.stamp ## rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# A SCAN model with its exported files, for the benchmarks and the bundle.
build/scan/scan.lane: | $(VENV)/.stamp
	$(BIN)/lane-data write addjump build/scan
	$(BIN)/lane-train --task addjump --seed 1 --out build/scan/scan.pt
	$(BIN)/lane-export build/scan/scan.pt --verify build/scan/addjump_train.txt

page: $(VENV)/.stamp js/node_modules/.package-lock.json ## build the page of `lane-run page`, and its picture in the README
	mkdir -p build
	node js/page/build.mjs
	$(BIN)/python -m pytest -q tests/js/test_page.py --basetemp build/page
	cp "$$(find build/page -name desktop.png -not -path '*current*')" docs/page.png

bundled: ## train the bundled SCAN model anew
	rm -rf build/scan
	$(MAKE) build/scan/scan.lane
	gzip -9nc build/scan/scan.lane > runtime/bundled/scan.lane.gz

robot: | $(VENV)/.stamp ## train the home robot's model of the README, on an idle machine
	mkdir -p build/robot
	$(BIN)/lane-train --train examples/robot/train.tsv --test examples/robot/test.tsv --out build/robot/robot.pt --force
	$(BIN)/lane-export build/robot/robot.pt --verify examples/robot/train.tsv
	cp build/robot/robot.pt.run/result.json results/robot.json
	cp build/robot/robot.lane examples/robot/robot.lane
	$(BIN)/python examples/robot/objects.py
	$(BIN)/python benchmarks/objects.py --json results/objects.json
	$(BIN)/python benchmarks/fill_pages.py

bench: build/scan/scan.lane ## measure the speed of everything anew, into results/ and docs/benchmarks.md, on an idle machine
	$(BIN)/python $(INSTALL) -e ".[bench]"
	$(BIN)/python benchmarks/runtime.py build/scan/scan.pt --json results/runtime.json --stream 10000000
	$(BIN)/python benchmarks/trainer.py --json results/trainer.json
	$(BIN)/python benchmarks/export.py build/scan/scan.pt --json results/export.json --out docs --export
	$(BIN)/python benchmarks/fill_pages.py

bench-js: $(VENV)/.stamp js/node_modules/.package-lock.json ## measure the JavaScript runtime and the page, on an idle machine
	$(BIN)/python benchmarks/javascript.py --json results/javascript.json
	$(BIN)/python benchmarks/fill_pages.py

scale: $(VENV)/.stamp ## measure clusters of Ray, into results/ and docs/scale.md, on an idle machine; resumable
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/fill_pages.py

# libFuzzer by atheris, gcc and its sanitizers: Linux on x86-64. Findings stay in build/fuzz.
MINUTES ?= 1
fuzz: $(VENV)/.stamp ## fuzz every reader and the compiled core, MINUTES=1 together
	$(BIN)/python campaign/fuzz.py --minutes $(MINUTES)

# The calls of the C library are replaced by campaign/faults.c: Linux with gcc.
faults: $(VENV)/.stamp ## make every call fail in turn and end commands at random moments, MINUTES=1 or longer
	$(BIN)/python campaign/faults.py --minutes $(MINUTES)

campaign: $(VENV)/.stamp ## fuzzing, faults, memory and load, MINUTES=1 each or longer, into results/ and docs/security.md
	$(BIN)/python campaign/fuzz.py --minutes $(MINUTES) --keep --json results/fuzz.json
	$(BIN)/python campaign/faults.py --minutes $(MINUTES) --json results/faults.json
	$(BIN)/python campaign/memory.py --json results/memory.json
	$(BIN)/python campaign/soak.py --minutes $(MINUTES) --json results/soak.json
	$(BIN)/python benchmarks/fill_pages.py

clean: ## remove what the other targets made
	rm -rf $(VENV) $(VENV)-runtime $(VENV)-lowest build dist js/dist js/node_modules *.egg-info .pytest_cache .mypy_cache .ruff_cache runtime/_core.*.so
