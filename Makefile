# Everything a newcomer needs starts here; `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := bash
# Compiled modules are kept: the second start takes a second instead of ten.
unexport PYTHONDONTWRITEBYTECODE
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
	@echo "Making an environment in $(VENV), once: about 600 MB, a minute or two …"
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

.PHONY: run test lint check-django pytest pytest-postgres arrived kernels system-packages bench tools
run: $(RUN_STAMP) ## Appraise with its demo campaign, at http://127.0.0.1:8000/ (PORT=…, DATABASE_URL=…)
	@$(BIN)/python manage.py start --demo --port $(PORT)

# What is told within a minute comes first, side by side, while browser and parsers arrive and kernels are
# compiled, once for all workers; then one database after the other.
BESIDE := $(MAKE) --no-print-directory --jobs=3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
test: $(DEV_STAMP) ## everything that must be true
	@$(BESIDE) lint arrived kernels check-django docs
	@$(MAKE) --no-print-directory pytest pytest-postgres

# Real parsers and taggers take part in the tests.
arrived: system-packages
	@$(MAKE) --no-print-directory tools

TEXTS := fixtures/samples/text
LEXICAL := wer,per,bleu,bleu-paper,nist,ter,chrf++,fms-2,meteor,rouge-l,rouge-w,dr
kernels: $(DEV_STAMP)
	@home=$$(mktemp -d); trap 'rm -r $$home' EXIT; \
	told=$$(APPRAISE_HOME=$$home $(BIN)/python manage.py score --metrics $(LEXICAL) \
	  --hyp $(TEXTS)/north.en.txt --ref $(TEXTS)/reference.en.txt 2>&1) || { echo "$$told"; exit 1; }

lint: $(DEV_STAMP) ## format, lint, types
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy

# Settings of a public site, so that Django's own deployment checks mean something.
DEPLOY := HTTPS=true ALLOWED_HOSTS=appraise.example SECRET_KEY=$$(printf '%064d' 0 | tr 0 k)-abcdefghijklmnop APPRAISE_HOME=$$(mktemp -d)
check-django: $(DEV_STAMP)
	@$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0
	@$(DEPLOY) $(BIN)/python -W error manage.py check --deploy --fail-level WARNING

# Three workers on two cores: browsers and servers spend much of their time waiting for each other.
PYTEST := pytest --quiet -n 3 --dist worksteal
pytest: $(DEV_STAMP) system-packages
	@$(BIN)/python -m $(PYTEST)

# The same stories on a real PostgreSQL, for everything that touches a database and is not about looks alone.
pytest-postgres: $(DEV_STAMP)
	@$(BIN)/python -m tests.postgres $(PYTEST) -m 'database and not looks' $(addprefix tests/,database journeys operations security)

# Journeys need a browser. As root on Debian it is installed; elsewhere you are told what to install.
system-packages:
	@scripts/system_packages.sh

bench: $(DEV_STAMP) ## ratios against peers, cost of a page, 64 annotators (13 minutes)
	@$(BIN)/python -m benchmarks.page docs/benchmarks.md

# Kills, restarts, full disks, wrong clocks, bad files: docs/faults.md is what came of it.
.PHONY: faults
faults: $(DEV_STAMP) ## break a running site on purpose, on both databases (10 minutes)
	@scripts/system_packages.sh faults
	@$(BIN)/python -m faults --page docs/faults.md

.PHONY: docs screenshots package cluster catalogue
catalogue: $(DEV_STAMP) ## collect new texts for the translators, and compile what they wrote
	@$(BIN)/python -m scripts.catalogue

docs: $(DEV_STAMP) ## the documentation site, in var/site; a dead link or a page without a place fails
	@# Not --quiet: it hides warnings from the strict mode, too.
	@told=$$(NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build 2>&1) || { grep -v ^INFO <<<"$$told"; exit 1; }

screenshots: $(DEV_STAMP) system-packages ## the pictures of the documentation, from the running demo
	@$(BIN)/python -m scripts.screenshots

package: $(DEV_STAMP) ## build the wheel and run it in a fresh environment
	@$(BIN)/python -m tests.operations.package

cluster: $(DEV_STAMP) ## equal values on a real Dask scheduler with two workers
	@$(BIN)/python -m tests.operations.cluster

tools: $(RUN_STAMP) ## optional parsers and taggers, in .tools (prints sizes and licences first)
	@$(BIN)/python -m metrics.linguistics.install

.PHONY: tools-lock
tools-lock: | $(UV)
	@$(subst "make lock","make tools-lock",$(COMPILE)) --override requirements/tools-override.in requirements/tools.in -o requirements/tools.txt >/dev/null
