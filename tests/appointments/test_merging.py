"""One person who stands here twice: suggested, looked at side by side, merged once, and found by either number."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from functools import partial

import pytest
from django.db import connection
from django.urls import reverse

from appointments.errors import (
    MergeGuardianError,
    MergeTwoGuardiansError,
    MergeWithSelfError,
    NotAtThisClinicError,
)
from appointments.message_names import REMINDER
from appointments.models import Appointment, EndedWay, EndReason, MergedPatient, Patient, PatientContact
from appointments.queries.bringing.reports import ImportReport
from appointments.queries.duplicates import duplicates_of
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.booking import book_appointment, cancel_appointment
from appointments.usecases.coming_of_age import ask_who_came_of_age
from appointments.usecases.guardians import set_guardian
from appointments.usecases.merging import merge_patients
from appointments.usecases.people import add_way_to_reach, keep_guardian_out
from appointments.usecases.reaching import end_way
from appointments.usecases.rules import add_rule
from clinicbot import clock
from clinicbot.models import AuditEntry, Clinic, Role
from messaging.contracts import Category, ConsentSource
from messaging.models import Message, MessageSubject, StaffTask, TaskState
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import withdraw
from tests.appointments.chat import run
from tests.appointments.household import EVE, TUESDAY
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk
from tests.appointments.test_importing import bring_in, row
from tests.appointments.test_story import has, told
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel
from tests.scheduler.bench import Gate, at_once, beside

NEW = "+34612999000"


@pytest.fixture
def double(practice: Practice, now: datetime) -> Patient:
    """Ana again, misspelt, at a number of her own."""
    return practice.add(f"{practice.ana.full_name} X", phone=NEW, now=now)


def merge(clinic: Clinic, kept: Patient, gone: Patient) -> Patient:
    return merge_patients(clinic, kept_id=kept.pk, gone_id=gone.pk, actor=DESK, now=clock.now())


def contacts(patient: Patient) -> list[tuple[str, int, str]]:
    ways = PatientContact.objects.for_clinic(patient.clinic_id).filter(patient=patient).order_by("rank")
    return [(way.tail, way.rank, way.role) for way in ways]


def test_visits_numbers_dependants_and_messages_stand_with_the_one_who_stays(
    speaking: Practice, channel: FakeChannel, double: Patient, now: datetime
) -> None:
    child = speaking.add("Leo Ruiz", guardian=double, at_guardians=True, now=now)
    visit = speaking.book(now=now, day=TUESDAY, patient=double)
    run(now=now)
    token = visit.link_token

    merge(speaking.clinic, speaking.ana, double)

    visit.refresh_from_db()
    child.refresh_from_db()
    assert (visit.patient_id, visit.link_token, child.guardian_id) == (speaking.ana.pk, token, speaking.ana.pk)
    assert contacts(speaking.ana) == [("5678", 1, "own"), ("9000", 2, "own")]
    assert set(Message.objects.for_clinic(speaking.clinic).values_list("person_id", flat=True)) == {speaking.ana.pk}
    subjects = MessageSubject.objects.for_clinic(speaking.clinic)
    assert set(subjects.values_list("person_id", flat=True)) == {speaking.ana.pk}
    assert not Patient.objects.for_clinic(speaking.clinic).filter(pk=double.pk).exists()
    (entry,) = AuditEntry.objects.filter(clinic=speaking.clinic, action="patient.merged")
    assert (entry.subject_id, entry.detail) == (str(speaking.ana.pk), {"merged_id": double.pk, "visits": 1})
    assert has(told(visit, clock.now()), "Two patients became one", double.full_name)


def test_a_visit_of_either_is_reminded_of_once_after_the_merge(
    speaking: Practice, channel: FakeChannel, double: Patient, now: datetime
) -> None:
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    speaking.book(now=now, day=TUESDAY, patient=double)
    run(now=now)

    merge(speaking.clinic, speaking.ana, double)
    run(now=EVE)
    run(now=EVE)

    (reminder,) = Message.objects.for_clinic(speaking.clinic).filter(kind=REMINDER)
    assert reminder.person_id == speaking.ana.pk
    assert channel.calls[-1].phone == "+34612345678"


def test_the_stricter_word_wins(practice: Practice, double: Patient) -> None:
    links = PatientContact.objects.for_clinic(practice.clinic)
    ids = {way.contact_id for way in links.filter(patient__in=[practice.ana, double])}
    withdraw(
        practice.clinic.pk,
        contact_id=links.get(patient=double).contact_id,
        categories=[Category.RECALLS],
        source=ConsentSource.KEYWORD,
        actor=DESK,
        now=clock.now(),
    )

    merge(practice.clinic, practice.ana, double)

    stopped = opted_out_categories(practice.clinic.pk, contact_ids=ids)
    assert [stopped[one] for one in ids] == [{Category.RECALLS}] * 2


def test_a_guardian_whom_one_kept_out_is_kept_out(practice: Practice, now: datetime) -> None:
    one, other = (practice.add("Leo Ruiz", guardian=practice.ana, now=now) for _each in range(2))
    visit = practice.book(now=now, day=TUESDAY, patient=one)
    keep_guardian_out(practice.clinic, patient_id=other.pk, is_kept_out=True, actor=DESK, now=now)

    kept = merge(practice.clinic, one, other)

    token = visit.link_token
    visit.refresh_from_db()
    assert kept.is_guardian_kept_out
    assert visit.link_token != token  # The guardian may hold it.


def test_open_tasks_of_both_become_one_and_ended_numbers_move_along(practice: Practice, now: datetime) -> None:
    born = date(2008, 4, 14)
    one, other = (
        practice.add("Leo Núñez", guardian=practice.ana, at_guardians=True, born_on=born, now=now) for _each in "ab"
    )
    assert ask_who_came_of_age(now=now) == 2
    (way,) = PatientContact.objects.for_clinic(practice.clinic).filter(patient=other)
    end_way(
        practice.clinic,
        patient_id=other.pk,
        contact_id=way.contact_id,
        reason=EndReason.CHANGED,
        actor=DESK,
        now=now,
    )

    merge(practice.clinic, one, other)

    tasks = StaffTask.objects.for_clinic(practice.clinic)
    assert set(tasks.values_list("person_id", flat=True)) == {one.pk}
    assert tasks.filter(state=TaskState.OPEN).count() == 1
    assert EndedWay.objects.for_clinic(practice.clinic).filter(patient=one).count() == 1
    assert ask_who_came_of_age(now=now) == 0


def test_what_cannot_be_one_person_is_refused_and_nothing_changes(
    practice: Practice, double: Patient, now: datetime
) -> None:
    leo = practice.add("Leo Ruiz", guardian=practice.ana, now=now)
    eva = practice.add("Leo Ruiz", guardian=double, now=now)
    stranger = Patient.objects.create(
        clinic=ClinicFactory.create(), full_name="X", search_key="x", language="es", created_at=now
    )

    for kept, gone, error in (
        (leo, leo, MergeWithSelfError),
        (leo, practice.ana, MergeGuardianError),
        (practice.ana, leo, MergeGuardianError),
        (leo, eva, MergeTwoGuardiansError),
        (practice.ana, stranger, NotAtThisClinicError),
    ):
        with pytest.raises(error):
            merge(practice.clinic, kept, gone)
    assert Patient.objects.for_clinic(practice.clinic).count() == 4


def test_who_may_be_the_same_is_suggested(practice: Practice, now: datetime) -> None:
    born = date(1990, 5, 1)
    ana = practice.add("Ana Lucía Ruiz Gil", phone=NEW, born_on=born, now=now)
    short = practice.add("Ana Ruiz Gil", phone=NEW, now=now)
    elsewhere = practice.add("ana lucia ruiz gil", born_on=born, now=now)
    practice.add("Leo Ruiz Gil", phone=NEW, now=now)
    practice.add("Ana Lucía Ruiz Gil", phone=NEW, born_on=date(2015, 5, 1), now=now)

    assert {one.pk for one in duplicates_of(ana)} == {short.pk, elsewhere.pk}


def test_the_page_shows_both_and_merges_once_the_name_is_typed(practice: Practice, double: Patient) -> None:
    desk = at_desk(practice.clinic)
    address = reverse("patient-merge", args=[practice.ana.pk, double.pk])

    found = desk.get(reverse("patient-merge-choose", args=[practice.ana.pk]), {"q": "9000"}).content.decode()
    assert address in found
    text = desk.get(address).content.decode()
    assert "This cannot be taken back." in text and "*** 5678, *** 9000" in text
    assert desk.post(address, {"typed": "Somebody"}).status_code == 400
    assert desk.post(address, {"typed": double.full_name.upper()}).status_code == 302

    assert desk.get(reverse("patient", args=[double.pk])).url == reverse("patient", args=[practice.ana.pk])  # type: ignore[attr-defined]
    assert double.full_name in desk.get(reverse("patient", args=[practice.ana.pk])).content.decode()
    assert desk.get(address).status_code == 404
    own = reverse("patient-merge", args=[practice.ana.pk, practice.ana.pk])
    assert "That is the same patient." in desk.get(own).content.decode()


def test_only_who_may_change_patients_of_this_clinic_merges(practice: Practice, double: Patient) -> None:
    address = reverse("patient-merge", args=[practice.ana.pk, double.pk])

    assert at_desk(practice.clinic, role=Role.PRACTITIONER).post(address).status_code == 403
    assert at_desk(ClinicFactory.create()).post(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_bookings_and_merges_both_ways_at_once_lose_no_visit(practice: Practice, now: datetime) -> None:
    """Real connections: whoever comes second finds who is left."""
    double = practice.add("Ana Again", phone=NEW, now=now)

    def book(patient: Patient, hour: int) -> object:
        return practice.book(now=now, day=TUESDAY, at=time(hour), patient=patient)

    def tried(kept: Patient, gone: Patient) -> object:
        try:
            return merge(practice.clinic, kept, gone)
        except NotAtThisClinicError as error:
            return error

    doings: list[Callable[[], object]] = [
        partial(tried, practice.ana, double),
        partial(tried, double, practice.ana),
        *(partial(book, double, hour) for hour in (9, 10, 11)),
        *(partial(book, practice.ana, hour) for hour in (12, 13, 14)),
    ]

    def do_next() -> object:
        return doings.pop()()

    at_once(len(doings), do_next)

    (left,) = Patient.objects.for_clinic(practice.clinic)
    assert Appointment.objects.for_clinic(practice.clinic).filter(patient=left).count() == 6
    assert MergedPatient.objects.for_clinic(practice.clinic).get().kept_id == left.pk


@pytest.mark.django_db(transaction=True)
def test_a_booking_for_who_is_gone_is_one_for_who_stays_and_other_changes_are_refused(
    practice: Practice, now: datetime
) -> None:
    double = practice.add("Ana Again", phone=NEW, now=now)
    merge(practice.clinic, practice.ana, double)

    visit = book_appointment(
        practice.clinic,
        patient=double,
        slot=practice.slot(TUESDAY, time(9)),
        service=practice.service,
        actor=DESK,
        now=now,
    )

    assert visit.patient_id == practice.ana.pk
    with pytest.raises(NotAtThisClinicError):
        add_way_to_reach(practice.clinic, patient=double, phone=NEW, agreed_to=[Category.VISITS], actor=DESK, now=now)
    with pytest.raises(NotAtThisClinicError):
        set_guardian(
            practice.clinic,
            patient_id=double.pk,
            guardian_id=practice.ana.pk,
            at_guardians=True,
            actor=DESK,
            now=now,
        )


@pytest.mark.django_db(transaction=True)
def test_lines_whose_patient_is_merged_while_they_are_brought_in_are_of_who_stays(
    practice: Practice, now: datetime
) -> None:
    """Real connections: the import has read who it is and does not hold them yet. The rest of its lines are not lost."""
    double = practice.add("Ana Again", phone=NEW, now=now)
    gate, reports = Gate('"appointments_patient"."id" IN'), list[ImportReport]()
    rows = [
        row(practice, day=TUESDAY, name=name, at=at) for name, at in (("Ana Again", "09:00"), ("Nova Paz", "10:00"))
    ]

    def brought_in() -> None:
        with connection.execute_wrapper(gate):
            reports.append(bring_in(practice, *rows, now=now))

    with beside(brought_in):
        assert gate.reached.wait(30)
        merge(practice.clinic, practice.ana, double)
        gate.opened.set()

    assert (reports[0].written, reports[0].problems) == (2, [])
    names = Appointment.objects.for_clinic(practice.clinic).order_by("local_time").values_list("patient__full_name")
    assert [name for (name,) in names] == [practice.ana.full_name, "Nova Paz"]
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name="Ana Again").exists()


@pytest.mark.django_db(transaction=True)
def test_files_and_merges_at_once_lose_no_line(practice: Practice, now: datetime) -> None:
    """Whoever comes second waits, or finds who is left; nobody waits for each other in a ring."""
    doubles = [practice.add(f"Ana Again {number}", phone=f"{NEW[:-1]}{number}", now=now) for number in range(3)]
    doings: list[Callable[[], object]] = [
        *(partial(merge, practice.clinic, practice.ana, double) for double in doubles),
        *(
            partial(bring_in, practice, row(practice, day=TUESDAY, name=double.full_name, at=f"{hour:02}:00"), now=now)
            for hour, double in enumerate(doubles * 2, start=9)
        ),
    ]

    def do_next() -> object:
        return doings.pop()()

    at_once(len(doings), do_next)

    assert Patient.objects.for_clinic(practice.clinic).get() == practice.ana
    assert Appointment.objects.for_clinic(practice.clinic).filter(patient=practice.ana).count() == 6


def test_a_file_brought_in_again_after_a_merge_knows_what_became_of_its_visits(
    practice: Practice, now: datetime
) -> None:
    double = practice.add("Ana Again", now=now)
    rows = [row(practice, day=TUESDAY, name="Ana Again", at=at) for at in ("09:00", "10:00")]
    bring_in(practice, *rows, now=now)
    visit = Appointment.objects.for_clinic(practice.clinic).earliest("pk")
    cancel_appointment(practice.clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    merge(practice.clinic, practice.ana, double)

    again = bring_in(practice, *rows, now=now)

    assert (again.written, again.known) == (0, 2)
