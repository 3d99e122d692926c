# make grade   set up .venv and grade a main.py   (MAIN=path, LESSON=id)
# make test    set up .venv and run the tests
# make check   the linters and the type checker

LESSON ?= transformers-01
MAIN ?= solutions/$(LESSON)/main.py
PYTHON ?= python3
BIN := .venv/bin

.PHONY: grade test check clean

grade: .venv/ready
	$(BIN)/grade lesson $(LESSON) $(MAIN)

test: .venv/ready-for-tests
	$(BIN)/python -m pytest

check: .venv/ready-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

.venv/ready: pyproject.toml constraints.txt
	./setup.sh $(PYTHON) .
	touch $@

.venv/ready-for-tests: pyproject.toml constraints.txt
	./setup.sh $(PYTHON) ".[test]"
	touch .venv/ready $@

clean:
	rm -rf .venv build dist
