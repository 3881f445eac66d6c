"""Acts on many rows: drafted from a list, confirmed by typing the number, carried out in chunks, and told."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry, BatchState, BulkBatch, Clinic, Membership, Role
from scheduler import conf
from scheduler.errors import BatchNotOpenError
from scheduler.models import JobState, Queue, ScheduledJob
from scheduler.usecases.batches import accept_batch, carry_out_chunk, chunk_size, purge_batches
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.scheduler.bench import at_once, queue_deeds, states, work
from tests.scheduler.deeds import PLAIN_QUEUE

pytestmark = pytest.mark.django_db

BACKEND = "clinicbot.auth.ClinicRoleBackend"
JOBS = "admin:scheduler_scheduledjob_changelist"


def sign_in(user: Any) -> Client:
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    return sign_in(MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user)


def dead_jobs(clinic: Clinic, count: int) -> list[int]:
    now = clock.now()
    queued = queue_deeds(clinic, *["refused"] * count, now=now)
    work(now=now)
    return queued


def draft(client: Client, action: str = "retry_selected", *, query: str = "?state__exact=dead") -> BulkBatch:
    """What the link "select all" of a list and the button do."""
    some = ScheduledJob.unscoped.values_list("pk", flat=True)[:1]
    response = client.post(
        reverse(JOBS) + query, {"action": action, "_selected_action": list(some), "select_across": "1"}
    )
    assert response.status_code == 302
    found: BulkBatch = BulkBatch.objects.latest("pk")
    assert response["location"] == reverse("batch", args=[found.pk])
    return found


def confirm(client: Client, batch: BulkBatch, **wishes: Any) -> Any:
    wish = {"reason": "The provider is back", "spread_seconds": "0", "typed": str(batch.count), **wishes}
    return client.post(reverse("batch", args=[batch.pk]), wish)


def carry_on(times: int = 20) -> None:
    """Batches alone: what they let run again does not run."""
    Queue.objects.exclude(name="maintenance").update(paused_at=clock.now())
    for minute in range(times):
        work(now=clock.now() + timedelta(hours=1, minutes=minute))


def test_dead_jobs_are_tried_again_once_somebody_has_typed_their_number(chief: Client, clinic: Clinic) -> None:
    dead = dead_jobs(clinic, 7)
    foreign = dead_jobs(ClinicFactory.create(), 2)
    batch = draft(chief)
    assert (batch.count, states(dead)) == (7, [JobState.DEAD] * 7)

    assert confirm(chief, batch).status_code == 302
    carry_on()

    batch.refresh_from_db()
    assert states(dead) == [JobState.QUEUED] * 7
    assert states(foreign) == [JobState.DEAD] * 2
    assert (batch.state, batch.place, batch.succeeded) == (BatchState.DONE, 7, 7)
    accepted = AuditEntry.objects.get(action="scheduler.accept_batch")
    assert (accepted.clinic, accepted.reason) == (clinic, "The provider is back")
    assert accepted.detail["count"] == 7
    assert AuditEntry.objects.get(action="scheduler.retry_jobs").actor_id == accepted.actor_id


@pytest.mark.parametrize("wrong", [{"typed": "8"}, {"typed": ""}, {"reason": " "}, {"spread_seconds": "7"}])
def test_a_wrong_number_or_no_reason_does_nothing_and_loses_nothing(
    chief: Client, clinic: Clinic, wrong: dict[str, str]
) -> None:
    dead = dead_jobs(clinic, 7)
    batch = draft(chief)

    answer = confirm(chief, batch, **wrong)

    assert answer.status_code == 400
    assert "error" in answer.text
    assert ("The provider is back" in answer.text) == ("reason" not in wrong)
    assert BulkBatch.objects.get().state == BatchState.DRAFT
    assert states(dead) == [JobState.DEAD] * 7


def test_what_comes_to_match_later_is_not_in_it(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 2)
    batch = draft(chief)
    later = dead_jobs(clinic, 1)

    confirm(chief, batch)
    carry_on()

    assert states(later) == [JobState.DEAD]


def test_a_large_batch_goes_in_chunks(chief: Client, clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.usecases.batches.BATCH_CHUNK", 3)
    dead = dead_jobs(clinic, 7)
    batch = draft(chief)
    confirm(chief, batch)

    carry_on(1)
    batch.refresh_from_db()
    assert (batch.place, batch.state) == (3, BatchState.RUNNING)
    carry_on()

    batch.refresh_from_db()
    assert (batch.place, batch.state) == (7, BatchState.DONE)
    assert states(dead) == [JobState.QUEUED] * 7


def test_a_chunk_that_is_run_twice_is_done_once(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 3)
    batch = draft(chief)
    confirm(chief, batch)

    first = carry_out_chunk(batch.pk, now=clock.now())
    again = carry_out_chunk(batch.pk, now=clock.now())

    assert (first.verdict, again.verdict) == ("done", "skipped")
    assert AuditEntry.objects.filter(action="scheduler.retry_jobs").count() == 1


def test_spread_over_time_a_minutes_share_goes_at_a_time(chief: Client, clinic: Clinic) -> None:
    assert chunk_size(20_000, spread_seconds=0) == conf.BATCH_CHUNK
    assert chunk_size(20_000, spread_seconds=14_400) == 84
    assert chunk_size(30, spread_seconds=3_600) == 1
    dead_jobs(clinic, 20)
    batch = draft(chief)
    confirm(chief, batch, spread_seconds="600")

    result = carry_out_chunk(batch.pk, now=clock.now())

    assert result.verdict == "snooze"
    assert 50 < (result.after_seconds or 0) <= 60
    batch.refresh_from_db()
    assert batch.place == 2


def test_a_double_click_accepts_once(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 2)
    batch = draft(chief)

    confirm(chief, batch)
    answer = confirm(chief, batch)

    assert answer.status_code == 302
    assert ScheduledJob.unscoped.filter(kind="scheduler.carry_out_batch").count() == 1
    assert AuditEntry.objects.filter(action="scheduler.accept_batch").count() == 1


def test_a_batch_that_is_stopped_does_no_more(chief: Client, clinic: Clinic, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler.usecases.batches.BATCH_CHUNK", 1)
    dead = dead_jobs(clinic, 3)
    batch = draft(chief)
    confirm(chief, batch)
    carry_on(1)

    chief.post(reverse("batch-stop", args=[batch.pk]))
    carry_on()

    batch.refresh_from_db()
    assert (batch.state, batch.place) == (BatchState.STOPPED, 1)
    assert sorted(states(dead)) == [JobState.DEAD, JobState.DEAD, JobState.QUEUED]


def test_a_draft_can_be_let_go(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 1)
    batch = draft(chief)

    chief.post(reverse("batch-stop", args=[batch.pk]))

    assert confirm(chief, batch).status_code == 302
    assert not ScheduledJob.unscoped.filter(kind="scheduler.carry_out_batch").exists()


def test_waiting_jobs_are_moved_to_another_time_on_the_clinics_wall(chief: Client, clinic: Clinic) -> None:
    now = clock.now()
    jobs = queue_deeds(clinic, *["write"] * 4, now=now, due=timedelta(hours=5))
    batch = draft(chief, "reschedule_selected", query=f"?queue={PLAIN_QUEUE}")

    day = (now + timedelta(days=30)).date()

    confirm(chief, batch, day=day.isoformat(), time="09:00", spread_seconds="3600")
    carry_on()

    begins = datetime.combine(day, time(9), tzinfo=ZoneInfo(clinic.zone)).astimezone(UTC)
    moved = ScheduledJob.unscoped.filter(pk__in=jobs).order_by("pk").values_list("run_at", flat=True)
    assert list(moved) == [begins + timedelta(minutes=15 * number) for number in range(4)]
    assert AuditEntry.objects.get(action="scheduler.reschedule_jobs").reason == "The provider is back"


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "2020-01-01"])
def test_a_day_that_is_no_time_to_work_is_refused_in_words(chief: Client, clinic: Clinic, day: str) -> None:
    Clinic.objects.filter(pk=clinic.pk).update(zone="America/Bogota")
    queue_deeds(clinic, "write", now=clock.now(), due=timedelta(hours=5))
    batch = draft(chief, "reschedule_selected", query=f"?queue={PLAIN_QUEUE}")

    answer = confirm(chief, batch, day=day, time="23:00")

    assert answer.status_code == 400
    assert "Choose a day from today on, within a year." in answer.text
    assert BulkBatch.objects.get().state == BatchState.DRAFT


def test_another_clinics_batch_is_not_there(chief: Client) -> None:
    other = ClinicFactory.create()
    dead = dead_jobs(other, 2)
    batch = draft(sign_in(MembershipFactory.create(clinic=other, role=Role.CLINIC_ADMIN).user))

    assert chief.get(reverse("batch", args=[batch.pk])).status_code == 404
    assert confirm(chief, batch).status_code == 404
    assert chief.post(reverse("batch-stop", args=[batch.pk])).status_code == 404
    assert chief.get(reverse("admin:clinicbot_bulkbatch_changelist")).context["cl"].result_count == 0
    assert states(dead) == [JobState.DEAD] * 2


def test_the_front_desk_may_neither_draft_nor_confirm(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 2)
    batch = draft(chief)
    desk = sign_in(MembershipFactory.create(clinic=clinic, role=Role.FRONT_DESK).user)

    assert confirm(desk, batch).status_code == 403
    posted = desk.post(reverse(JOBS), {"action": "retry_selected", "_selected_action": ["1"], "select_across": "1"})
    assert posted.status_code == 403
    assert BulkBatch.objects.count() == 1


def test_only_who_chose_the_rows_confirms_and_others_see_who_did(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 2)
    batch = draft(chief)
    other = sign_in(MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user)
    who = User.objects.get(pk=batch.drafted_by)

    page = other.get(reverse("batch", args=[batch.pk])).text
    confirm(other, batch)

    assert who.get_username() in page and "only they can confirm it" in page and 'name="typed"' not in page
    assert BulkBatch.objects.get().state == BatchState.DRAFT
    confirm(chief, batch)
    assert BulkBatch.objects.get().state == BatchState.RUNNING


@pytest.mark.parametrize("how", ["left", "closed"])
def test_a_batch_ends_where_its_person_works_no_more_and_says_so(
    chief: Client, clinic: Clinic, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr("scheduler.usecases.batches.BATCH_CHUNK", 1)
    dead = dead_jobs(clinic, 3)
    batch = draft(chief)
    confirm(chief, batch)
    carry_on(1)

    if how == "left":
        Membership.objects.filter(user_id=batch.drafted_by).delete()
        MembershipFactory.create(clinic=ClinicFactory.create(), user=User.objects.get(pk=batch.drafted_by))
    else:
        User.objects.filter(pk=batch.drafted_by).update(is_active=False)
    carry_on()

    batch.refresh_from_db()
    assert (batch.state, batch.place) == (BatchState.STOPPED, 1)
    assert sorted(states(dead)) == [JobState.DEAD, JobState.DEAD, JobState.QUEUED]
    other = sign_in(MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user)
    assert "does not work here any more" in other.get(reverse("batch", args=[batch.pk])).text


def test_over_several_clinics_only_a_superuser_goes_on(clinic: Clinic) -> None:
    dead = dead_jobs(clinic, 2)
    boss = UserFactory.create(is_superuser=True)
    client = sign_in(boss)
    batch = draft(client)
    confirm(client, batch)

    User.objects.filter(pk=boss.pk).update(is_superuser=False)
    MembershipFactory.create(clinic=clinic, user=boss, role=Role.CLINIC_ADMIN)
    carry_on()

    assert states(dead) == [JobState.DEAD] * 2


def test_a_superuser_acts_on_the_rows_of_several_clinics(clinic: Clinic) -> None:
    dead = [*dead_jobs(clinic, 2), *dead_jobs(ClinicFactory.create(), 2)]
    boss = sign_in(UserFactory.create(is_superuser=True))
    batch = draft(boss)

    confirm(boss, batch)
    carry_on()

    assert states(dead) == [JobState.QUEUED] * 4
    assert AuditEntry.objects.filter(action="scheduler.retry_jobs").count() == 2


def test_nothing_chosen_drafts_nothing(chief: Client, clinic: Clinic) -> None:
    queue_deeds(clinic, "write", now=clock.now())

    answer = chief.post(
        reverse(JOBS) + "?state__exact=dead",
        {"action": "retry_selected", "_selected_action": ["1"], "select_across": "1"},
        follow=True,
    )

    assert not BulkBatch.objects.exists()
    assert answer.status_code == 200


def test_twenty_thousand_are_drafted_within_a_second(
    chief: Client, clinic: Clinic, django_assert_max_num_queries: Any
) -> None:
    """job-engines C51: the button answers at once, whatever the number."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO scheduler_scheduledjob (clinic_id, queue, kind, args, run_at, priority, state, attempt,"
            " crash_count, runs_alone, claimed_alone, lease_no, reason, last_error, result, finished_at, created_at)"
            " SELECT %s, 'maintenance', 'tests.act', '{}', now(), 5, 'dead', 3, 0, false, false, 0, 'crashed', '', '{}',"
            " now(), now() FROM generate_series(1, 20000)",
            [clinic.pk],
        )
    before = datetime.now(UTC)

    with django_assert_max_num_queries(14):
        batch = draft(chief)
    confirm(chief, batch)

    assert batch.count == 20_000
    assert datetime.now(UTC) - before < timedelta(seconds=2)


def test_batches_go_by_age_but_not_those_that_run(chief: Client, clinic: Clinic, now: datetime) -> None:
    dead_jobs(clinic, 1)
    running, over = draft(chief), draft(chief)
    confirm(chief, running)
    BulkBatch.objects.update(drafted_at=now - timedelta(days=100))

    assert purge_batches(before=now, limit=10) == 1
    assert list(BulkBatch.objects.values_list("pk", flat=True)) == [running.pk] != [over.pk]


def test_the_list_says_who_and_how_far(chief: Client, clinic: Clinic) -> None:
    dead_jobs(clinic, 1)
    batch = draft(chief)
    confirm(chief, batch)
    carry_on()

    page = chief.get(reverse("admin:clinicbot_bulkbatch_changelist")).text
    own = chief.get(reverse("batch", args=[batch.pk])).text

    assert "Try jobs again" in page
    assert "100 %" in page
    assert "The provider is back" in own


@pytest.mark.django_db(transaction=True)
def test_two_people_confirm_at_once_and_it_is_carried_out_once(clinic: Clinic) -> None:
    batch = BulkBatch.objects.create(
        clinic=clinic,
        first_clinic=clinic,
        act="scheduler.cancel_jobs",
        ids=[1],
        count=1,
        drafted_by=1,
        drafted_at=clock.now(),
    )

    def accept() -> bool:
        try:
            accept_batch(batch, reason="x", spread_seconds=0, actor=Actor(ActorKind.STAFF, 1), now=clock.now())
        except BatchNotOpenError:
            return False
        return True

    assert sorted(at_once(2, accept)) == [False, True]
    assert ScheduledJob.unscoped.filter(kind="scheduler.carry_out_batch").count() == 1
