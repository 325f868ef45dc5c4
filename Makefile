# Each target does its own set-up: all it needs is Python 3.11+ (with venv) and make.

PYTHON ?= python3
BIN := .venv/bin
# Where this is set, each of the hundreds of processes that tests start would compile the whole package again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-integrations lint style install locked lock sbom bench bench-model bench-peers soak docs wheels picture screenshots clean

help:
	@echo "make demo     watch memory form out of a long conversation; no key needed"
	@echo "make test     each test on SQLite or Postgres, by turns, with lint, types and import rules; everything on both: make soak ROWS=R25"
	@echo "make test-integrations  integrations with the real tools (npm and pip fetch them): make test-integrations ONLY=coding"
	@echo "make install  a .venv with everything, also for development"
	@echo "make locked   the same from requirements-dev.txt: fixed versions, with hashes"
	@echo "make lock     renew requirements-dev.txt: the locked development environment, with hashes"
	@echo "make sbom     what an installation consists of, as CycloneDX JSON"
	@echo "make lint     ruff, mypy --strict, import-linter"
	@echo "make bench    the figures in bench/LOG.md, search at small sizes; make bench-peers: beside other memories"
	@echo "make bench-model  what your model makes of the demo (ERSTWHILE_MODEL, ERSTWHILE_BASE_URL; ARGS='--messages 120')"
	@echo "make soak     the rows of docs/tested.md at full size; some: make soak ROWS=\"R1 S8\""
	@echo "make screenshots  the pictures of the dashboard in docs/screenshots, in Chromium"
	@echo "make wheels   build the wheel, install and use it with each Python that is here (3.11 to 3.14)"
	@echo "make docs     build the documentation site, links checked; make picture: remake the README's picture"

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "erstwhile needs Python 3.11 or newer; set PYTHON=/path/to/python3.11 (found: $$($(PYTHON) --version 2>&1))"; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "Python has no venv module; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

# What is compiled with the package: hatch_build.py
COMPILED := hatch_build.py $(wildcard src/erstwhile/compiled/*.[ch])

# What a user with a model gets, for the demo; and everything, for development.
.venv/base: .venv/python pyproject.toml $(COMPILED)
	@$(BIN)/python deploy/install.py --editable '.[openai,anthropic,google]'
	@touch $@

.venv/dev: .venv/python pyproject.toml $(COMPILED)
	@$(BIN)/python deploy/install.py --editable '.[dev]'
	@touch $@ .venv/base

# The same, every package in the version and with a digest of requirements-dev.txt.
locked: .venv/python
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch .venv/dev .venv/base

# After a change of the dependencies; takes the newest versions that pyproject.toml allows.
lock: .venv/python
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --upgrade \
	  --no-header --no-emit-index-url --quiet --output-file requirements-dev.txt

sbom: .venv/dev
	@$(BIN)/python deploy/sbom.py all

install: .venv/dev

demo: .venv/base
	@$(BIN)/erstwhile demo

lint: style
	$(BIN)/mypy

style: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# mypy works beside the suite; what fails is run again, alone (tests/run.py).
test: style
	@tests/browser.sh
	@$(BIN)/python tests/run.py

# Each folder of integrations/ with a test_real_*.py, against the real tool; integrations/setup.sh fetches what a folder needs.
ONLY ?= $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard integrations/*/test_real_*.py)))))
test-integrations: .venv/dev
	@for each in $(ONLY); do integrations/setup.sh $$each || exit 1; done
	PYTHONPATH=tests $(BIN)/pytest -q $(foreach each,$(ONLY),integrations/$(each))

bench: .venv/dev
	$(BIN)/python -m bench.start
	$(BIN)/python -m bench.ingest
	$(BIN)/python -m bench.cost
	$(BIN)/python -m bench.derive
	$(BIN)/python -m bench.community
	$(BIN)/python -m bench.embed
	$(BIN)/python -m bench.imports --embedded-postgres
	$(BIN)/python -m bench.backup --embedded-postgres
	$(BIN)/python -m bench.search --sizes 1000,10000 --embedded-postgres
	$(BIN)/python -m bench.chat --embedded-postgres
	$(BIN)/python -m bench.server --embedded-postgres

bench-model: .venv/dev
	$(BIN)/python -m bench.model $(ARGS)

# Each peer has an environment of its own under .venv-peers. Recall needs the data set: make bench-peers ARGS="--locomo locomo10.json"
bench-peers: .venv/dev
	$(BIN)/python -m bench.peers $(ARGS)

# All rows of the table in docs/tested.md, or some: make soak ROWS="R1 S8". ROWS=table only writes it; ROWS=missing: what has not passed
# at its size; ROWS=whole: what make test runs whole, which takes a quarter of an hour.
soak: .venv/dev
	@tests/browser.sh
	PYTHONPATH=tests $(BIN)/python -m soak.run $(ROWS)

screenshots: .venv/dev
	@tests/browser.sh
	$(BIN)/python -m bench.screenshots

# Strict: a link that leads nowhere, also to a heading, is an error. Not with --quiet: then MkDocs counts no warnings.
docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --clean
	@echo "Built: src/erstwhile/http/site, which erstwhile serve shows at /docs/guide"

# With the guide in it. Others than those on the path: make wheels PYTHONS="/opt/py/bin/python3.13"
wheels: docs
	$(BIN)/python deploy/wheels.py dist $(PYTHONS)

picture: .venv/dev
	$(BIN)/python -m bench.picture docs/demo.svg

clean:
	rm -f src/erstwhile/compiled/ranking.library
	rm -rf .venv .venv-peers .venv-integrations integrations/*/node_modules dist build .mypy_cache .ruff_cache .pytest_cache
