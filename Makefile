# Each command sets up what it needs, and re-does only what changed: a stamp file lives inside
# the thing it vouches for and carries the checksum of what that thing was made from.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RESULTS := .make/results
LAB_FILES := $(CURDIR)/.make/lab
LAB_ARGS ?=

export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

checksum = $(shell cksum $(1) 2>/dev/null | cksum | cut -d ' ' -f 1)
FRONTEND_FILES := $(sort $(shell find src style schema -type f -not -path '*/__tests__/*' 2>/dev/null)) tsconfig.json package.json

# Only the packaging half of pyproject.toml: a new lint rule is no reason to install again.
PYTHON_SUM := $(shell (sed '/^\[tool\.ruff\]/,$$d' pyproject.toml; grep '"version"' package.json; \
	cat jupyter-config/server-config/*.json) | cksum | cut -d ' ' -f 1)
NPM_SUM := $(call checksum,package-lock.json .npmrc)
FRONTEND_SUM := $(call checksum,$(FRONTEND_FILES))

PYTHON_STAMP := $(VENV)/.stamp-$(PYTHON_SUM)
NPM_STAMP := node_modules/.stamp-$(NPM_SUM)
# Re-installing the Python package removes the link to the frontend, hence both sums.
FRONTEND_STAMP := lib/.stamp-$(FRONTEND_SUM)-$(NPM_SUM)-$(PYTHON_SUM)

.PHONY: help install lab test check fix bench chaos soak faults fuzz livefuzz pictures clean chromium

help: ## List the commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

install: $(FRONTEND_STAMP) ## Install everything into .venv

$(PYTHON_STAMP):
	@echo "==> Python packages"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	rm -rf $(VENV)/.stamp-* $(VENV)/share/jupyter/labextensions/notebook-bcc-ext
	mkdir -p notebook_bcc_ext/labextension
	SKIP_JUPYTER_BUILDER=1 $(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(NPM_STAMP):
	@echo "==> npm packages"
	npm ci --no-audit --no-fund --loglevel=error
	touch $@

$(FRONTEND_STAMP): $(PYTHON_STAMP) $(NPM_STAMP)
	@echo "==> Frontend"
	rm -rf lib tsconfig.tsbuildinfo notebook_bcc_ext/labextension
	npm run --silent build
	jupyter-builder develop . --overwrite
	touch $@

chromium:
	@ui-tests/install-chromium.sh

$(LAB_FILES):
	@mkdir -p $@

# A copy, so that trying things out leaves the examples as they are; what is in it stays.
.PHONY: labfiles
labfiles: | $(LAB_FILES)
	@for file in examples/*; do \
		copy=$(LAB_FILES)/$${file##*/}; test -e "$$copy" || cp -R "$$file" "$$copy"; done

lab: install labfiles ## Open JupyterLab on a copy of the examples, kept in .make/lab; LAB_ARGS="--port 8899"
	jupyter lab $$([ "$$(id -u)" -ne 0 ] || echo --allow-root) \
		--ServerApp.root_dir=$(LAB_FILES) --LabApp.default_url=/lab/tree/first-steps.ipynb $(LAB_ARGS)

check: install ## Lint and types
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	python scripts/generate.py --check
	npm run --silent lint:es
	npm run --silent lint:format
	npm run --silent lint:style
	npm run --silent lint:types
	@echo "==> all checks clean"

fix: install ## Let the tools repair what they can
	ruff check --fix .
	ruff format .
	npm run --silent fix

test: check chromium ## Every check there is: lint, types, unit, contract, frontend, browser
	@rm -rf $(RESULTS) && mkdir -p $(RESULTS)
	@failed=0; \
	echo "==> Python tests"; pytest -n 2 --dist loadfile --junitxml=$(RESULTS)/python.xml || failed=1; \
	echo "==> Frontend tests"; npx jest --json --outputFile=$(RESULTS)/jest.json || failed=1; \
	echo "==> Browser tests"; npx playwright test --config ui-tests/playwright.config.ts || failed=1; \
	python tests/support/summary.py $(RESULTS) || failed=1; \
	exit $$failed

bench: install chromium ## Measurements beside their targets; BENCH_ARGS=--quick for a short form
	python -m bench $(BENCH_ARGS)

pictures: install chromium ## Renew the pictures of the documentation: docs/images
	BCC_UI_PICTURES=1 npx playwright test --config ui-tests/playwright.config.ts --grep @picture
	npx playwright test --config ui-tests/pictures.config.ts
	python scripts/animate.py ui-tests/screenshots/frames docs/images/run.webp

chaos: install ## Kill a server at 200 random moments and count what is lost; MOMENTS=20, SEED=1
	python -m tests.chaos.campaign --moments $(or $(MOMENTS),200) $(if $(SEED),--seed $(SEED))

soak: install ## Runs with constant output: does anything grow? MINUTES=60 for the long form
	python -m tests.soak.campaign --minutes $(or $(MINUTES),5)

faults: install ## Inject every fault and print its outcome
	python -m tests.faults.campaign

fuzz: install ## 10,000 strange planner answers, and strange requests to our own API; SEED=1
	python -m tests.fuzz.campaign $(if $(SEED),--seed $(SEED))
	BCC_FUZZ_EXAMPLES=100 pytest -q -n 0 --timeout 3600 tests/fuzz/test_openapi_fuzz.py

livefuzz: install chromium ## Random edits, saves, reloads and second tabs during runs; DURATION=300 SEED=n
	BCC_FUZZ_SECONDS=$(or $(DURATION),300) $(if $(SEED),BCC_FUZZ_SEED=$(SEED)) \
		npx playwright test --config ui-tests/playwright.config.ts live-fuzz

clean: ## Remove everything the commands made, but the notebooks of make lab
	find .make -mindepth 1 -maxdepth 1 -not -path $(LAB_FILES:$(CURDIR)/%=%) -exec rm -rf {} + 2>/dev/null || true
	rm -rf .venv node_modules lib dist tsconfig.tsbuildinfo notebook_bcc_ext/labextension
	rm -rf ui-tests/playwright-report ui-tests/test-results ui-tests/screenshots
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
