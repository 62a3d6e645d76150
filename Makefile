# Everything a newcomer needs starts here; `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
PORT ?= 8000

# Two environments in one folder: what the app needs, and what its tests need on top.
RUN_STAMP := $(VENV)/.run-ready
DEV_STAMP := $(VENV)/.dev-ready

.PHONY: help setup setup-dev lock
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(RUN_STAMP) ## the environment, in .venv
setup-dev: $(DEV_STAMP)

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Appraise needs Python 3.11 or newer; try: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python cannot make environments here; on Debian: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt

$(RUN_STAMP): requirements/run.txt | $(UV)
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	@touch $@

$(DEV_STAMP): requirements/dev.txt | $(UV)
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@ $(RUN_STAMP)

# A lock names versions and hashes, never the address of an index.
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock"
lock: | $(UV)
	@$(COMPILE) requirements/uv.in -o requirements/uv.txt >/dev/null
	@$(COMPILE) pyproject.toml --extra dev -o requirements/dev.txt >/dev/null
	@$(COMPILE) pyproject.toml -c requirements/dev.txt -o requirements/run.txt >/dev/null
