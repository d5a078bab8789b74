# SPDX-License-Identifier: BSD-3-Clause
# The front door. CMake builds (CMakePresets.json); this file only says what is called when.
#   make demo                    set up, build for this machine, install into .venv, run the examples, draw the table
#   make test [STAGES="a b"]     the everyday tests, or some stages; `make test STAGES=list` names them
#   make test-all                every test: what continuous integration runs
#   make check-changed           the tests of what changed since the last commit, or since SINCE=COMMIT
#   make bench [LINE="a b"]      measure against NumPy: table, JSON, chart; on a GPU: bench/RESULTS-GPU.md
#   make wheel                   dist/heddle-*.whl, self-contained
#   make docs                    the documentation site: build/docs/html
#   make gen                     write again what follows from the tables in src/ops
#   make clean                   delete build/, dist/, the chart; `make distclean` deletes .venv too
MAKEFLAGS += --no-print-directory
PYTHON = .venv/bin/python

help:
	@sed -n 's/^#   //p' Makefile

demo: setup-demo install
	@$(PYTHON) examples/demo.py

test: setup-test
	@$(PYTHON) tools/test.py $(STAGES)

test-all: setup-test
	@$(PYTHON) tools/test.py all

check-changed: setup-test
	@SINCE=$(SINCE) $(PYTHON) tools/test.py changed

bench: setup-bench install
	@$(PYTHON) bench/run.py $(if $(LINE),--line $(LINE))
	@$(if $(LINE),,! nvidia-smi -L >/dev/null 2>&1 || $(PYTHON) bench/gpu.py --record)

wheel: setup-wheel
	@tools/build.sh release
	@$(PYTHON) tools/package.py wheel build/release dist

docs: setup-docs install
	@$(PYTHON) tools/docs.py

setup-%:
	@tools/setup.sh $*

build: | setup
install: build
	@$(PYTHON) tools/package.py install build/native

setup:
	@test -x $(PYTHON) || tools/setup.sh demo

build:
	@tools/build.sh native

gen:
	@tools/gen.sh write

clean:
	rm -rf build dist heddle-demo.png

distclean: clean
	rm -rf .venv

.PHONY: help demo test test-all check-changed bench wheel docs setup build install gen clean distclean
.NOTPARALLEL:
