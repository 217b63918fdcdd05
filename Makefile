# Fisc: every command here installs what it needs first. Needs make, bash and Python 3.11 or later.
SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
RUN := $(VENV)/bin
# The stamp is newer than the files that decide what is installed, so a second run does nothing.
STAMP := $(VENV)/.installed
PIP := $(RUN)/python -m pip --disable-pip-version-check

.PHONY: help install demo demo-reset test test-postgres test-fast bench fuzz lint format lock clean

help:  ## list the commands
	@awk -F ':.*## *' '/^[a-z-]+:.*##/ { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP)  ## make .venv with everything that is locked

$(STAMP): requirements.txt pyproject.toml
	@if ! $(RUN)/python -m pip --version >/dev/null 2>&1; then py=""; for name in python3 python3.14 python3.13 python3.12 python3.11 /usr/bin/python3; do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then py="$$name"; break; fi; done; \
	if [ -z "$$py" ]; then \
	  echo "Fisc needs Python 3.11 or later with its venv module (on Debian: apt install python3-venv)." >&2; exit 1; fi; \
	echo "installing into $(VENV) with $$("$$py" --version)"; "$$py" -m venv --clear $(VENV); fi
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@$(PIP) check --quiet
	@touch $@

demo: install  ## three municipalities with a year of filings, on localhost until Ctrl-C
	@$(RUN)/fisc demo $(if $(PORT),--port $(PORT))

demo-reset: install  ## the same, begun anew
	@$(RUN)/fisc demo --reset $(if $(PORT),--port $(PORT))

test: install  ## run every test
	@$(RUN)/python -m pytest

# The same promises on another server: Debian's PostgreSQL, where it is installed.
OTHER_POSTGRES := $(lastword $(sort $(wildcard /usr/lib/postgresql/*/bin)))
test-postgres: install  ## run the database tests on Debian's PostgreSQL too
	@if [ -z "$(OTHER_POSTGRES)" ]; then echo "note: no other PostgreSQL is installed, nothing to do" >&2; else \
	  FISC_TEST_PG_BIN=$(OTHER_POSTGRES) $(RUN)/python -m pytest -q tests/integration; fi

test-fast: install  ## run the tests without those marked slow
	@$(RUN)/python -m pytest -m "not slow"

bench: install  ## measure speed, as ratios to a floor measured in the same run
	@$(RUN)/python -m tests.benchmarks

fuzz: install  ## search the account fold for counterexamples, ten minutes (FISC_FUZZ_SECONDS)
	@FISC_FUZZ_SECONDS=$${FISC_FUZZ_SECONDS:-600} $(RUN)/python -m tests.fuzz

lint: install  ## check style, types and the import contracts
	@$(RUN)/ruff check
	@$(RUN)/ruff format --check
	@$(RUN)/mypy
	@$(RUN)/lint-imports --no-logo --no-cache

format: install  ## put the code in the house style
	@$(RUN)/ruff check --fix
	@$(RUN)/ruff format

# uv reads no settings of the machine here, so that the lock names the public index and nothing else.
# To take newer releases: make lock UPGRADE=--upgrade
lock:  ## write uv.lock and requirements.txt anew from pyproject.toml
	@tools=$$(mktemp -d); trap 'rm -rf "$$tools"' EXIT; set -e; \
	python3 -m venv "$$tools"; "$$tools/bin/python" -m pip install --quiet uv; \
	"$$tools/bin/uv" lock --no-config --default-index https://pypi.org/simple $(UPGRADE); \
	"$$tools/bin/uv" export --no-config --frozen --quiet --all-extras --all-groups --no-emit-project \
	  --no-header --format requirements-txt --output-file requirements.txt

clean:  ## remove everything that can be made again
	@rm -rf $(VENV) build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find core plugins tests -name __pycache__ -type d -prune -exec rm -rf {} +
