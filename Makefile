# solrbench. `make help` lists the targets; `make demo` shows the product.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Each process of a suite would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

VENV ?= .venv
BIN := $(VENV)/bin
REPORTS := build/tests
PYTEST = $(BIN)/python -m pytest --junitxml=$(REPORTS)/$@.xml
# One process more than processors, as some tests wait; the tests of a suite must not share anything.
SIDE_BY_SIDE = -n $$(($$(nproc) + 1)) --dist worksteal
# The slow suites: files side by side in the order of tests/conftest.py, each process with an operator
# of its own; then what compares times, alone.
PROCESSES := 2
FILES_SIDE_BY_SIDE = -n $(PROCESSES) --dist loadfile --no-loadscope-reorder -m "not alone and not soak"
# Of targets side by side, the output of each; older versions of make mix them.
IN_ONE_PIECE := $(addprefix --,$(filter output-sync,$(.FEATURES)))
SHOW_SLOW := --durations=40 --durations-min=1
# Shell scripts by their first line or name.
SCRIPTS = $(sort $(shell git grep -lE '^.!/.*[/ ](ba)?sh$$') $(wildcard $(shell git ls-files '*.sh')))
# Words of names, too: test_worker_is_lost and WorkerPool are several words.
DIALECT := -D hack/dialect.txt -r '[A-Z]?[a-z]+|[A-Z]+(?![a-z])'
# Sets KUBECONFIG for the cluster of `make cluster`, and PATH for all that hack/tools brings.
IN_CLUSTER := eval "$$(hack/cluster/env)" &&

# The Solr Operator's real definitions, where they are at hand; see CONTRIBUTING.md.
SOLRBENCH_CRDS ?= $(abspath $(wildcard ../shared/data/crds))

# What creates the pods of the quickstart, as in the field of that name: StatefulSet or SolrOperator.
PROVISIONER ?= StatefulSet
DEMO_IMAGES := solr zookeeper solrbench $(if $(filter SolrOperator,$(PROVISIONER)),solr-operator)
# What the tests of the Solr Operator, and those of versions, need beside the other images.
OPERATOR_IMAGES := solr-operator zookeeper-operator pravega-zookeeper
VERSION_IMAGES := solr-9.8.1

# One clock for all scripts of one call: what they print counts from its beginning.
ifndef SOLRBENCH_STARTED
SOLRBENCH_STARTED := $(shell date +%s)
endif
export CLUSTER PROVISIONER SOLRBENCH_CRDS SOLRBENCH_STARTED

##@ Use
.PHONY: demo
demo: ## cluster, images, operator, quickstart: from a clone to a result table (PROVISIONER=SolrOperator)
	hack/tools demo
	hack/cluster/build programs environment pause $(DEMO_IMAGES)
	hack/cluster/up
	hack/cluster/images $(DEMO_IMAGES)
	$(MAKE) install
	$(IN_CLUSTER) hack/demo $(BIN)/solrbench

.PHONY: cluster
cluster: ## start a real single-node Kubernetes from packages (CLUSTER=kind or minikube: with that)
	hack/cluster/up

.PHONY: cluster-down
cluster-down: ## stop it and remove every trace
	hack/cluster/down

.PHONY: images
images: ## build the images that the cluster runs
	hack/cluster/images

.PHONY: cluster-with-images
cluster-with-images:
	$(MAKE) cluster
	$(MAKE) images

.PHONY: install
install: $(VENV)/ready ## install or upgrade the operator by its chart, in namespace solrbench
	$(IN_CLUSTER) hack/install

##@ Develop
.PHONY: check
check: $(VENV)/ready ## lint, typing, verify, unit, audit where it can: Python alone, no root, 3 minutes
	@$(MAKE) --no-print-directory -j2 $(IN_ONE_PIECE) unit lint typing verify audit AUDIT=--soft
	@echo "check passed, $$(($$(date +%s) - SOLRBENCH_STARTED)) s"

.PHONY: lint
lint: $(VENV)/ready ## ruff, import-linter, ShellCheck, spelling, words not to use, subjects of commits
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PYTHONPATH=operator/src $(BIN)/lint-imports
	$(BIN)/shellcheck $(SCRIPTS)
	git ls-files -z | xargs -0 $(BIN)/codespell
	git ls-files -z | xargs -0 $(BIN)/codespell $(DIALECT)
	$(BIN)/python hack/check_names.py
	hack/commit-subject --branch

.PHONY: format
format: $(VENV)/ready ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: typing
typing: $(VENV)/ready ## mypy, strict, of sources, tests and bench
	$(BIN)/mypy

.PHONY: generate
generate: $(VENV)/ready ## write the CRD, its chart template and the references from models, metrics and reasons
	$(BIN)/python -m hack.generate

.PHONY: verify
verify: $(VENV)/ready ## check that everything generated is up to date
	$(BIN)/python -m hack.generate --check

.PHONY: unit
unit: $(VENV)/ready ## tests that need Python alone, but the slow ones
	$(PYTEST) tests/unit -q $(SIDE_BY_SIDE) -m "not slow" --hypothesis-profile=quick

.PHONY: unit-slow
unit-slow: $(VENV)/ready ## the slow ones, and generated cases in full number
	$(PYTEST) tests/unit -q $(SIDE_BY_SIDE) -m "slow or hypothesis"

.PHONY: chart
chart: $(VENV)/ready ## tests of charts, dashboards, alerts and workflows by helm, promtool, actionlint
	hack/tools test
	hack/tool actionlint
	hack/cluster/build programs
	$(IN_CLUSTER) $(PYTEST) tests/chart -q $(SIDE_BY_SIDE)

# A test in pods waits about as long as it computes: three fill two cores, and with four they take
# longer. One of processes waits longer than that.
integration: PROCESSES = 4
e2e: PROCESSES = 3

.PHONY: integration
integration: $(VENV)/ready ## tests against the real API server and the real definitions
	hack/tool versitygw
	$(IN_CLUSTER) $(PYTEST) tests/integration tests/contract -q $(FILES_SIDE_BY_SIDE) $(SHOW_SLOW)
	$(IN_CLUSTER) $(PYTEST:$@.xml=$@-alone.xml) tests/integration -q -m alone $(SHOW_SLOW)

.PHONY: fresh
fresh: ## the first minutes of a newcomer, in a bare Debian of its own (root)
	hack/fresh/run

.PHONY: fresh-removals
fresh-removals: ## take each program out of the bare Debian and have it brought back (root, 5 minutes)
	hack/fresh/run removals

.PHONY: e2e
e2e: $(VENV)/ready ## whole benchmarks in real pods, with failures
	hack/tool versitygw
	hack/cluster/images $(OPERATOR_IMAGES) $(VERSION_IMAGES)
	$(IN_CLUSTER) hack/install $(PROCESSES)
	$(IN_CLUSTER) hack/cluster/operators $(PROCESSES)
	$(IN_CLUSTER) $(PYTEST) tests/e2e -v --no-header --tb=short $(FILES_SIDE_BY_SIDE) $(SHOW_SLOW)
	$(IN_CLUSTER) $(PYTEST:$@.xml=$@-alone.xml) tests/e2e -v --no-header --tb=short -m alone $(SHOW_SLOW)
	$(IN_CLUSTER) hack/cluster/operators remove $(PROCESSES)

.PHONY: tutorials
tutorials: $(VENV)/ready ## every command of docs/tutorials, in the cluster, with short steps (FULL_LENGTH=1: as written, 40 min; PAGES=sizing: some)
	$(IN_CLUSTER) hack/install
	$(IN_CLUSTER) $(PYTEST) tests/docs -v --no-header --tb=short -k "$(PAGES)" $(SHOW_SLOW)

.PHONY: soak-faults
soak-faults: $(VENV)/ready ## break every call of the operator in memory, one and two at a time (Python alone, 80 min)
	$(PYTEST) tests/soak -q -n $(PROCESSES) --dist worksteal -m soak

.PHONY: soak-interferences
soak-interferences: $(VENV)/ready ## 2,000 changes of fields, two operators of one Lease, 500 disturbed operators
	$(IN_CLUSTER) TRANSITIONS=2000 $(PYTEST:soak-interferences.xml=soak-transitions.xml) \
		tests/integration/test_transitions.py -q
	$(IN_CLUSTER) TWO_OPERATORS_SECONDS=600 $(PYTEST:soak-interferences.xml=soak-two-operators.xml) \
		tests/integration/test_two_operators.py -q
	$(IN_CLUSTER) INTERFERENCES=500 $(PYTEST) tests/integration/test_interferences.py -q \
		-n $$((5 * $(PROCESSES))) --dist worksteal

# With CASES, a part of their names, only some of the benchmarks in pods.
.PHONY: soak soak-capacity
soak soak-capacity: cluster-with-images
soak: $(if $(CASES),,soak-faults soak-interferences tutorials) ## soak-faults, soak-interferences, tutorials, eighty benchmarks that lose a pod (CASES=SolrOperator: only some of these; 4 h)
soak: SOAKED = $(or $(CASES),loss)
# Counts of requests do not depend on what runs beside them.
soak: PLACES = $(PROCESSES)
soak: OPERATED = yes
soak-capacity: SOAKED = an_hour
soak-capacity: PLACES = 5
soak-capacity: OPERATED =
soak-capacity: ## five times side by side, find the capacity of a real Solr and hold it for an hour (2 h)
soak soak-capacity: $(VENV)/ready
	$(if $(OPERATED),hack/cluster/images $(OPERATOR_IMAGES))
	$(IN_CLUSTER) hack/install $(PLACES)
	$(if $(OPERATED),$(IN_CLUSTER) hack/cluster/operators $(PLACES))
	$(IN_CLUSTER) $(PYTEST) tests/e2e -v --no-header --tb=short -n $(PLACES) --dist worksteal -m soak -k "$(SOAKED)"
	$(if $(OPERATED),$(IN_CLUSTER) hack/cluster/operators remove $(PLACES))

.PHONY: bench
bench: $(VENV)/ready ## load engine against wrk, k6 and Locust; operator at scale; intervals; conclusions (45 min)
	hack/tools bench
	hack/tool k6
	$(IN_CLUSTER) PYTHONPATH=operator/src:.:tests $(BIN)/python -m bench

.PHONY: test
test: ## everything, slow suites last; what .ci/run calls
	rm -rf $(REPORTS)
	hack/tools test
	mkdir -p build # beside the suites that need Python alone; a failure shows in `make e2e`
	nice hack/cluster/build $(OPERATOR_IMAGES) $(VERSION_IMAGES) >build/operators.log 2>&1 &
	$(MAKE) -j2 $(IN_ONE_PIECE) check fresh # one computes while the other waits for packages
	$(MAKE) -j2 $(IN_ONE_PIECE) unit-slow cluster-with-images
	$(MAKE) chart
	$(MAKE) integration
	$(MAKE) e2e
	$(MAKE) tutorials PAGES=ci-gate # e2e runs most of the first one; make soak all four
	hack/test_report.py $(REPORTS)

##@ Maintain
.PHONY: release-dry-run
release-dry-run: $(VENV)/ready ## every step of a release but push and signature, into build/release (CLIENT=skip: a minute less)
	PATH=$$PATH:$(abspath $(BIN)):$$(ls -d "$${SOLRBENCH_CACHE:-$$HOME/.cache/solrbench}"/bin/kube-* 2>/dev/null | head -n 1) \
		PYTHON=$(abspath $(BIN)/python) hack/release/dry-run

.PHONY: site
site: $(VENV)/ready ## build the site of docs/ into build/site/html, which needs no server; look for dead links
	test -x $(BIN)/zensical || $(BIN)/pip install -q --disable-pip-version-check --group docs
	hack/site/build

.PHONY: audit
audit: ## look up known vulnerabilities of the pinned libraries (needs a package index)
	PYTHON=$(BIN)/python hack/audit $(AUDIT)

.PHONY: lock
lock: ## pin all run-time dependencies for the image
	hack/lock

$(VENV)/ready: pyproject.toml requirements.lock
	hack/venv $(VENV)

.PHONY: clean
clean: ## remove what make made here; caches of the cluster stay
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

.PHONY: help
help: ## show this text
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  \033[36m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)
