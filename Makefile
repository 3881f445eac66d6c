# `make demo` shows the product, `make test` proves it. Both set up all they need.
.DEFAULT_GOAL := help
.PHONY: help demo test check chaos month bench mutants admin-million stop

PYTHON ?= python3
PORT ?= 8000
RUN := .venv/bin/python
UV := UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv UV_PYTHON=$(RUN) $(RUN) -m uv
# Each file's tests stay together, and the longest files come first (tests/workers.py). ARGS="-n 0" for one process.
WORKERS := -n auto --dist loadfile --no-loadscope-reorder
# How soon a booking is on the phone is asked with nothing else at work.
TIMED := tests/e2e/test_flows.py
TESTING := DJANGO_SETTINGS_MODULE=clinicbot.settings.test
# As little as production needs, to see that it is safe with no more. The values open nothing.
PRODUCTION := DJANGO_SETTINGS_MODULE=clinicbot.settings.base DEMO=0 DEBUG=0 BASE_URL=https://clinic.example \
  DATABASE_URL=postgres://clinicbot@localhost/clinicbot SECRET_KEY=checked-only-0123456789-abcdefghijklmnopqrstuvwxyz-0123456789 \
  FIELD_ENCRYPTION_KEY=Y2hlY2tlZC1vbmx5LWNoZWNrZWQtb25seS1jaGVja2U= TICK_SECRET=checked-only

help:
	@echo "make demo    a running site with sample data, on PORT (now $(PORT)); Ctrl-C stops it"
	@echo "make test    the whole test suite, by several workers"
	@echo "make check   style, types, boundaries, settings, migrations, catalogues"
	@echo "make chaos   2,000 messages while ticks are killed, the database restarts and the line is cut; some ten minutes"
	@echo "make month   a month of two clinics on the moved clock: who heard what and when, against an oracle; some three minutes"
	@echo "make bench   how fast: each figure as a ratio in one run; five minutes"
	@echo "make mutants each rule of the protocols is taken out of a copy, and a test must miss it; some ten minutes"
	@echo "make admin-million    each page of the admin over a million rows of each kind; under ten minutes"
	@echo "make stop    stop the embedded PostgreSQL, if one was left running"

demo: .venv/demo.stamp
	@PORT=$(PORT) DEMO=1 $(RUN) manage.py demo

test: .venv/dev.stamp .venv/browser.stamp
	@status=0; if [ -e .venv/browser.stamp ]; then \
	  $(RUN) -m pytest $(TIMED) || status=$$?; \
	  $(RUN) -m pytest $(WORKERS) --ignore=$(TIMED) $(ARGS) || status=$$?; else \
	  echo "Without the browser tests, for there is no Chromium."; $(RUN) -m pytest $(WORKERS) -m "not e2e" $(ARGS) || status=$$?; fi; \
	$(TESTING) $(RUN) manage.py stop_database --if-unused; exit $$status

check: .venv/dev.stamp
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	git ls-files -z '*.html' | xargs -0 -r .venv/bin/djade --check --target-version 5.2
	git ls-files -z 'templates/*.html' '*/templates/*.html' | xargs -0 -r $(RUN) -m djlint --lint --quiet
	.venv/bin/lint-imports
	$(RUN) -m mypy
	$(PRODUCTION) $(RUN) manage.py check --deploy --fail-level WARNING
	$(TESTING) $(RUN) manage.py makemigrations --check --dry-run
	$(TESTING) $(RUN) manage.py catalogues check

# Bounded in time; ARGS="--messages 5000 --seed 7" for another story.
chaos: .venv/dev.stamp
	@$(RUN) -m tests.chaos $(ARGS)

# ARGS="--seed 7 --days 31" for another month. What differs is told in words, and fails.
month: .venv/dev.stamp
	@$(RUN) -m tests.month $(ARGS); status=$$?; $(TESTING) $(RUN) manage.py stop_database --if-unused; exit $$status

# ARGS="--only drain,sender" measures some of it.
bench: .venv/dev.stamp
	@$(RUN) -m tests.bench $(ARGS)

# ARGS="--only booking" takes out the rules of one table.
mutants: .venv/dev.stamp
	@$(TESTING) $(RUN) -m tests.mutants $(ARGS); status=$$?; $(TESTING) $(RUN) manage.py stop_database --if-unused; exit $$status

# ARGS="--rows 100000" for fewer.
admin-million: .venv/dev.stamp
	@$(RUN) -m tests.million $(ARGS)

stop: .venv/demo.stamp
	$(RUN) manage.py stop_database
	$(TESTING) $(RUN) manage.py stop_database

.venv/uv.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "clinicbot needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(RUN) -m pip install --quiet --disable-pip-version-check 'uv>=0.5'
	@touch $@

.venv/demo.stamp: .venv/uv.stamp pyproject.toml uv.lock
	$(UV) sync --quiet --frozen --inexact --group demo
	@touch $@

.venv/dev.stamp: .venv/demo.stamp
	$(UV) sync --quiet --frozen --inexact --group dev
	@touch $@

# Debian's Chromium; on other systems any of these names on the PATH will do.
.venv/browser.stamp: .venv/dev.stamp
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && touch $@ && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install chromium >/dev/null && touch $@; \
	else \
	  echo "No Chromium here. For the browser tests install it, for example: sudo apt-get install chromium"; \
	fi
