# Each target makes its own environment in .venv and installs what it needs; a second run is quick.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Two test processes on two cores: more threads only get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
OUT    ?= demo

# Seconds for which `make fuzz` fuzzes each target.
FUZZ_SECONDS ?= 3600
# With HASHES=1, `make demo` and `make test` install files of known hashes first (hashes/*.txt).
HASHED  = $(if $(HASHES),$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r hashes/$(1).txt)

.PHONY: demo docs test test-full bench soak faults fuzz lint hashes licences clean

demo: $(VENV)/report.stamp
	$(BIN)/morebits demo --out $(OUT)

docs: $(VENV)/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open build/site/index.html; to search it: python3 -m http.server -d build/site"

test: lint
	$(BIN)/python -m pytest -q -n 2 -m "not full"

test-full: lint
	$(BIN)/python -m pytest -q -n 2

# These two take longer than all others together, and have targets of their own.
LONG   := benchmarks/soak.py benchmarks/faults.py

bench: $(VENV)/dev.stamp
	set -e; for script in $(filter-out $(LONG),$(wildcard benchmarks/*.py)); do echo "== $$script" >&2; $(BIN)/python $$script; done

soak: $(VENV)/dev.stamp
	$(BIN)/python benchmarks/soak.py --out build/soak.json

faults: $(VENV)/dev.stamp
	$(BIN)/python benchmarks/faults.py --out build/faults.json

fuzz: $(VENV)/fuzz.stamp
	set -e; for target in $(patsubst fuzz/corpus/%/,%,$(wildcard fuzz/corpus/*/)); do \
		echo "== $$target" >&2; $(BIN)/python fuzz/run.py $$target $(FUZZ_SECONDS); done

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports

# Both are committed: run them after a change of constraints.txt.
hashes: $(VENV)/base.stamp
	$(BIN)/python .ci/hashes.py

licences: $(VENV)/dev.stamp
	$(BIN)/python .ci/licences.py

clean:
	rm -rf $(VENV) $(OUT) dist build .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests website -name __pycache__ -type d -prune -exec rm -rf {} +

# The build back end comes from the same constraints, hence no isolation.
$(VENV)/base.stamp: constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("morebits needs Python 3.11 or newer: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(if $(HASHES),$(call HASHED,demo),$(PIP) hatchling editables)
	touch $@

$(VENV)/report.stamp: $(VENV)/base.stamp pyproject.toml
	$(PIP) --no-build-isolation -e '.[report]'
	touch $@

$(VENV)/docs.stamp: $(VENV)/base.stamp pyproject.toml
	$(PIP) --no-build-isolation -e '.[docs]'
	touch $@ $(VENV)/report.stamp

$(VENV)/fuzz.stamp: $(VENV)/base.stamp pyproject.toml
	$(PIP) --no-build-isolation -e '.[fuzz]'
	touch $@

$(VENV)/dev.stamp: $(VENV)/base.stamp pyproject.toml
	$(call HASHED,test)
	$(PIP) --no-build-isolation -e '.[dev]'
	$(PIP) --no-deps invisible-watermark # it asks for torch, which its DCTs do not need
	touch $@ $(VENV)/docs.stamp $(VENV)/report.stamp
