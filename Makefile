# solrbench. `make help` lists the targets; `make demo` shows the product.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
# Sets KUBECONFIG for the cluster of `make cluster`, and PATH for all that hack/tools brings.
IN_CLUSTER := eval "$$(hack/cluster/env)" &&

# The Solr Operator's real definitions, where they are at hand; see CONTRIBUTING.md.
SOLRBENCH_CRDS ?= $(abspath $(wildcard ../shared/data/crds))

# One clock for all scripts of one call: what they print counts from its beginning.
ifndef SOLRBENCH_STARTED
SOLRBENCH_STARTED := $(shell date +%s)
endif
export CLUSTER SOLRBENCH_CRDS SOLRBENCH_STARTED

##@ Use
.PHONY: demo
demo: ## cluster, images, operator, quickstart: from a clone to a result table
	hack/tools demo
	hack/cluster/build programs environment pause solr zookeeper solrbench
	hack/cluster/up
	hack/cluster/images solr zookeeper solrbench
	$(MAKE) install
	$(IN_CLUSTER) hack/demo $(BIN)/solrbench

.PHONY: cluster
cluster: ## start a real single-node Kubernetes from packages (CLUSTER=kind: with kind)
	hack/cluster/up

.PHONY: cluster-down
cluster-down: ## stop it and remove every trace
	hack/cluster/down

.PHONY: images
images: ## build the images that the cluster runs
	hack/cluster/images

.PHONY: install
install: $(VENV)/ready ## install or upgrade the operator by its chart, in namespace solrbench
	$(IN_CLUSTER) hack/install

##@ Develop
.PHONY: lint
lint: $(VENV)/ready ## ruff, import-linter
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PYTHONPATH=operator/src $(BIN)/lint-imports

.PHONY: format
format: $(VENV)/ready ## format and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: typing
typing: $(VENV)/ready ## mypy, strict
	$(BIN)/mypy

.PHONY: generate
generate: $(VENV)/ready ## write the CRD, its chart template and the API reference from the models
	$(BIN)/python -m solrbench.api.generate

.PHONY: verify
verify: $(VENV)/ready ## check that everything generated is up to date
	$(BIN)/python -m solrbench.api.generate --check

.PHONY: unit
unit: $(VENV)/ready ## tests without a cluster
	$(PYTEST) tests/unit -q

.PHONY: integration
integration: $(VENV)/ready ## tests against the real API server and the real definitions
	$(IN_CLUSTER) $(PYTEST) tests/integration tests/contract -q

.PHONY: e2e
e2e: $(VENV)/ready install ## whole benchmarks in real pods, with failures
	$(IN_CLUSTER) $(PYTEST) tests/e2e -v --no-header --tb=short

.PHONY: bench
bench: $(VENV)/ready ## speed and rightness of the load against wrk, k6 and Locust (6 minutes)
	hack/tools bench
	$(IN_CLUSTER) PYTHONPATH=operator/src:. $(BIN)/python -m bench

.PHONY: test
test: lint typing verify unit ## everything, slow suites last; what .ci/run calls
	$(MAKE) cluster
	$(MAKE) images
	$(MAKE) integration
	$(MAKE) e2e

##@ Maintain
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
