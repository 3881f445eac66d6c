"""The same change through every door: page, calendar, admin form, admin action, chat, file, use case. What is sent and
planned is the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, time
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

from appointments.brought_files.lines import read_visit_file
from appointments.chat_actions import CANCEL, slot_action
from appointments.errors import ChangedOutsideUseCaseError, ClinicClosedError
from appointments.message_names import ANSWER, NOTICE
from appointments.models import Appointment, AppointmentChange, AppointmentStatus, ChangeKind, Closure
from appointments.queries.offers import code_of
from appointments.reasons import sentence_of
from appointments.slots import Slot
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.changing import VisitWish, change_visit
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.importing import import_visit
from appointments.usecases.importing_files import run_import
from clinicbot import clock
from clinicbot.models import Role
from messaging.models import Attempt, Message
from messaging.texts.definitions import list_template_texts
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import list_of, page_of
from tests.appointments.chat import hear, last_message, run
from tests.appointments.making import DESK, Practice, make_practice
from tests.appointments.pages import at_desk, book_url, booked, day_ahead
from tests.factories import ClinicFactory
from tests.messaging.templates import make_account, make_template

NO_CHANGES = {"changes-TOTAL_FORMS": 0, "changes-INITIAL_FORMS": 0}
OUT = ("accepted", "sent", "delivered", "read")
Door = Callable[[Practice, Appointment], Any]

pytestmark = pytest.mark.usefixtures("channel")


def clinic_that_speaks() -> Practice:
    """Of the same name and with the same people each time, so that two of them can be compared."""
    clinic = ClinicFactory.create(name="Clínica Sol")
    add_default_rules(clinic)
    practice = make_practice(clinic, now=clock.now())
    account = make_account(clinic, external_id=f"1065{clinic.pk}", parent_id=f"1022{clinic.pk}")
    for name in list_template_texts():
        make_template(account, name, now=clock.now())
    return practice


def visit_at(practice: Practice) -> Appointment:
    """Booked, and the confirmation is out."""
    visit = booked(practice, days=20)
    run(now=clock.now())
    return visit


def visit_from_elsewhere(practice: Practice) -> Appointment:
    """Brought in, with reminders; nobody was told."""
    return import_in_shell(practice)


def known_slot(practice: Practice) -> Slot:
    """Where each visit of these tests stands first."""
    return practice.slot(day_ahead(practice.clinic, 20), time(10, 30))


def target(practice: Practice) -> Slot:
    return practice.slot(day_ahead(practice.clinic, 21), time(16))


def outbox_of(practice: Practice, *, of_patient: bool = False) -> dict[str, Any]:
    """What came of it: events, messages with their texts, jobs, history. Without ids and links, which are each visit's own.

    of_patient: what the patient did is answered in other words than a notice of the clinic's; both are left out.
    """
    run(now=clock.now())
    clinic = practice.clinic
    messages = Message.objects.for_clinic(clinic).order_by("created_at", "pk")
    if of_patient:
        messages = messages.exclude(kind__in=[ANSWER]).exclude(kind=NOTICE, subjects__subject_version__gt=1)
    texts = Attempt.objects.for_clinic(clinic).filter(message__in=messages.values("pk")).order_by("started_at", "pk")
    jobs = ScheduledJob.objects.for_clinic(clinic).order_by("run_at", "pk")
    events = OutboxEvent.unscoped.filter(clinic_id=clinic.pk, type__startswith="appointments.").order_by("pk")
    changes = AppointmentChange.objects.for_clinic(clinic).order_by("pk")
    return {
        "events": list(events.values_list("type", "aggregate_version")),
        "messages": [
            (kind, urgency, version, "out" if state in OUT else state)
            for kind, urgency, version, state in messages.values_list(
                "kind", "urgency", "subjects__subject_version", "state"
            )
        ],
        "texts": [re.sub(r"http\S+", "<link>", text) for text in texts.values_list("text", flat=True)],
        "jobs": list(jobs.values_list("kind", "run_at", "state", "reason")),
        "history": [
            (change.kind, change.notice_version, sorted(change.after), change.actor_id is not None)
            for change in changes
        ],
    }


# Moving


def move_on_page(practice: Practice, visit: Appointment) -> None:
    url = reverse("visit-move", args=[visit.pk], query={"at": code_of(target(practice))})
    assert at_desk(practice.clinic).post(url, {"reason": ""}).status_code == 302


def move_on_edit_page(practice: Practice, visit: Appointment) -> None:
    form = {"service": visit.service_id, "note": "", "at": code_of(target(practice))}
    assert at_desk(practice.clinic).post(reverse("visit-edit", args=[visit.pk]), form).status_code == 302


def admin_form(visit: Appointment, **rest: Any) -> dict[str, Any]:
    wanted = {
        "local_date": visit.local_date.isoformat(),
        "local_time": visit.local_time.isoformat(),
        "practitioner": visit.practitioner_id,
        "room": visit.room_id,
        "service": visit.service_id,
        "note": visit.note,
        "reason": "",
    }
    return {**wanted, **NO_CHANGES, **rest}


def move_in_admin(practice: Practice, visit: Appointment) -> None:
    slot = target(practice)
    form = admin_form(visit, local_date=slot.local_date.isoformat(), local_time="16:00")
    assert sign_in(practice.clinic, Role.CLINIC_ADMIN).post(page_of(visit), form).status_code == 302


def move_by_hand(practice: Practice, visit: Appointment) -> None:
    """In the calendar, which finds a room by itself."""
    any_room = code_of(target(practice)).rpartition("-")[0] + "-0"
    url = reverse("calendar-move", args=[visit.pk], query={"day": visit.local_date.isoformat(), "hand": visit.pk})
    form = {"at": any_room, "version": visit.notice_version}
    assert "moved=" in at_desk(practice.clinic).post(url, form).headers["Location"]


def move_in_shell(practice: Practice, visit: Appointment) -> None:
    wish = VisitWish(service=practice.service, note="", slot=target(practice))
    change_visit(practice.clinic, appointment_id=visit.pk, wish=wish, actor=DESK, now=clock.now())


def move_in_chat(practice: Practice, visit: Appointment) -> None:
    notice = last_message(practice.clinic, NOTICE)
    hear(practice.clinic, now=clock.now(), action=slot_action(target(practice)), answers=notice)


def move_on_patients_page(practice: Practice, visit: Appointment) -> None:
    url = reverse("patient-change", args=[visit.link_token])
    form = {"visit": f"{visit.pk}:{visit.notice_version}", "at": code_of(target(practice))}
    assert Client().post(url, form).status_code == 302


BY_STAFF = (move_on_page, move_on_edit_page, move_by_hand, move_in_admin, move_in_shell)


@pytest.mark.parametrize("door", [*BY_STAFF, move_in_chat, move_on_patients_page])
def test_moving_comes_to_the_same_through_every_door(door: Door) -> None:
    known, other = clinic_that_speaks(), clinic_that_speaks()
    is_patient = door in BY_PATIENTS

    usual = visit_at(known)
    reschedule_appointment(known.clinic, appointment_id=usual.pk, slot=target(known), actor=DESK, now=clock.now())
    door(other, visit_at(other))

    expected = outbox_of(known, of_patient=is_patient)
    assert outbox_of(other, of_patient=is_patient) == expected
    assert [kind for kind, _version in expected["events"]] == ["appointments.booked", "appointments.moved"]
    assert len(expected["texts"]) == (1 if is_patient else 2)
    assert len(expected["jobs"]) > 3  # The reminders of the old time stay, and leave themselves out.


@pytest.mark.parametrize("door", [*BY_STAFF, move_on_patients_page])
def test_what_came_from_elsewhere_moves_the_same_through_every_door(door: Door) -> None:
    """Nobody told its patient here, who knows of it all the same."""
    known, other = clinic_that_speaks(), clinic_that_speaks()
    is_patient = door in BY_PATIENTS

    usual = visit_from_elsewhere(known)
    reschedule_appointment(known.clinic, appointment_id=usual.pk, slot=target(known), actor=DESK, now=clock.now())
    door(other, visit_from_elsewhere(other))

    expected = outbox_of(known, of_patient=is_patient)
    assert outbox_of(other, of_patient=is_patient) == expected
    assert [kind for kind, _version in expected["events"]] == ["appointments.moved"]
    assert len(expected["texts"]) == (0 if is_patient else 1)


# Cancelling


def cancel_on_page(practice: Practice, visit: Appointment) -> None:
    form = {"common": "practitioner_away", "own": ""}
    assert at_desk(practice.clinic).post(reverse("visit-cancel", args=[visit.pk]), form).status_code == 302


def cancel_in_admin(practice: Practice, visit: Appointment) -> None:
    form = {"action": "cancel_selected", "_selected_action": [visit.pk], "reason": "ill"}
    assert sign_in(practice.clinic, Role.CLINIC_ADMIN).post(list_of(Appointment), form).status_code == 302


def cancel_in_chat(practice: Practice, visit: Appointment) -> None:
    hear(practice.clinic, now=clock.now(), action=CANCEL, answers=last_message(practice.clinic, NOTICE))


def cancel_on_patients_page(practice: Practice, visit: Appointment) -> None:
    url = reverse("patient-cancel", args=[visit.link_token])
    assert Client().post(url, {"visit": f"{visit.pk}:{visit.notice_version}", "reason": ""}).status_code == 302


@pytest.mark.parametrize("door", [cancel_on_page, cancel_in_admin, cancel_in_chat, cancel_on_patients_page])
def test_cancelling_comes_to_the_same_through_every_door(door: Door) -> None:
    known, other = clinic_that_speaks(), clinic_that_speaks()
    is_patient = door in BY_PATIENTS

    usual = visit_at(known)
    cancel_appointment(known.clinic, appointment_id=usual.pk, actor=DESK, reason="ill", now=clock.now())
    door(other, visit_at(other))

    expected = outbox_of(known, of_patient=is_patient)
    assert outbox_of(other, of_patient=is_patient) == expected
    assert [kind for kind, _version in expected["events"]] == ["appointments.booked", "appointments.cancelled"]


def test_booking_on_the_page_comes_to_the_same_as_the_use_case() -> None:
    known, other = clinic_that_speaks(), clinic_that_speaks()

    booked(known, days=20)
    url = book_url(other, at=code_of(other.slot(day_ahead(other.clinic, 20), time(10, 30))))
    at_desk(other.clinic).post(url, {"token": str(uuid4()), "note": ""})

    assert outbox_of(other) == outbox_of(known)
    assert len(outbox_of(known)["texts"]) == 1


# Bringing in


def import_in_shell(practice: Practice) -> Appointment:
    slot, now = known_slot(practice), clock.now()
    told: dict[str, Any] = {"slot": slot, "remind_from": slot.local_date, "actor": DESK, "now": now}
    return import_visit(practice.clinic, patient=practice.ana, service=practice.service, **told)


def file_of(practice: Practice) -> bytes:
    slot = known_slot(practice)
    cells = [practice.ana.full_name, str(slot.local_date), f"{slot.local_time:%H:%M}"]
    cells += [practice.practitioner.full_name, practice.service.name, practice.room.name]
    return f"patient,date,time,practitioner,service,room\n{','.join(cells)}\n".encode()


def import_by_file(practice: Practice) -> None:
    lines, day = read_visit_file(file_of(practice)), known_slot(practice).local_date
    run_import(practice.clinic, lines, remind_from=day, actor=DESK, now=clock.now())


def import_by_command(practice: Practice, *, folder: Path) -> None:
    path, day = folder / "visits.csv", known_slot(practice).local_date.isoformat()
    path.write_bytes(file_of(practice))
    wish = ["--clinic", practice.clinic.slug, "--remind-from", day, "--write"]
    call_command("import_visits", str(path), *wish, stdout=StringIO())


@pytest.mark.parametrize("is_command", [False, True], ids=["file", "command"])
def test_bringing_in_comes_to_the_same_through_every_door(is_command: bool, tmp_path: Path) -> None:
    """It says nothing, and plans what booking the same time plans. A command has nobody who acts; the rest is the same."""
    known, other, elsewhere = clinic_that_speaks(), clinic_that_speaks(), clinic_that_speaks()
    by_file = partial(import_by_command, folder=tmp_path) if is_command else import_by_file

    booked(known, days=20)
    by_file(other)
    import_in_shell(elsewhere)

    brought, usual = outbox_of(other), outbox_of(known)
    assert brought["jobs"] == usual["jobs"] and len(usual["jobs"]) > 1
    assert (brought["events"], brought["messages"], brought["texts"]) == ([], [], [])
    assert [line[:3] for line in brought["history"]] == [line[:3] for line in usual["history"]]
    assert {**brought, "history": []} == {**outbox_of(elsewhere), "history": []}


BY_PATIENTS = (move_in_chat, move_on_patients_page, cancel_in_chat, cancel_on_patients_page)


# The doors that are shut


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", AppointmentStatus.CANCELLED_BY_CLINIC),
        ("local_time", time(16)),
        ("local_date", date(2030, 1, 1)),
        ("duration_minutes", 90),
        ("notice_version", 9),
    ],
)
def test_neither_save_nor_statements_move_a_visit(practice: Practice, name: str, value: Any) -> None:
    visit = booked(practice)
    rows = Appointment.objects.for_clinic(practice.clinic).filter(pk=visit.pk)
    loaded = rows.get()
    setattr(loaded, name, value)

    for write in (
        loaded.save,
        lambda: rows.update(**{name: value}),
        lambda: Appointment.unscoped.filter(pk=visit.pk).update(**{name: value}),
        lambda: rows.bulk_update([loaded], [name]),
        lambda: practice.ana.visits.update(**{name: value}),
        rows.delete,
        loaded.delete,
        lambda: Appointment.unscoped.bulk_create([loaded]),
    ):
        with pytest.raises(ChangedOutsideUseCaseError, match="reschedule_appointment"), transaction.atomic():
            write()

    assert getattr(rows.get(), name) == getattr(visit, name)


def test_a_statement_may_not_give_a_visit_to_another_practitioner_by_either_name(practice: Practice) -> None:
    rows = Appointment.objects.for_clinic(practice.clinic)
    other = make_practice(practice.clinic, now=clock.now(), name="Dr Other").practitioner

    for change in ({"practitioner": other}, {"practitioner_id": other.pk}):
        with pytest.raises(ChangedOutsideUseCaseError):
            rows.update(**change)


def test_a_closed_day_is_refused_with_the_same_words_at_every_door(practice: Practice) -> None:
    visit, slot, desk = booked(practice), target(practice), at_desk(practice.clinic)
    chief = sign_in(practice.clinic, Role.CLINIC_ADMIN)
    chief.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    day = slot.local_date
    Closure.objects.create(clinic=practice.clinic, begins_on=day, ends_on=day, reason="Works")
    with pytest.raises(ClinicClosedError) as refusal:
        reschedule_appointment(practice.clinic, appointment_id=visit.pk, slot=slot, actor=DESK, now=clock.now())
    said = sentence_of(refusal.value)

    at = code_of(slot)
    pages = [
        desk.post(book_url(practice, at=at), {"token": str(uuid4()), "note": ""}),
        desk.post(reverse("visit-move", args=[visit.pk], query={"at": at}), {"reason": ""}),
        desk.post(reverse("visit-edit", args=[visit.pk]), {"service": visit.service_id, "note": "", "at": at}),
        chief.post(page_of(visit), admin_form(visit, local_date=day.isoformat(), local_time="16:00")),
    ]

    assert [said in page.content.decode() for page in pages] == [True] * len(pages)
    assert [change.kind for change in visit.changes.all()] == [ChangeKind.BOOKED]
    assert Appointment.objects.for_clinic(practice.clinic).count() == 1
