# The two commands a newcomer needs: make run, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all:
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header $(ARGS)
export PORT ?= 8000
# Without files of bytecode each process that starts would compile the service anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE
# Most tests wait for other processes: two cores serve seven workers.
WORKERS ?= 7

.DEFAULT_GOAL := help
.PHONY: help run test lint fmt bench migrate lock

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

run: $(VENV)/run.stamp ## Install what is needed and start the service with its sandbox on
	@SANDBOX=1 $(BIN)/flask --app wsgi db upgrade
	@SANDBOX=1 exec $(BIN)/gunicorn -c gunicorn.conf.py wsgi:app

test: $(VENV)/test.stamp ## Run the whole test suite; with ARGS, part of it in one process
	@$(BIN)/python -m pytest $(or $(ARGS),--numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder)

lint: $(VENV)/test.stamp ## Check style and types
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

fmt: $(VENV)/test.stamp ## Format the code
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: $(VENV)/test.stamp ## Print the figures, each beside its floor from the same run
	@$(BIN)/python -m bench

migrate: $(VENV)/run.stamp ## Write a migration for what the models have become (M="what changed")
	@$(BIN)/flask --app wsgi db upgrade && $(BIN)/flask --app wsgi db migrate -m "$(M)"

lock: $(VENV)/bin/uv ## Write both lock files from requirements*.in (ARGS=--upgrade for newer versions)
	@$(LOCK) -o requirements.lock requirements.in
	@$(LOCK) -o requirements-test.lock requirements-test.in

$(VENV)/bin/uv: | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all: uv
	@touch $@

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements.lock | $(VENV)/bin/pip
	$(INSTALL) -r requirements.lock
	@touch $@

$(VENV)/test.stamp: requirements-test.lock $(VENV)/run.stamp
	$(INSTALL) -r requirements.lock -r requirements-test.lock
	@touch $@
