"""The admin of jobs, schedules, ticks and queues: who sees what, who may do what."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.models import AuditEntry, Clinic, Role
from scheduler.models import JobState, Queue, Schedule, TickRun
from scheduler.usecases.enqueueing import enqueue
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.scheduler.bench import job, queue_deeds, set_queue, states, work
from tests.scheduler.deeds import PLAIN_QUEUE, Act
from tests.scheduler.schedules import madrid_nine

pytestmark = pytest.mark.django_db

BACKEND = "clinicbot.auth.ClinicRoleBackend"


def member(clinic: Clinic, role: Role) -> Client:
    client = Client()
    client.force_login(MembershipFactory.create(clinic=clinic, role=role).user, backend=BACKEND)
    return client


@pytest.fixture
def as_chief(clinic: Clinic) -> Client:
    return member(clinic, Role.CLINIC_ADMIN)


@pytest.fixture
def as_desk(clinic: Clinic) -> Client:
    return member(clinic, Role.FRONT_DESK)


@pytest.fixture
def as_boss() -> Client:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True), backend=BACKEND)
    return client


def page_of(model: str) -> str:
    return reverse(f"admin:scheduler_{model}_changelist")


def act(client: Client, model: str, action: str, *ids: int) -> Any:
    return client.post(page_of(model), {"action": action, "_selected_action": ids}, follow=True)


def dead_job(clinic: Clinic, *, now: datetime, key: str | None = None) -> int:
    (queued,) = queue_deeds(clinic, "refused", now=now, key=key)
    work(now=now)
    return queued


def rows(response: Any) -> set[int]:
    return {row.pk for row in response.context["cl"].result_list}


def test_a_clinic_admin_sees_the_own_clinics_jobs_alone(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    own = queue_deeds(clinic, "write", "write", now=now)
    (foreign,) = queue_deeds(ClinicFactory.create(), "write", now=now)

    assert rows(as_chief.get(page_of("scheduledjob"))) == set(own)
    assert as_chief.get(reverse("admin:scheduler_scheduledjob_change", args=[foreign])).status_code == 302
    assert as_chief.get(reverse("admin:scheduler_scheduledjob_change", args=[own[0]])).status_code == 200


def test_jobs_are_found_by_number_key_state_queue_and_kind(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    dead = dead_job(clinic, now=now, key="visit:5:v1")
    queue_deeds(clinic, "write", now=now, key="visit:55:v1")

    for query in (f"?q={dead}", "?q=visit:5:v1", "?state__exact=dead"):
        assert rows(as_chief.get(page_of("scheduledjob") + query)) == {dead}, query
    for query in (f"?queue={PLAIN_QUEUE}", f"?kind={Act.kind}"):
        assert len(rows(as_chief.get(page_of("scheduledjob") + query))) == 2, query
    assert rows(as_chief.get(page_of("scheduledjob") + "?queue=daily-agenda")) == set()


def test_a_job_can_be_tried_again(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    dead = dead_job(clinic, now=now)

    response = act(as_chief, "scheduledjob", "retry_selected", dead)

    assert job(dead).state == JobState.QUEUED
    assert "1 job queued again." in response.text
    assert AuditEntry.objects.get(action="scheduler.retry_jobs").clinic == clinic


def test_a_superseded_job_says_by_which(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    dead = dead_job(clinic, now=now, key="visit:5")
    live = enqueue(clinic.pk, Act(), run_at=now, unique_key="visit:5", now=now)

    response = act(as_chief, "scheduledjob", "retry_selected", dead)

    assert f"Job {dead} is superseded by job {live.job_id}." in response.text


def test_a_job_can_be_cancelled(as_chief: Client, clinic: Clinic, now: datetime) -> None:
    queued = queue_deeds(clinic, "write", now=now)

    act(as_chief, "scheduledjob", "cancel_selected", *queued)

    assert states(queued) == [JobState.CANCELLED]


@pytest.mark.parametrize("action", ["retry_selected", "cancel_selected"])
def test_the_jobs_of_another_clinic_cannot_be_acted_on(as_chief: Client, now: datetime, action: str) -> None:
    dead = dead_job(ClinicFactory.create(), now=now)

    act(as_chief, "scheduledjob", action, dead)

    assert job(dead).state == JobState.DEAD


@pytest.mark.parametrize("action", ["retry_selected", "cancel_selected"])
def test_the_front_desk_may_not(as_desk: Client, clinic: Clinic, now: datetime, action: str) -> None:
    dead = dead_job(clinic, now=now)

    assert act(as_desk, "scheduledjob", action, dead).status_code == 403
    assert job(dead).state == JobState.DEAD


@pytest.mark.parametrize("model", ["scheduledjob", "schedule", "schedulerun", "tickrun"])
def test_what_machines_write_is_read_only(as_boss: Client, clinic: Clinic, model: str) -> None:
    assert as_boss.get(page_of(model)).status_code == 200
    assert as_boss.get(reverse(f"admin:scheduler_{model}_add")).status_code == 403


def test_a_schedule_is_switched_by_a_superuser(
    as_boss: Client, as_chief: Client, clinic: Clinic, now: datetime
) -> None:
    schedule = madrid_nine(clinic, now=now)

    act(as_chief, "schedule", "disable_selected", schedule.pk)
    assert Schedule.objects.for_clinic(clinic).get().is_enabled
    act(as_boss, "schedule", "disable_selected", schedule.pk)
    assert not Schedule.objects.for_clinic(clinic).get().is_enabled
    act(as_boss, "schedule", "enable_selected", schedule.pk)
    assert Schedule.objects.for_clinic(clinic).get().is_enabled


@pytest.mark.parametrize("model", ["tickrun", "queue"])
def test_ticks_and_queues_are_a_superusers(as_chief: Client, model: str) -> None:
    assert as_chief.get(page_of(model)).status_code == 403


# Limits


def change_queue(client: Client, **limits: object) -> Any:
    queue = Queue.objects.get(name=PLAIN_QUEUE)
    good = {"concurrency": 2, "rate_per_second": "", "max_attempts": 3, "backoff_base_seconds": 5}
    return client.post(reverse("admin:scheduler_queue_change", args=[queue.pk]), {**good, **limits})


def test_a_superuser_sets_the_limits_of_a_queue(as_boss: Client) -> None:
    response = change_queue(as_boss, concurrency=7, rate_per_second="2.5")

    queue = Queue.objects.get(name=PLAIN_QUEUE)
    assert response.status_code == 302
    assert (queue.concurrency, queue.rate_per_second) == (7, 2.5)
    assert AuditEntry.objects.get().action == "scheduler.set_queue_limits"


@pytest.mark.parametrize("bad", [{"concurrency": 0}, {"rate_per_second": "0"}, {"max_attempts": ""}])
def test_limits_that_stop_everything_are_errors_of_the_form(as_boss: Client, bad: dict[str, object]) -> None:
    assert change_queue(as_boss, **bad).status_code == 200
    assert Queue.objects.get(name=PLAIN_QUEUE).concurrency == 2


@pytest.mark.parametrize(("action", "paused"), [("pause_selected", True), ("resume_selected", False)])
def test_a_superuser_pauses_and_resumes_in_the_list(as_boss: Client, now: datetime, action: str, paused: bool) -> None:
    queue = set_queue(paused_at=None if paused else now)

    act(as_boss, "queue", action, queue.pk)

    queue.refresh_from_db()
    assert (queue.paused_at is not None) is paused


# The page of queues


def test_the_page_of_queues_shows_what_waits(as_boss: Client, clinic: Clinic) -> None:
    queue_deeds(clinic, *["write"] * 3, now=clock.now() - timedelta(hours=2))
    TickRun.objects.create(started_at=clock.real() - timedelta(minutes=3), budget_seconds=1, source="cron")

    page = as_boss.get("/admin/queues/").text

    assert "The last tick began 3 min ago." in page
    assert "due for 2 h" in page
    assert f"{page_of('scheduledjob')}?state__exact=queued&amp;queue={PLAIN_QUEUE}" in page
    assert page.count('<form method="post" action="/admin/queues/') == Queue.objects.count()


def test_without_any_tick_it_says_so(as_boss: Client) -> None:
    assert "No tick has run yet" in as_boss.get("/admin/queues/").text


def test_a_clinic_admin_sees_the_own_counts_and_no_switch(as_chief: Client, clinic: Clinic) -> None:
    queue_deeds(ClinicFactory.create(), *["write"] * 3, now=clock.now())

    response = as_chief.get("/admin/queues/")

    assert {depth.waiting for depth in response.context["depths"]} == {0}
    assert "/pause/" not in response.text
    assert "Counts are those of this clinic" in response.text


def test_a_queue_is_paused_and_resumed_from_the_page(as_boss: Client) -> None:
    as_boss.post(f"/admin/queues/{PLAIN_QUEUE}/pause/")
    assert Queue.objects.get(name=PLAIN_QUEUE).paused_at is not None
    assert f"/admin/queues/{PLAIN_QUEUE}/resume/" in as_boss.get("/admin/queues/").text

    as_boss.post(f"/admin/queues/{PLAIN_QUEUE}/resume/")
    assert Queue.objects.get(name=PLAIN_QUEUE).paused_at is None


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_others_may_not_switch_and_nobody_by_a_link(as_chief: Client, as_boss: Client, verb: str) -> None:
    path = f"/admin/queues/{PLAIN_QUEUE}/{verb}/"

    assert as_chief.post(path).status_code == 403
    assert as_boss.get(path).status_code == 405
    assert as_boss.post(f"/admin/queues/nowhere/{verb}/").status_code == 404


def test_strangers_and_the_front_desk_see_no_queues(client: Client, as_desk: Client) -> None:
    assert client.get("/admin/queues/").status_code == 302
    assert as_desk.get("/admin/queues/").status_code == 403
