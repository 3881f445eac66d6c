"""The scheduler's figures. Settings that an operator may change come from the environment."""

from __future__ import annotations

import math

from django.conf import settings

BATCH_SIZE = 100
# While a queue's batches are quick they grow up to this, so that its claims and commits are fewer.
LARGEST_BATCH_SIZE = 800
QUICK_BATCH_SECONDS = 0.25
# One step must not keep the others of its round waiting.
ROUND_SHARE_SECONDS = 5.0
# Every so many-th claim takes the oldest jobs whatever their priority, so that nothing starves.
CLAIMS_PER_CLAIM_BY_AGE = 5
# What a lease adds to the budget and the time limit: clocks differ, and a commit takes time.
LEASE_MARGIN_SECONDS = 5.0

CRASHES_TO_DEAD = 3
RESCUE_BATCH = 1000

BACKOFF_CAP_SECONDS = 4 * 3600.0

# A job that snoozes for no time at all would keep the tick busy with itself.
SHORTEST_SNOOZE_SECONDS = 1.0
UNKNOWN_KIND_RETRY_SECONDS = 600.0
UNKNOWN_KIND_DEAD_AFTER_SECONDS = 24 * 3600.0

# Retrying many jobs spreads them: 20,000 over half an hour.
RETRY_SPREAD_SECONDS_PER_JOB = 0.09
RETRY_SPREAD_LIMIT_SECONDS = 1800.0

SCHEDULES_PER_ROUND = 100
# After a long outage of a frequent schedule only the newest misses are kept.
MISSES_KEPT_PER_SCHEDULE = 500

STEP_FAILURES_PER_TICK = 3
HTTP_BUDGET_SECONDS = 20.0


def longest_wait_seconds() -> float:
    """How long a tick waits in one piece for what will be due. The demonstration's clock may be moved on meanwhile."""
    return 2.0 if settings.DEMO else math.inf


def tick_budget_seconds() -> float:
    return float(settings.TICK_BUDGET)


def tick_secrets() -> list[str]:
    """Newest first; all are valid, so that one can be replaced without a gap."""
    return [secret for secret in settings.TICK_SECRET if secret]


SAMPLE_EVERY_SECONDS = 50
"""How often the queues are looked at for the charts: a little less than a minute, which is how often cron comes."""

BATCH_CHUNK = 500
"""Rows of an act on many rows that one transaction changes."""

BATCH_CHUNK_EVERY_SECONDS = 60
"""How often a batch that is spread over time is carried on: as often as cron comes."""
