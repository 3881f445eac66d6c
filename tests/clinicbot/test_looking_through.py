"""Lists over millions of rows: a filter that no index serves looks through the newest rows, and says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.models import Clinic, Role
from scheduler.models import JobState, ScheduledJob
from tests.factories import MembershipFactory
from tests.scheduler.bench import queue_deeds, work
from tests.scheduler.deeds import PLAIN_QUEUE

pytestmark = pytest.mark.django_db

LIST = "admin:scheduler_scheduledjob_changelist"
SAID = "This filter looks through the newest 3 rows."


@pytest.fixture
def chief(clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(ReadOnlyAdmin, "looks_through", 3)
    client = Client()
    client.force_login(
        MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user,
        backend="clinicbot.auth.ClinicRoleBackend",
    )
    return client


def ask(client: Client, **query: str) -> tuple[set[int], str]:
    response: Any = client.get(reverse(LIST), query)
    return {row.pk for row in response.context["cl"].result_list}, response.text


def test_a_filter_without_an_index_looks_through_the_newest_rows(chief: Client, clinic: Clinic) -> None:
    now = clock.now()
    done = queue_deeds(clinic, *["write"] * 3, now=now)
    work(now=now)
    newer = queue_deeds(clinic, *["write"] * 2, now=now, due=timedelta(hours=1))

    found, page = ask(chief, state__exact=JobState.DONE)
    assert found == {done[-1]}
    assert SAID in page

    found, page = ask(chief, queue=PLAIN_QUEUE)
    assert found == {done[-1], *newer}


def test_an_index_finds_among_all_rows(chief: Client, clinic: Clinic) -> None:
    now = clock.now()
    (dead,) = queue_deeds(clinic, "refused", now=now, key="visit:1")
    work(now=now)
    newer = queue_deeds(clinic, *["write"] * 5, now=now, due=timedelta(hours=1))

    for query in (
        {"state__exact": "dead"},
        {"q": str(dead)},
        {"q": "visit:1"},
        {"state__exact": "dead", "q": str(dead)},
    ):
        found, page = ask(chief, **query)
        assert found == {dead}, query
        assert SAID not in page
    assert ask(chief)[0] == {dead, *newer}


def test_few_rows_are_looked_through_as_a_whole(chief: Client, clinic: Clinic) -> None:
    queue_deeds(clinic, *["write"] * 3, now=clock.now())

    found, page = ask(chief, queue=PLAIN_QUEUE)

    assert len(found) == ScheduledJob.objects.for_clinic(clinic).count() == 3
    assert SAID not in page
