# `make run` starts the product, `make test` checks everything. `make help` lists the rest.

.DEFAULT_GOAL := help
python := .venv/bin/python
stages := chaos-sqlite chaos-postgres format lint types imports checks migrations schema sqlite \
	postgres processes fuzz browser

.PHONY: help
help:  ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 16
	@echo "One stage of make test: make $$(echo $(stages) | sed 's/ /, make /g')"

.PHONY: run
run:  ## start Gatehouse with demo users on 127.0.0.1:PORT (8000), data in GATEHOUSE_HOME (./var)
	@scripts/make_venv run
	@GATEHOUSE_DEBUG="$${GATEHOUSE_DEBUG-1}" exec $(python) manage.py serve

.PHONY: test
test: dev  ## lint, types, all tests on both databases, kill tests, short chaos and fuzz, a browser
	@$(python) -m scripts.check

.PHONY: soak
soak: dev  ## the fuzzer for FUZZ_SECONDS (150), then chaos for CHAOS_SECONDS (60), on each database
	@FUZZ_SECONDS="$${FUZZ_SECONDS:-150}" $(python) -m scripts.check fuzz
	@CHAOS_SECONDS="$${CHAOS_SECONDS:-60}" $(python) -m scripts.check chaos-sqlite
	@CHAOS_SECONDS="$${CHAOS_SECONDS:-60}" $(python) -m scripts.check chaos-postgres

.PHONY: chaos
chaos: dev  ## kill workers for SECONDS (60) or until KILLS, on DB=sqlite or postgres, from SEED
	@$(python) -m tests.chaos --db $(or $(DB),sqlite) --seconds $(or $(SECONDS),60) \
		$(if $(KILLS),--kills $(KILLS)) $(if $(SEED),--seed $(SEED))

.PHONY: $(stages)
$(stages): dev
	@$(python) -m scripts.check $@

.PHONY: dev
dev:  ## the environment for working on Gatehouse, in .venv
	@scripts/make_venv dev

.PHONY: fix
fix: dev  ## format, and mend what the linter can mend
	@$(python) -m ruff check --fix-only .
	@$(python) -m ruff format .

.PHONY: screenshots
screenshots: dev  ## take the pictures in docs/
	@$(python) -m scripts.screenshots

.PHONY: messages
messages: dev  ## collect the words people read into locale/ and compile them (needs gettext)
	@$(python) manage.py makemessages -l zh_Hans --no-location --no-obsolete \
		$(foreach folder,.venv* var node_modules tests test-results,-i '$(folder)')
	@$(python) manage.py compilemessages -l zh_Hans -i '.venv*'

.PHONY: bench-tools
bench-tools: dev  ## measure the gate, fetches, lists, pages, turns and streams against their limits
	@$(python) -m bench.tools

.PHONY: bench-jobs
bench-jobs: dev  ## measure background jobs beside raw django-q2 and procrastinate
	@$(python) -m bench.jobs

.PHONY: bench-audit
bench-audit: dev  ## measure audit events, policy decisions and the explorer beside 1M events (ROWS)
	@$(python) -m bench.audit

.PHONY: bench-search
bench-search: dev  ## measure what is found and how soon (FILE: LoCoMo's JSON, ROWS: 1M)
	@$(python) -m bench.search

.PHONY: bench-startup
bench-startup: dev  ## measure how soon a second `make run` is ready, and its memory
	@$(python) -m bench.startup

.PHONY: requirements
requirements:  ## compile requirements*.txt from pyproject.toml (UPGRADE=1: newest versions)
	@scripts/compile_requirements $(if $(UPGRADE),--upgrade)
