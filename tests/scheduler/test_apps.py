"""Queues exist after each migration, as declared or as somebody changed them; a kind without one is told at start-up."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from django.apps import apps
from django.core.checks import run_checks

from scheduler import contracts
from scheduler.apps import SchedulerConfig, create_missing_queues
from scheduler.checks import check_job_queues
from scheduler.models import Queue
from tests.scheduler.bench import set_queue


def migrate() -> None:
    create_missing_queues(cast("SchedulerConfig", apps.app_configs["scheduler"]), using="default")


def test_the_products_queues_have_their_limits(db: None) -> None:
    limits = set(Queue.objects.values_list("name", "concurrency", "rate_per_second"))

    assert limits >= {
        ("appointment-reminders", 5, 50.0),
        ("daily-agenda", 2, None),
        ("dental-messages", 3, None),
        ("maintenance", 2, None),
    }


def test_a_migration_adds_what_is_missing_and_leaves_what_was_changed(db: None) -> None:
    set_queue("appointment-reminders", concurrency=9)
    Queue.objects.filter(name="daily-agenda").delete()

    migrate()

    assert Queue.objects.get(name="appointment-reminders").concurrency == 9
    assert Queue.objects.get(name="daily-agenda").concurrency == 2


def test_the_products_kinds_all_have_a_queue() -> None:
    assert [error for error in run_checks() if (error.id or "").startswith("scheduler.")] == []


def test_a_kind_without_queue_or_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    good = contracts.list_kinds()[0]
    bad = replace(good, name="tests.get_lost", queue="nowhere", time_limit_seconds=0)
    monkeypatch.setattr(contracts, "_kinds", {good.name: good, bad.name: bad})

    assert [error.id for error in check_job_queues()] == ["scheduler.E001", "scheduler.E002"]
