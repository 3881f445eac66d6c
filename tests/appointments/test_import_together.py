"""An import and everybody else, on real connections: two people, a double click, a stop on the way, a runner that is killed."""

from __future__ import annotations

import itertools
import json
from datetime import time, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from appointments.models import Appointment, ImportRun, ImportState, Patient
from appointments.usecases.importing_files import LINES_AT_ONCE
from appointments.usecases.merging import merge_patients
from clinicbot import clock
from clinicbot.models import Role
from scheduler.models import JobState, ScheduledJob
from tests.appointments.importing import file_of, fresh, on, somebody, start, upload, visit_file, work
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, booked
from tests.canary import values
from tests.scheduler.bench import Gate, at_once, beside
from tests.scheduler.child import KILLED, end, run_tick_in_child, start_tick

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin(practice: Practice) -> Client:
    return at_desk(practice.clinic, role=Role.CLINIC_ADMIN)


def rows(practice: Practice, count: int) -> list[str]:
    """One visit a day, each a newcomer's."""
    return [f"{somebody(n)};{on(practice, 9 + n)};9:30" for n in range(count)]


def count(practice: Practice) -> tuple[int, int]:
    """Visits, and newcomers."""
    visits = Appointment.objects.for_clinic(practice.clinic)
    people = Patient.objects.for_clinic(practice.clinic).filter(full_name__startswith="Nova")
    return visits.count(), people.count()


def jobs_of(run: ImportRun, *states: str) -> int:
    return (
        ScheduledJob.objects.for_clinic(run.clinic_id)
        .filter(unique_key__startswith=f"import:{run.pk}:", state__in=states)
        .count()
    )


def test_a_double_click_on_bring_in_starts_it_once(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, *rows(practice, 3)))

    statuses = at_once(2, lambda: admin.post(reverse("import-start", args=[run.pk]), {"from": ""}).status_code)
    work()

    assert statuses == [302, 302]
    assert jobs_of(run, *JobState.values) == 1
    assert count(practice) == (3, 3)


def test_a_double_click_on_the_file_makes_one_import(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, *rows(practice, 3))

    runs = at_once(2, lambda: upload(admin, data).pk)

    assert runs[0] == runs[1]
    assert ImportRun.unscoped.count() == 1


def test_of_two_people_who_start_at_once_one_waits_and_nothing_is_there_twice(practice: Practice) -> None:
    people = [at_desk(practice.clinic, role=Role.CLINIC_ADMIN) for _ in range(2)]
    data = visit_file(practice, *rows(practice, 60))
    runs = [upload(person, data) for person in people]
    turn = itertools.count()

    def begin() -> None:
        mine = next(turn)
        start(people[mine], runs[mine])

    at_once(2, begin)
    states = sorted(fresh(run).state for run in runs)
    waiting = next(number for number, run in enumerate(runs) if fresh(run).state == ImportState.LOOKED_AT)
    told = people[waiting].get(reverse("import", args=[runs[waiting].pk])).content.decode()
    work()
    start(people[waiting], runs[waiting])
    work()

    assert states == [ImportState.LOOKED_AT, ImportState.RUNNING]
    assert "Another import is running" in told
    assert count(practice) == (60, 60)
    assert (fresh(runs[waiting]).added, fresh(runs[waiting]).known) == (0, 60)


@pytest.mark.parametrize(
    "kill_before",
    ['INSERT INTO "appointments_patient"', 'UPDATE "appointments_importrun"', "INSERT INTO scheduler_scheduledjob"],
)
def test_a_runner_that_is_killed_loses_and_doubles_nothing(practice: Practice, admin: Client, kill_before: str) -> None:
    run = upload(admin, visit_file(practice, *rows(practice, LINES_AT_ONCE + 5)))
    start(admin, run)

    assert run_tick_in_child("--budget", "20", kill_before=kill_before) in (KILLED, 137)
    halfway = fresh(run).read, count(practice)[0]
    ScheduledJob.unscoped.filter(state=JobState.RUNNING).update(leased_until=clock.real() - timedelta(seconds=1))
    assert run_tick_in_child("--budget", "20") == 0

    assert halfway == (0, 0)
    assert (fresh(run).state, fresh(run).read, fresh(run).added) == (ImportState.DONE, 55, 55)
    assert count(practice) == (55, 55)


def test_one_tick_goes_on_until_the_file_is_done(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, *rows(practice, 3 * LINES_AT_ONCE)))
    start(admin, run)

    output, _errors = end(start_tick("--budget", "30"))

    assert json.loads(output.splitlines()[-1])["errors"] == {}
    assert (fresh(run).state, fresh(run).read) == (ImportState.DONE, 3 * LINES_AT_ONCE)


def test_a_stop_on_the_way_keeps_what_is_done_and_the_same_file_goes_on(practice: Practice, admin: Client) -> None:
    data = visit_file(practice, *rows(practice, 2 * LINES_AT_ONCE))
    run = upload(admin, data)
    start(admin, run)
    gate = Gate('INSERT INTO "appointments_patient"')

    def bring_in() -> None:
        with connection.execute_wrapper(gate):
            work()

    with beside(bring_in):
        assert gate.reached.wait(30)
        with beside(lambda: admin.post(reverse("import-stop", args=[run.pk]), {"state": "running"})):
            gate.opened.set()
    stopped = fresh(run)
    text = admin.get(reverse("import", args=[run.pk])).content.decode()
    second = upload(admin, data)
    start(admin, second)
    work()

    assert stopped.state == ImportState.CANCELLED
    assert stopped.read == stopped.added < 2 * LINES_AT_ONCE
    assert "Choose the same file again to go on" in text
    assert getattr(file_of(stopped), "body", None) is None
    assert (fresh(second).added, fresh(second).known) == (2 * LINES_AT_ONCE - stopped.read, stopped.read)
    assert count(practice) == (100, 100)


def test_a_stop_before_the_first_lines_leaves_nothing_to_do(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, *rows(practice, 3)))
    start(admin, run)
    admin.post(reverse("import-stop", args=[run.pk]), {"state": "running"})

    work()

    assert (fresh(run).state, fresh(run).read, count(practice)) == (ImportState.CANCELLED, 0, (0, 0))
    assert jobs_of(run, JobState.SKIPPED) == 1
    assert admin.post(reverse("import-stop", args=[run.pk]), {"state": "running"}).status_code == 302
    assert admin.post(reverse("import-start", args=[run.pk])).status_code == 302
    assert fresh(run).state == ImportState.CANCELLED


def test_an_import_that_the_runner_gave_up_says_so_and_goes_on_by_hand(practice: Practice, admin: Client) -> None:
    run = upload(admin, visit_file(practice, *rows(practice, 3)))
    start(admin, run)
    ScheduledJob.unscoped.update(state=JobState.DEAD, reason="crashed", finished_at=clock.now())

    text = admin.get(reverse("import-live", args=[run.pk])).content.decode()
    for _twice in range(2):
        admin.post(reverse("import-go-on", args=[run.pk]))
    queued = jobs_of(run, JobState.QUEUED)
    work()

    assert "The import stopped on its way." in text
    assert queued == 1
    assert (fresh(run).state, count(practice)) == (ImportState.DONE, (3, 3))


def test_a_time_that_is_booked_while_it_runs_is_nobody_s_twice(practice: Practice, admin: Client) -> None:
    """The desk has the practitioner first; the import waits for it, and refuses the line."""
    run = upload(admin, visit_file(practice, f"Nova Paz;{on(practice)};9:30", f"Leo Ibarra;{on(practice)};11:30"))
    start(admin, run)
    gate = Gate('INSERT INTO "appointments_appointment"')

    def book() -> None:
        with connection.execute_wrapper(gate):
            booked(practice, at=time(9, 30), days=9)

    with beside(book):
        assert gate.reached.wait(30)
        with beside(work):
            gate.opened.set()

    assert (fresh(run).added, fresh(run).refused) == (1, 1)
    assert Appointment.objects.for_clinic(practice.clinic).filter(local_time=time(9, 30)).count() == 1


def test_whose_patient_is_merged_meanwhile_has_the_visit_at_the_one_who_is_kept(
    practice: Practice, admin: Client
) -> None:
    twin = practice.add("Ana Nuñez Soto", now=clock.now())
    run = upload(admin, visit_file(practice, f"{values.ANA};{on(practice)};9:30"))
    start(admin, run)
    gate = Gate('INSERT INTO "appointments_appointment"')

    def bring_in() -> None:
        with connection.execute_wrapper(gate):
            work()

    def merge() -> None:
        merge_patients(practice.clinic, kept_id=twin.pk, gone_id=practice.ana.pk, actor=DESK, now=clock.now())

    with beside(bring_in):
        assert gate.reached.wait(30)
        with beside(merge):
            gate.opened.set()

    assert fresh(run).added == 1
    assert Appointment.objects.for_clinic(practice.clinic).get().patient_id == twin.pk
