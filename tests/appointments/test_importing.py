"""Visits from another program: nobody is told of what they know already, and reminders begin when the clinic says so."""

from __future__ import annotations

from csv import writer
from datetime import date, datetime, time, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from appointments.brought_files.lines import read_visit_file
from appointments.errors import ImportEncodingError, ImportFileError, ImportQuoteError
from appointments.models import (
    ENDED,
    Appointment,
    AppointmentChange,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    Closure,
    Patient,
    PatientContact,
    Room,
    Service,
)
from appointments.queries.bringing.reports import ImportReport
from appointments.queries.exports import VISIT_COLUMNS, visit_rows
from appointments.reasons import sentence_of
from appointments.usecases.booking import cancel_appointment, reschedule_appointment
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.giving import set_services_of
from appointments.usecases.importing_files import preview_import, run_import
from appointments.usecases.reminding import plan_clinic_again
from clinicbot import clock
from clinicbot.models import Role
from messaging.contracts import Category, ConsentSource
from messaging.models import Consent, Contact, Message
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.consents import withdraw
from outbox.models import OutboxEvent
from scheduler.models import ScheduledJob
from tests.appointments.admin.conftest import sign_in
from tests.appointments.admin.pages import list_of
from tests.appointments.chat import run, said
from tests.appointments.making import DESK, Practice, make_practice
from tests.canary import values
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

HEAD = "patient,phone,agreed,date,time,practitioner,service,room,note"
DAYS = 25
SLOTS = [time(hour, minute) for hour in range(9, 14) for minute in (0, 30)]


def row(
    practice: Practice, *, day: date | str, at: str = "10:30", name: str = values.ANA, phone: str = "", **rest: str
) -> str:
    wanted = {
        "practitioner": practice.practitioner.full_name.upper(),
        "service": practice.service.name,
        "room": "",
        "agreed": "yes" if phone else "",
        "note": "",
        **rest,
    }
    return ",".join(
        [
            name,
            phone,
            wanted["agreed"],
            str(day),
            at,
            wanted["practitioner"],
            wanted["service"],
            wanted["room"],
            wanted["note"],
        ]
    )


def bring_in(
    practice: Practice, *rows: str, now: datetime, remind_from: date | None = None, is_trial: bool = False, **rest: Any
) -> ImportReport:
    lines = read_visit_file("\n".join([HEAD, *rows]).encode())
    if is_trial:
        return preview_import(practice.clinic, lines, remind_from=remind_from, now=now, **rest)
    return run_import(practice.clinic, lines, remind_from=remind_from, actor=DESK, now=now, **rest)


def visits(practice: Practice) -> list[Appointment]:
    return list(Appointment.objects.for_clinic(practice.clinic).order_by("pk"))


def five_hundred(practice: Practice, *, now: datetime) -> list[str]:
    """Half of them over."""
    return [
        row(practice, day=now.date() + timedelta(days=days), at=f"{at:%H:%M}")
        for days in (*range(-DAYS, 0), *range(1, DAYS + 1))
        for at in SLOTS
    ]


def test_five_hundred_visits_send_nothing_and_remind_nobody_until_the_clinic_says_from_when(
    speaking: Practice, channel: FakeChannel, now: datetime, default_rules: None
) -> None:
    report = bring_in(speaking, *five_hundred(speaking, now=now), now=now)
    for days in range(4):
        run(now=now + timedelta(days=days))

    clinic = speaking.clinic
    assert (report.written, report.to_come, report.reminded, report.problems) == (500, 250, 0, [])
    assert said(channel) == []
    assert not Message.objects.for_clinic(clinic).exists()
    assert not ScheduledJob.objects.for_clinic(clinic).exists()
    assert not OutboxEvent.unscoped.filter(type__startswith="appointments.").exists()


def test_visits_from_the_chosen_day_on_are_reminded(practice: Practice, now: datetime, default_rules: None) -> None:
    days = [now.date() + timedelta(days=ahead) for ahead in (-3, 10, 12)]

    report = bring_in(practice, *[row(practice, day=day) for day in days], remind_from=days[2], now=now)

    assert (report.written, report.reminded) == (3, 1)
    assert [visit.has_reminders for visit in visits(practice)] == [False, False, True]
    jobs = ScheduledJob.objects.for_clinic(practice.clinic).values_list("args__appointment_id", flat=True)
    assert set(jobs) == {visits(practice)[2].pk}


def test_a_change_of_the_rules_plans_nothing_for_them_either(
    practice: Practice, now: datetime, default_rules: None
) -> None:
    bring_in(practice, row(practice, day=now.date() + timedelta(days=10)), now=now)

    plan_clinic_again(practice.clinic.pk, now=now)

    assert not ScheduledJob.objects.for_clinic(practice.clinic).exists()


def test_the_clinic_starts_the_reminders_of_chosen_visits(practice: Practice, default_rules: None) -> None:
    today = clock.now().date()
    chosen, other = (row(practice, day=today + timedelta(days=ahead)) for ahead in (20, 21))
    bring_in(practice, chosen, other, now=clock.now())
    first, second = visits(practice)
    chief = sign_in(practice.clinic, Role.CLINIC_ADMIN)
    wish = {"action": "start_reminders_of_selected", "_selected_action": [first.pk]}

    for _twice in range(2):
        chief.post(list_of(Appointment), wish)

    jobs = ScheduledJob.objects.for_clinic(practice.clinic)
    planned = list(jobs.values_list("args__appointment_id", "args__rule_id"))
    assert [visit.has_reminders for visit in visits(practice)] == [True, False]
    assert {visit_id for visit_id, _rule_id in planned} == {first.pk}
    assert len(planned) == len(set(planned))
    assert [change.after for change in first.changes.filter(kind=ChangeKind.EDITED)] == [{"has_reminders": True}]
    assert not second.changes.filter(kind=ChangeKind.EDITED).exists()


def test_a_trial_writes_nothing_and_says_what_would_be(practice: Practice, now: datetime) -> None:
    report = bring_in(practice, row(practice, day="2026-05-04", name="Nova Paz"), is_trial=True, now=now)

    assert report.written == 1
    assert visits(practice) == []
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name="Nova Paz").exists()


def test_what_can_be_written_is_and_every_other_line_is_named(practice: Practice, now: datetime) -> None:
    good = row(practice, day="2026-05-04")
    bad = [
        row(practice, day="4 May"),
        row(practice, day="2026-05-05", at="half ten"),
        row(practice, day="2026-05-06", service="Magic"),
        row(practice, day="2026-05-07", practitioner="Dr Nobody"),
        row(practice, day="2026-05-08", phone="12"),
        row(practice, day="2026-05-08", phone="612 345 670", agreed=""),
        row(practice, day="2026-05-04", at="10:45", name="Somebody Else"),
        row(practice, day="2026-05-09", name=" "),
    ]

    trial = bring_in(practice, good, *bad, now=now, is_trial=True)
    report = bring_in(practice, good, *bad, now=now)

    assert [visit.local_date for visit in visits(practice)] == [date(2026, 5, 4)]
    assert trial.problems == report.problems
    assert not Patient.objects.for_clinic(practice.clinic).filter(full_name="Somebody Else").exists()
    assert [(problem.line, problem.sentence.split(":")[0]) for problem in report.problems] == [
        (3, "“4 May” is no day"),
        (4, "“half ten” is no time"),
        (5, "The column service says “Magic”, which this clinic has not."),
        (6, "The column practitioner says “Dr Nobody”, which this clinic has not."),
        (7, report.problems[4].sentence.split(":")[0]),
        (8, "Ask whether messages may go to this number, and mark the answer. Or leave the number out."),
        (9, "That time is taken"),
        (10, "A patient needs a name."),
    ]


def test_phones_are_read_by_the_clinics_country_and_consent_is_kept(practice: Practice, now: datetime) -> None:
    known = row(practice, day="2026-05-04", phone="+34 " + values.ANA_TYPED)
    new = row(practice, day="04/05/2026", at="11:00", name="Nova Paz", phone="612 345 670")

    report = bring_in(practice, known, new, now=now)

    first, second = visits(practice)
    link = PatientContact.objects.for_clinic(practice.clinic).select_related("contact").get(patient=second.patient)
    consents = Consent.objects.for_clinic(practice.clinic).filter(contact=link.contact)
    assert report.problems == []
    assert first.patient == practice.ana
    assert link.contact.address == "+34612345670"
    assert [(consent.category, consent.source) for consent in consents] == [("visits", "import")]


def test_the_same_file_again_adds_nothing(practice: Practice, now: datetime) -> None:
    rows = [row(practice, day="2026-05-04", name="Nova Paz"), row(practice, day="2026-05-05")]
    bring_in(practice, *rows, now=now)

    again = bring_in(practice, *rows, now=now)

    assert (again.written, again.known, len(visits(practice))) == (0, 2, 2)


def test_who_brought_them_in_stands_in_their_history(practice: Practice, now: datetime) -> None:
    bring_in(practice, row(practice, day="2026-05-04", note="root"), now=now)

    change = AppointmentChange.objects.for_clinic(practice.clinic).get()
    assert (change.actor_id, change.reason, visits(practice)[0].note) == (DESK.id, "imported", "root")


@pytest.mark.parametrize("column", ["practitioner", "service", "room"])
def test_a_name_that_two_have_is_nobody_s(practice: Practice, now: datetime, column: str) -> None:
    """Of two of one name nobody can tell whose visit it is."""
    room = Room.objects.create(clinic=practice.clinic, name="Box 1")
    original: Any = {"practitioner": practice.practitioner, "service": practice.service, "room": room}[column]
    if column != "practitioner":  # Two of these differ at least in their capitals.
        original.name = original.name.upper()
    original.pk, original._state.adding = None, True
    original.save()

    report = bring_in(practice, row(practice, day="2026-05-04", room="Box 1"), now=now)

    assert visits(practice) == []
    assert ["Several here" in one.sentence for one in report.problems] == [True]


def test_names_of_another_clinic_are_not_known(practice: Practice, now: datetime) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")

    report = bring_in(practice, row(foreign, day="2026-05-04"), now=now)

    assert len(report.problems) == 1
    assert visits(practice) == visits(foreign) == []


def test_a_file_without_the_columns_says_which_are_missing() -> None:
    with pytest.raises(ImportFileError) as refused:
        read_visit_file(b"somebody;date\nAna;x")

    assert refused.value.missing == ("patient", "time", "practitioner", "service")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"day": "9999-12-31", "at": "23:45"}, "is no day"),
        ({"day": "0001-01-01"}, "is no day"),
        ({"day": "2026-05-04", "name": "A" * 161}, "column patient is too long"),
        ({"day": "2026-05-04", "note": "a\0b"}, "column note is too long, or cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_said_of_its_line(
    practice: Practice, now: datetime, wrong: dict[str, str], says: str
) -> None:
    report = bring_in(practice, row(practice, day="2026-05-05"), row(practice, **wrong), now=now)

    assert [problem.line for problem in report.problems] == [3]
    assert says in report.problems[0].sentence
    assert len(visits(practice)) == 1


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0b", "\x1c"])
def test_a_sign_that_only_looks_like_the_end_of_a_line_ends_none(practice: Practice, now: datetime, sign: str) -> None:
    report = bring_in(practice, row(practice, day="2026-05-04", note=f"root{sign}canal"), now=now)

    assert (report.problems, report.written) == ([], 1)
    assert visits(practice)[0].note == f"root{sign}canal"


def test_a_quotation_mark_without_a_partner_swallows_no_lines(practice: Practice, now: datetime) -> None:
    rows = [row(practice, day="2026-05-04", note='"root'), row(practice, day="2026-05-05")]

    with pytest.raises(ImportQuoteError) as refused:
        bring_in(practice, *rows, now=now)

    assert "quotation mark" in sentence_of(refused.value)
    assert visits(practice) == []


def test_the_command_tries_first_and_writes_when_told(
    practice: Practice, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "visits.csv"
    day = clock.now().date() + timedelta(days=20)
    file.write_text(f"\ufeff{HEAD}\n".replace(",", ";") + row(practice, day=day).replace(",", ";"), encoding="utf-8")
    clinic = practice.clinic.slug

    call_command("import_visits", str(file), "--clinic", clinic, "--no-reminders")
    tried = (len(visits(practice)), capsys.readouterr().out)
    call_command("import_visits", str(file), "--clinic", clinic, "--remind-from", day.isoformat(), "--write")

    assert tried[0] == 0
    assert "Would be written: 1 visits, 1 of them to come, 0 with reminders." in tried[1]
    assert "Joined to a patient of this name, who has a number where the line has none: 1 visits (lines 2)." in tried[1]
    assert "Written: 1 visits, 1 of them to come, 1 with reminders." in capsys.readouterr().out
    assert visits(practice)[0].has_reminders
    with pytest.raises(CommandError, match="--remind-from"):
        call_command("import_visits", str(file), "--clinic", clinic)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_commas_semicolons_or_tabs_are_told_by_the_first_line(sign: str, mark: bytes) -> None:
    text = (
        f'Date{sign}"Time"{sign}patient{sign}practitioner{sign}service\n2026-05-04{sign}9:00{sign}Ana{sign}B{sign}C\n'
    )

    [line] = read_visit_file(mark + text.encode())

    assert (line.number, line["date"], line["time"], line["service"]) == (2, "2026-05-04", "9:00", "C")


def test_a_spreadsheet_s_unicode_text_is_read(practice: Practice) -> None:
    [line] = read_visit_file("patient\tdate\ttime\tpractitioner\tservice\nÍñigo\t1\t2\t3\t4\n".encode("utf-16"))

    assert line["patient"] == "Íñigo"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_what_excel_writes_in_spain_and_brazil_is_read(encoding: str) -> None:
    """The letters of Windows, and semicolons."""
    file = "Paciente;Fecha;Hora;Profesional;Servicio\nÍñigo Peñalver;15/04/2026;9:30;Dra. Núñez;Revisión\n"

    [line] = read_visit_file(file.encode(encoding))

    assert (line["patient"], line["practitioner"], line["service"]) == ("Íñigo Peñalver", "Dra. Núñez", "Revisión")


@pytest.mark.parametrize("encoding", ["mac-roman", "cp850"])
def test_a_text_that_is_neither_utf_8_nor_windows_is_refused_by_its_line(encoding: str) -> None:
    with pytest.raises(ImportEncodingError) as refused:
        read_visit_file(f"{HEAD}\nAna,\nCorazón Ibáñez,\n".encode(encoding))

    assert sentence_of(refused.value) == "Line 3 cannot be read: save the file as CSV in UTF-8, and try again."


def many(practice: Practice, *, count: int) -> list[str]:
    """One a day, each a newcomer's."""
    return [row(practice, day=date(2026, 5, 1) + timedelta(days=n), name=f"Nova {n:03d} Paz") for n in range(count)]


class _PlugPulledError(Exception):
    pass


@pytest.mark.django_db(transaction=True)
def test_stopped_in_the_middle_it_keeps_what_it_has_and_goes_on_the_next_time(
    practice: Practice, now: datetime
) -> None:
    lines = read_visit_file("\n".join([HEAD, *many(practice, count=10)]).encode())
    heard: list[tuple[int, int]] = []

    def pull_the_plug(report: ImportReport) -> None:
        heard.append((report.read, len(visits(practice))))
        if report.read > 4:
            raise _PlugPulledError

    with pytest.raises(_PlugPulledError):
        run_import(practice.clinic, lines, remind_from=None, actor=DESK, now=now, tell=pull_the_plug, at_once=4)
    kept = len(visits(practice))
    again = run_import(practice.clinic, lines, remind_from=None, actor=DESK, now=now)

    assert (heard, kept) == ([(4, 4), (8, 8)], 8)
    assert (again.known, again.written, len(visits(practice))) == (8, 2, 10)
    assert Patient.objects.for_clinic(practice.clinic).filter(full_name__startswith="Nova").count() == 10


BREAKS_AT_THE_SEVENTH = """
    CREATE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.full_name = 'Nova 006 Paz' THEN RAISE EXCEPTION 'the disk is full'; END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER breaks BEFORE INSERT ON appointments_patient FOR EACH ROW EXECUTE FUNCTION breaks()
"""


def test_what_a_broken_few_had_begun_is_undone_as_a_whole(practice: Practice, now: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(BREAKS_AT_THE_SEVENTH)

    with pytest.raises(DatabaseError, match="the disk is full"):
        bring_in(practice, *many(practice, count=8), now=now, at_once=4)

    assert len(visits(practice)) == 4
    assert Patient.objects.for_clinic(practice.clinic).filter(full_name__startswith="Nova").count() == 4


def test_a_visit_that_moved_or_ended_since_is_not_brought_in_again(practice: Practice, now: datetime) -> None:
    rows = [row(practice, day="2026-05-04"), row(practice, day="2026-05-05")]
    bring_in(practice, *rows, now=now)
    first, second = visits(practice)
    slot = practice.slot(date(2026, 5, 6), time(9))
    reschedule_appointment(practice.clinic, appointment_id=first.pk, slot=slot, actor=DESK, now=now)
    cancel_appointment(practice.clinic, appointment_id=second.pk, actor=DESK, reason="x", now=now)

    again = bring_in(practice, *rows, now=now)

    assert (again.written, again.known) == (0, 2)
    assert [visit.status for visit in visits(practice)] == ["booked", AppointmentStatus.CANCELLED_BY_CLINIC]
    assert values.ANA not in str(list(BookingKey.unscoped.values()))


def test_a_patient_s_lines_make_one_patient_and_lines_at_one_time_one_visit(practice: Practice, now: datetime) -> None:
    rows = [
        row(practice, day="2026-05-04", name="Nova Paz", phone="612 345 670"),
        row(practice, day="2026-05-05", name="nova  PAZ", phone="+34612345670"),
        row(practice, day="2026-05-06", name="Nova Paz"),
        row(practice, day="2026-05-04", name="Nova Paz"),
        row(practice, day="2026-05-04", name="Another"),
    ]
    trial = bring_in(practice, *rows, now=now, is_trial=True)
    report = bring_in(practice, *rows, now=now)

    for heard in (trial, report):
        assert (heard.written, heard.known, [problem.line for problem in heard.problems]) == (3, 1, [6])
    assert {visit.patient.full_name for visit in visits(practice)} == {"Nova Paz"}


def test_a_trial_sees_across_the_few_that_are_looked_at_together(practice: Practice, now: datetime) -> None:
    rows = [row(practice, day="2026-05-04", name=name) for name in ("Nova Paz", "Nova Paz", "Another")]

    trial = bring_in(practice, *rows, now=now, is_trial=True, at_once=1)

    assert (trial.written, trial.known, len(trial.problems)) == (1, 1, 1)


def test_what_is_to_come_stands_neither_on_a_closed_day_nor_with_who_does_not_give_it(
    practice: Practice, now: datetime
) -> None:
    Closure.objects.create(clinic=practice.clinic, begins_on=date(2026, 5, 4), ends_on=date(2026, 5, 4), reason="Fair")
    other = make_practice(practice.clinic, now=now, name="Dr. Mateo Quiroga")
    set_services_of(practice.clinic, practitioner_id=other.practitioner.pk, service_ids=[other.service.pk])
    by_other = {"practitioner": other.practitioner.full_name, "name": "Nova Paz"}
    rows = [
        row(practice, day="2026-05-04", name="Nova Paz"),
        row(practice, day="2026-05-05", **by_other),
        row(practice, day="2026-03-05", **by_other),
    ]

    report = bring_in(practice, *rows, now=now)

    assert [(problem.line, problem.sentence) for problem in report.problems] == [
        (2, "The clinic is closed on Mon 4 May: Fair."),
        (3, "That practitioner does not give this service."),
    ]
    assert report.written == 1


@pytest.mark.parametrize("are_new", [False, True])
def test_a_file_asks_as_often_for_many_lines_as_for_one(practice: Practice, now: datetime, are_new: bool) -> None:
    def statements(*rows: str) -> int:
        with CaptureQueriesContext(connection) as asked:
            assert bring_in(practice, *rows, now=now, remind_from=now.date()).written == len(rows)
        return len(asked)

    def line(number: int) -> str:
        somebody = {"name": f"Nova {number} Paz", "phone": f"612 345 {600 + number}"} if are_new else {}
        return row(practice, day=date(2026, 5, 4) + timedelta(days=number), **somebody)

    add_default_rules(practice.clinic)

    assert statements(line(0)) == statements(*[line(number) for number in range(1, 41)])


@pytest.mark.parametrize("name", [values.ANA, "Ana Ruiz Segunda"])
def test_a_yes_in_a_file_takes_back_no_stop(practice: Practice, now: datetime, name: str) -> None:
    """Whether the number comes with the name that we know, or with another."""
    contact = Contact.objects.for_clinic(practice.clinic).get()
    withdraw(
        practice.clinic.pk,
        contact_id=contact.pk,
        categories=list(Category),
        source=ConsentSource.KEYWORD,
        actor=DESK,
        now=now,
    )
    later = now + timedelta(days=1)
    rows = [
        row(practice, day=day, name=name, phone=values.ANA_TYPED) for day in ("2026-05-04", "2026-05-05", "2026-05-06")
    ] + [row(practice, day="2026-05-07", name="Nova Paz", phone="612 345 670")]

    trial = bring_in(practice, *rows, now=later, is_trial=True, at_once=2)
    report = bring_in(practice, *rows, now=later, at_once=2)

    assert (trial.kept_no, report.kept_no, report.written, report.problems) == (1, 1, 4, [])
    assert opted_out_categories(practice.clinic.pk, contact_ids=[contact.pk])[contact.pk] == frozenset(Category)
    assert [word.state for word in Consent.objects.for_clinic(practice.clinic).exclude(contact=contact)] == ["granted"]


def with_status(text: str, status: str) -> str:
    return f"{text},{status}"


def bring_in_with_status(practice: Practice, *rows: str, now: datetime, is_trial: bool = False) -> ImportReport:
    lines = read_visit_file("\n".join([f"{HEAD},status", *rows]).encode())
    if is_trial:
        return preview_import(practice.clinic, lines, remind_from=None, now=now)
    return run_import(practice.clinic, lines, remind_from=None, actor=DESK, now=now)


@pytest.mark.parametrize("status", [*ENDED, AppointmentStatus.REQUESTED, "Cancelled Late"])
def test_what_ended_elsewhere_is_left_out_and_takes_nobody_s_time(
    practice: Practice, now: datetime, status: str
) -> None:
    ended = with_status(row(practice, day="2026-05-04", service="No longer given"), status)
    stands = with_status(row(practice, day="2026-05-04", name="Nova Paz"), "")

    trial = bring_in_with_status(practice, ended, stands, now=now, is_trial=True)
    report = bring_in_with_status(practice, ended, stands, now=now)

    assert (trial.ended, trial.written, trial.problems) == (report.ended, report.written, report.problems) == (1, 1, [])
    assert [visit.patient.full_name for visit in visits(practice)] == ["Nova Paz"]


@pytest.mark.parametrize("status", ["booked", "confirmed", "arrived", "Attended", "no show"])
def test_what_stands_elsewhere_is_brought_in(practice: Practice, now: datetime, status: str) -> None:
    report = bring_in_with_status(practice, with_status(row(practice, day="2026-05-04"), status), now=now)

    assert (report.written, report.ended, report.problems) == (1, 0, [])


def test_a_status_that_nobody_knows_is_refused_in_words(practice: Practice, now: datetime) -> None:
    report = bring_in_with_status(practice, with_status(row(practice, day="2026-05-04"), "Extraviada"), now=now)

    [problem] = report.problems
    assert "“Extraviada” is no state of a visit: write one of requested, booked, confirmed" in problem.sentence
    assert visits(practice) == []


def test_our_own_export_brought_in_elsewhere_leaves_out_what_was_cancelled(practice: Practice, now: datetime) -> None:
    day = date(2026, 5, 4)
    cancelled, stands = (practice.book(now=now, day=day, at=at) for at in (time(9), time(11)))
    cancel_appointment(practice.clinic, appointment_id=cancelled.pk, actor=DESK, reason="x", now=now)
    elsewhere = make_practice(ClinicFactory.create(), now=now)
    Service.objects.for_clinic(elsewhere.clinic).update(name=practice.service.name)
    Room.objects.for_clinic(elsewhere.clinic).update(name=practice.room.name)
    file = StringIO()
    rows = visit_rows(practice.clinic, first=day, last=day)
    writer(file).writerows([[*VISIT_COLUMNS, "agreed"], *([*cells, "yes"] for cells in rows)])

    report = run_import(
        elsewhere.clinic, read_visit_file(file.getvalue().encode()), remind_from=day, actor=DESK, now=now
    )

    assert (report.problems, report.ended) == ([], 1)
    assert [visit.local_time for visit in visits(elsewhere)] == [stands.local_time]


def bring_in_with_birth(practice: Practice, *rows: str, now: datetime, is_trial: bool = False) -> ImportReport:
    lines = read_visit_file("\n".join([f"{HEAD},born_on", *rows]).encode())
    if is_trial:
        return preview_import(practice.clinic, lines, remind_from=None, now=now)
    return run_import(practice.clinic, lines, remind_from=None, actor=DESK, now=now)


def test_a_line_that_is_a_patient_s_by_name_alone_is_said(practice: Practice, now: datetime) -> None:
    """What is told of it goes to the number of whoever is called so."""
    rows = [
        row(practice, day="2026-05-04"),
        row(practice, day="2026-05-05", phone=values.ANA_TYPED),
        row(practice, day="2026-05-06", name="Nova Paz"),
        row(practice, day="2026-05-07", name="Nova Paz"),
        row(practice, day="2026-05-08", name="Luz Paz", phone="612 345 670"),
        row(practice, day="2026-05-09", name="Luz Paz"),
    ]

    trial = bring_in(practice, *rows, now=now, is_trial=True, at_once=1)
    report = bring_in(practice, *rows, now=now, at_once=1)

    assert (trial.by_name, report.by_name, report.written, report.problems) == ((2, 7), (2, 7), 6, [])


def test_who_was_born_on_another_day_is_a_namesake(practice: Practice, now: datetime) -> None:
    born = date(1980, 2, 3)
    Patient.objects.for_clinic(practice.clinic).filter(pk=practice.ana.pk).update(born_on=born)
    rows = [
        f"{row(practice, day=day)},{born_on}"
        for day, born_on in (("2026-05-04", born), ("2026-05-05", "04/05/2011"), ("2026-05-06", "2011-05-04"))
    ]

    trial = bring_in_with_birth(practice, *rows, now=now, is_trial=True)
    report = bring_in_with_birth(practice, *rows, now=now)

    own, *others = (visit.patient for visit in visits(practice))
    assert (trial.by_name, report.by_name, trial.problems, report.problems) == ((), (), [], [])
    assert own == practice.ana
    assert {(other.pk == own.pk, other.born_on) for other in others} == {(False, date(2011, 5, 4))}
    assert len({other.pk for other in others}) == 1
    assert not PatientContact.objects.for_clinic(practice.clinic).filter(patient=others[0]).exists()


def test_a_day_of_birth_that_nobody_noted_leaves_the_name_alone_to_tell(practice: Practice, now: datetime) -> None:
    report = bring_in_with_birth(practice, f"{row(practice, day='2026-05-04')},2011-05-04", now=now)

    assert report.by_name == (2,)
    assert visits(practice)[0].patient == practice.ana


def test_a_day_of_birth_that_is_none_is_refused(practice: Practice, now: datetime) -> None:
    report = bring_in_with_birth(practice, f"{row(practice, day='2026-05-04')},spring", now=now)

    assert "“spring” is no day" in report.problems[0].sentence
