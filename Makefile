# Everything is installed into $(VENV), by plain pip, with the exact versions of constraints.txt. Each target does the
# set-up it needs; set-up that is done is not done again. To use another Python: make test PYTHON=python3.13 VENV=.venv313

PYTHON ?= python3
VENV ?= .venv
ROBOT ?= igus_rebel
ARGS ?=

BIN := $(VENV)/bin
LOWEST := .venv-lowest
# --only-binary: no compiler is needed, and where a wheel is missing pip says so at once.
INSTALL := -m pip --disable-pip-version-check --no-input install --quiet --only-binary :all: --root-user-action ignore
EDITABLE := $(INSTALL) --no-build-isolation --editable
BUILD_TOOLS := pip hatchling

unexport PYTHONPATH PYTHONHOME
# What the tests write stays in the checkout, whatever $HOME is.
export MPLBACKEND := Agg
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib
export IPYTHONDIR := $(CURDIR)/.cache/ipython
export JUPYTER_CONFIG_DIR := $(CURDIR)/.cache/jupyter
export JUPYTER_DATA_DIR := $(CURDIR)/.cache/jupyter
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.cache/jupyter/runtime

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help reach test lint fmt bench lock test-lowest wheel clean

help: ## show this list
	@grep -E '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 14

reach: $(VENV)/.core ## run a reachability study of the igus ReBeL, or of ROBOT=name, into results/
	@mkdir -p results
	$(BIN)/repose-jit reach run $(ROBOT) --out results/$(basename $(notdir $(ROBOT))).zarr --save-q --report --resume $(ARGS)

test: lint ## run every check; pytest takes ARGS="-k name"
	$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.dev ## check format, style, types and import direction
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fmt: $(VENV)/.dev ## format the code and repair what can be repaired
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

bench: $(VENV)/.bench ## time this package and its peers in one run
	$(BIN)/python -m pytest benchmarks --benchmark-enable --benchmark-only $(ARGS)
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.reach

wheel: $(VENV)/.core ## build the wheel and the source archive into dist/
	$(BIN)/hatchling build -d dist

clean: ## remove what was installed, built and cached
	rm -rf $(VENV) $(LOWEST) build dist .cache .*_cache .hypothesis .benchmarks
	find . -name __pycache__ -prune -exec rm -rf {} +

# --------------------------------------------------------------------------------------------------------- set-up

# Fails with one line where the interpreter will not do, before pip fails with a page.
define CHECK_PYTHON
@command -v $(PYTHON) >/dev/null || { \
	echo 'error: $(PYTHON) not found; install Python 3.11 or later, or name one: make PYTHON=python3.12' >&2; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "error: $(PYTHON) is $$($(PYTHON) -V 2>&1), expected Python 3.11 or later: make PYTHON=python3.12" >&2; exit 1; }
@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	echo 'error: $(PYTHON) lacks venv or ensurepip; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
endef

$(VENV)/.python:
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(INSTALL) --constraint constraints.txt $(BUILD_TOOLS)
	@touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml constraints.txt
	$(BIN)/python $(EDITABLE) '.[plot]' --constraint constraints.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python $(EDITABLE) '.[dev]' --constraint constraints.txt
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python $(EDITABLE) '.[dev,bench]' --constraint constraints.txt
	@touch $@

# -------------------------------------------------------------------------------------------------- pinned versions

# The newest of everything, for every Python from 3.11 on, and the lowest of what pyproject.toml names, for 3.11.
LOCK := uv pip compile --quiet --upgrade --only-binary :all: --no-annotate --custom-compile-command 'make lock' --python-version 3.11

lock: $(VENV)/.python ## pin the newest versions in constraints.txt and constraints-lowest.txt
	$(BIN)/python $(INSTALL) uv
	printf '%s\n' $(BUILD_TOOLS) | $(BIN)/$(LOCK) --universal --all-extras pyproject.toml - --output-file constraints.txt
	$(BIN)/$(LOCK) --resolution lowest-direct --extra test pyproject.toml --output-file constraints-lowest.txt

test-lowest: $(LOWEST)/.test ## run the quick tests with the lowest supported versions; needs Python 3.11
	NUMBA_CACHE_DIR=$(CURDIR)/.cache/numba-lowest $(LOWEST)/bin/python -m pytest -W ignore::DeprecationWarning -m "not slow" $(ARGS)

$(LOWEST)/.test: pyproject.toml constraints-lowest.txt
	$(CHECK_PYTHON)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
		echo 'error: the lowest versions are those of Python 3.11: make test-lowest PYTHON=python3.11' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python $(INSTALL) --constraint constraints.txt $(BUILD_TOOLS)
	$(LOWEST)/bin/python $(EDITABLE) '.[test]' --constraint constraints-lowest.txt
	@touch $@
