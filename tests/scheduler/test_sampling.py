"""How the queues stood: counted once a minute, and drawn."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import Clinic
from scheduler.models import QueueSample
from scheduler.queues_page import Span, schedules_told, waits_of
from scheduler.usecases.operating import pause_queue
from scheduler.usecases.purging import purge_samples
from scheduler.usecases.sampling import SETTLES_WITHIN, sample_queues
from scheduler.waits import PLACES, share_within
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.scheduler.bench import queue_deeds, set_queue, work
from tests.scheduler.busy import add_runs, make_busy
from tests.scheduler.deeds import PLAIN_QUEUE

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_what_was_finished_is_counted_once_with_how_long_it_waited(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", "write", now=now, due=-timedelta(seconds=4))
    queue_deeds(clinic, "write", now=now, due=-timedelta(seconds=50))
    queue_deeds(clinic, "refused", now=now)
    work(now=now)

    first = sample_queues(now=now + SETTLES_WITHIN, real=now)
    second = sample_queues(now=now + SETTLES_WITHIN + MINUTE, real=now + MINUTE)

    assert (first.finished, first.died, second.finished, second.died) == (3, 1, 0, 0)
    assert (share_within(first.waits, of_100=50), share_within(first.waits, of_100=95)) == (5, 60)
    assert first.queues[PLAIN_QUEUE]["finished"] == 3


def test_the_oldest_due_is_that_of_the_queues_that_are_not_paused(clinic: Clinic, now: datetime) -> None:
    queue_deeds(clinic, "write", now=now, due=-MINUTE)

    assert sample_queues(now=now, real=now).oldest_due_seconds == 60
    set_queue(paused_at=now)
    assert sample_queues(now=now, real=now + MINUTE).oldest_due_seconds == 0


def test_nobody_waited_for_what_a_moved_clock_made_due(clinic: Clinic, now: datetime) -> None:
    sample_queues(now=now, real=now)
    queue_deeds(clinic, "write", now=now, due=timedelta(days=2))
    later = now + timedelta(days=3)
    work(now=later)

    assert sample_queues(now=later + SETTLES_WITHIN, real=now + MINUTE).waits == []


def test_nothing_begun_has_no_half() -> None:
    assert share_within([0] * PLACES, of_100=50) is None
    assert share_within([0] * (PLACES - 1) + [1], of_100=50) == 86_400


@pytest.mark.parametrize("span", list(Span))
def test_a_span_is_told_up_to_now_with_its_gaps(clinic: Clinic, now: datetime, span: Span) -> None:
    make_busy(clinic, now=now)
    QueueSample.objects.filter(taken_at__gt=now - 10 * MINUTE, taken_at__lt=now - 5 * MINUTE).delete()

    waits = waits_of(span, now=now)

    assert (waits.p50, waits.p95) == (2, 8)
    assert waits.died == 12
    if span == Span.HOUR:
        assert sum(not one.is_sampled for one in waits.buckets) == 5
        assert max(one.oldest_due_seconds for one in waits.buckets) == 100


def test_samples_go_by_age(now: datetime) -> None:
    sample_queues(now=now, real=now - timedelta(days=9))
    sample_queues(now=now, real=now)

    assert purge_samples(before=now - timedelta(days=8), limit=10) == 1
    assert QueueSample.objects.count() == 1


def test_schedules_say_how_their_last_runs_went(clinic: Clinic, now: datetime) -> None:
    add_runs(clinic, now=now)
    add_runs(ClinicFactory.create(), now=now)

    (told,) = schedules_told(clinic)

    assert (len(told.runs), told.well, told.ended) == (14, 13, 14)
    assert told.bad is not None and told.bad.state == "missed"
    assert len(schedules_told(None)) == 2


def test_a_paused_queue_says_by_whom_and_since_when(now: datetime) -> None:
    boss = UserFactory.create(is_superuser=True, username="marta")
    queue = set_queue(paused_at=None)
    pause_queue(queue, actor=Actor(ActorKind.STAFF, boss.pk), now=clock.now() - 5 * MINUTE)
    client = Client()
    client.force_login(boss, backend="clinicbot.auth.ClinicRoleBackend")

    page = client.get(reverse("queues")).text

    assert "paused for 5 min" in page
    assert "by marta" in page


def test_a_clinics_own_page_draws_nothing_of_other_clinics(client: Client, clinic: Clinic) -> None:
    make_busy(ClinicFactory.create(), now=clock.now())

    member = MembershipFactory.create(clinic=clinic, role="clinic_admin")
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")

    response = client.get(reverse("queues"))

    assert "waits" not in response.context
    assert response.context["schedules"] == []
    assert response.context["troubles"] == []
