# `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := bash
# Keep compiled modules: the second start then takes a second instead of ten.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
PORT ?= 8000

# One environment, two sets of packages: for running the site, and in addition for the tests.
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
	@$(COMPILE) pyproject.toml --extra metrics -c requirements/dev.txt -o requirements/run.txt >/dev/null
	@$(COMPILE) pyproject.toml -c requirements/run.txt -o requirements/base.txt >/dev/null

.PHONY: run test lint style lint-scripts check-scripts check-django pytest pytest-postgres test-tools compiled-loops system-packages bench tools
run: $(RUN_STAMP) ## Appraise with its demo campaign, at http://127.0.0.1:8000/ (PORT=…, DATABASE_URL=…)
	@$(BIN)/python manage.py start --demo --port $(PORT)

# Fast checks first, in parallel with the installation of browser and parsers and the compilation of loops,
# which all test workers share; then the tests, on both databases at once.
PARALLEL := $(MAKE) --no-print-directory --jobs=3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
test: $(DEV_STAMP) ## all checks and tests, on both databases
	@$(PARALLEL) lint test-tools compiled-loops check-django docs
	@echo "Testing on both databases; the output follows when they are done …"
	@$(PARALLEL) pytest pytest-postgres

# The tests use real parsers and taggers.
test-tools: system-packages
	@$(MAKE) --no-print-directory tools

TEXTS := fixtures/samples/text
LEXICAL := wer,per,bleu,bleu-paper,nist,ter,chrf++,fms-2,meteor,rouge-l,rouge-w,dr
# Compiles the loops of the metrics into numba's cache; prints the output only if it fails.
compiled-loops: $(DEV_STAMP)
	@home=$$(mktemp -d); trap 'rm -r $$home' EXIT; \
	output=$$(APPRAISE_HOME=$$home $(BIN)/python manage.py score --metrics $(LEXICAL) \
	  --hyp $(TEXTS)/north.en.txt --ref $(TEXTS)/reference.en.txt 2>&1) || { echo "$$output"; exit 1; }

lint: style ## format, lint, types
	@$(BIN)/mypy
	@$(MAKE) --no-print-directory lint-scripts

style: $(DEV_STAMP) ## format and lint alone: seconds
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/djhtml --check --tabwidth 2 templates 2>/dev/null || { echo "run: $(BIN)/djhtml --tabwidth 2 templates" >&2; exit 1; }
	@! LC_ALL=C.UTF-8 grep -rnE '^.{121,}$$' templates static/css static/js

# Types and unit tests of static/js. The site itself needs no Node, so a machine without it goes on.
NODE_STAMP := node_modules/.package-lock.json
lint-scripts:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory check-scripts; \
	else echo "npm is not installed: static/js is not checked (install Node 20 or newer for that)" >&2; fi
check-scripts: $(NODE_STAMP)
	@node_modules/.bin/tsc
	@output=$$(node --test tests/js/ 2>&1) || { echo "$$output"; exit 1; }
$(NODE_STAMP): package-lock.json
	@npm ci --silent --no-audit --no-fund
	@touch $@

# Settings of a public site, for Django's deployment checks.
DEPLOY := HTTPS=true ALLOWED_HOSTS=appraise.example SECRET_KEY=$$(printf '%064d' 0 | tr 0 k)-abcdefghijklmnop APPRAISE_HOME=$$(mktemp -d)
check-django: $(DEV_STAMP)
	@$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0
	@$(DEPLOY) $(BIN)/python -W error manage.py check --deploy --fail-level WARNING

# Five workers on two cores, because browsers and servers wait for each other much of the time: three for SQLite and,
# meanwhile, two for PostgreSQL, which has a third of the work.
pytest: $(DEV_STAMP) system-packages
	@$(BIN)/python -m pytest --quiet -n 3 --dist worksteal

# Tests that use the database, except those that meet the same statements elsewhere, again on PostgreSQL.
pytest-postgres: $(DEV_STAMP) system-packages
	@$(BIN)/python -m tests.postgres pytest --quiet -n 2 --dist worksteal -m 'database and not any_database' $(addprefix tests/,database journeys operations security)

# Journeys need a browser: installed if run as root on Debian, else the script prints what to install, and they
# are skipped with this reason.
system-packages:
	@scripts/system_packages.sh

bench: $(DEV_STAMP) ## ratios against peers, cost of a page, 64 annotators (13 minutes)
	@$(BIN)/python -m benchmarks.page docs/benchmarks.md

# Kills, restarts, full disks, wrong clocks, bad files; docs/faults.md has the results.
.PHONY: faults
faults: $(DEV_STAMP) ## break a running site on purpose, on both databases (10 minutes)
	@scripts/system_packages.sh faults
	@$(BIN)/python -m faults --page docs/faults.md

# Several hosts as network namespaces (root on Linux; elsewhere they are skipped), every interleaving, an hour of
# work, ten million rankings; docs/endurance.md has the results.
.PHONY: endurance soak growth
SOAK_MINUTES ?= 60
endurance: $(DEV_STAMP) ## several hosts that fail, and every interleaving of steps (40 minutes)
	@scripts/system_packages.sh hosts || true
	@$(BIN)/python -m endurance hosts explorer --page docs/endurance.md

soak: $(DEV_STAMP) ## an hour of simulated work (SOAK_MINUTES=…)
	@SOAK_MINUTES=$(SOAK_MINUTES) $(BIN)/python -m endurance soak --page docs/endurance.md

growth: $(DEV_STAMP) ## cost from 10^4 to 10^7 rankings on PostgreSQL (45 GB of disk; MOST=1e6 needs a tenth)
	@$(BIN)/python -m endurance growth --most $(or $(MOST),1e7) --page docs/endurance.md

.PHONY: docs screenshots package cluster catalogue
catalogue: $(DEV_STAMP) ## collect new texts for translation, and compile the catalogues
	@$(BIN)/python -m scripts.catalogue

docs: $(DEV_STAMP) ## the documentation site, in var/site; fails on a dead link or a page missing from the navigation
	@# Not --quiet, which would hide warnings from the strict mode.
	@output=$$(NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build 2>&1) || { grep -v ^INFO <<<"$$output"; exit 1; }

screenshots: $(DEV_STAMP) system-packages ## the pictures of the documentation, from the running demo
	@$(BIN)/python -m scripts.screenshots

package: $(DEV_STAMP) ## build the wheel and run it in a fresh environment of each Python (PYTHONS=…); bill of materials and licences, in dist
	@$(BIN)/python -m tests.operations.package $(PYTHONS)
	@$(BIN)/python -m scripts.supply_chain.bill dist

.PHONY: django-next
django-next: $(DEV_STAMP) ## the tests on Django 6.0 and the newest Python here; may fail (TESTS=…)
	-@$(BIN)/python -m scripts.django_next $(TESTS)

.PHONY: licences upkeep
licences: $(DEV_STAMP) ## every dependency with its licence; fails on one that is unknown or not allowed
	@$(BIN)/python -m scripts.supply_chain.licences

upkeep: $(DEV_STAMP) ## ask a package index which dependencies look unmaintained (INDEX=…)
	@$(BIN)/python -m scripts.supply_chain.upkeep "$(INDEX)"

cluster: $(DEV_STAMP) ## equal values on a real Dask scheduler with two workers
	@$(BIN)/python -m tests.operations.cluster

tools: $(RUN_STAMP) ## optional parsers and taggers, in .tools (prints sizes and licences first)
	@$(BIN)/python -m scripts.install_tools

.PHONY: tools-lock
tools-lock: | $(UV)
	@$(subst "make lock","make tools-lock",$(COMPILE)) --override requirements/tools-override.in requirements/tools.in -o requirements/tools.txt >/dev/null
