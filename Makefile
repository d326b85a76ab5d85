# Every command of the project. Needs Python 3.11 or later, a C++20 compiler and make; everything else
# is installed into .venv on first use. Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
SHELL := /bin/sh
.DEFAULT_GOAL := help

BIN := $(abspath $(VENV))/bin
# where developers work, an import rebuilds what changed in cpp/, with the cmake that is installed here
export PATH := $(BIN):$(PATH)
# The tests run in so many processes; a file stays in one of them. Processes that use all the cores for
# their linear algebra, each, would only wait for one another.
WORKERS ?= 2
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# where the build left the compiled module's stub
STUB := import handful._core as c, pathlib as p; print(p.Path(c.__file__).with_name("_core.pyi"))
# install again when one of these changes
SETUP := pyproject.toml CMakeLists.txt
SOURCES := $(shell find cpp src -type f -not -name '*.pyc')

.PHONY: help demo test check lint types docs generated bench papers scale-test wheel clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

demo: $(VENV)/demo  ## select genes and compare methods on the bundled data: tables here, demo-report.html
	@$(BIN)/handful demo

test: $(VENV)/dev  ## the tests and the examples in the documentation
	@$(ONE_THREAD) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST)

# worker processes on this machine, killed at KILLS random moments
KILLS ?= 20
scale-test: $(VENV)/dev  ## Dask: equal answers and faults, with workers killed at 20 random moments
	@KILLS=$(KILLS) $(ONE_THREAD) $(BIN)/python -m pytest tests/distributed tests/table/test_parts.py \
	  tests/cli/test_engine.py

check: lint types docs test  ## all that CI checks; the tests come last

lint: $(VENV)/dev  ## style, and that files are formatted
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/dev  ## pyright, strict
	@mkdir -p build/stubs/handful
	@cp "$$($(BIN)/python -c '$(STUB)')" build/stubs/handful/
	@$(BIN)/pyright --pythonpath $(BIN)/python

docs: $(VENV)/dev  ## the documentation, as docs/_build/html/index.html
	@$(BIN)/python -m sphinx -q -W -n --keep-going -b html docs docs/_build/html

generated: $(VENV)/dev  ## write anew what the documentation takes from the program
	@$(BIN)/python docs/generate.py

bench: $(VENV)/bench  ## every benchmark, one after the other
	@$(call run_each,benchmarks/*.py)

papers: $(VENV)/dev  ## the five papers' experiments
	@$(call run_each,papers/*/run.py)

# one of them by the first author's name, and with QUICK=1 a tenth of it: make papers-stoppiglia
papers-%: $(VENV)/dev
	@$(BIN)/python $(wildcard papers/$**/run.py) $(if $(QUICK),--quick)

clean:  ## remove what was built, the environment too
	rm -rf $(VENV) build dist docs/_build demo-report.html .pytest_cache .ruff_cache .hypothesis

run_each = set -e; for file in $(wildcard $(1)); do echo "== $$file"; $(BIN)/python $$file; done

# ---- the environment ----

# pip is what is missing where python -m venv fails half way
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'handful needs Python 3.11 or later: make PYTHON=python3.12'; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# As a user has it. An editable installation serves as well, and follows the sources by itself.
$(VENV)/demo: $(SETUP) $(SOURCES) | $(BIN)/pip
	@[ -e $(VENV)/dev ] || { $(call install,'.[report]'); }
	@touch $@

$(VENV)/dev: $(SETUP) | $(BIN)/pip
	@$(call install,--editable '.[dev]')
	@touch $@

# a benchmark does without the programs that this machine cannot install
$(VENV)/bench: $(VENV)/dev
	-@$(call pip_install_extra,bench)
	@touch $@

# what an extra asks for, without handful itself
define pip_install_extra
$(BIN)/python -c "import tomllib; file = open('pyproject.toml', 'rb'); \
  print(*tomllib.load(file)['project']['optional-dependencies']['$(1)'], sep='\n')" \
  > $(VENV)/$(1).txt && $(BIN)/python -m pip install --quiet --requirement $(VENV)/$(1).txt
endef

# Without isolation, so that a later build finds the same compiler's work again; what builds comes first.
define install
echo 'Installing handful and what it needs into $(VENV); the first time takes a few minutes.' && \
$(call pip_install_extra,build) && \
$(BIN)/python -m pip install --quiet --no-build-isolation $(1)
endef
