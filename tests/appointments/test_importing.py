"""Visits from another program: nobody is told of what they know already, and reminders begin when the clinic says so."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from appointments.errors import ImportFileError, ImportQuoteError
from appointments.models import Appointment, AppointmentChange, ChangeKind, Patient, PatientContact
from appointments.reasons import sentence_of
from appointments.usecases.importing_files import ImportReport, import_file
from appointments.usecases.reminding import plan_clinic_again
from clinicbot import clock
from clinicbot.models import Role
from messaging.models import Consent, Message
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
    practice: Practice, *rows: str, now: datetime, remind_from: date | None = None, is_trial: bool = False
) -> ImportReport:
    text = "\n".join([HEAD, *rows])
    return import_file(practice.clinic, text=text, remind_from=remind_from, is_trial=is_trial, actor=DESK, now=now)


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
    assert (report.written, report.to_come, report.reminded, report.problems) == (500, 250, 0, ())
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


def test_one_line_that_cannot_be_written_keeps_all_out_and_each_is_named(practice: Practice, now: datetime) -> None:
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

    report = bring_in(practice, good, *bad, now=now)

    assert visits(practice) == []
    assert [(problem.line, problem.sentence.split(":")[0]) for problem in report.problems] == [
        (3, "“4 May” is no day"),
        (4, "“half ten” is no time"),
        (5, "The column service says “Magic”, which this clinic has not."),
        (6, "The column practitioner says “Dr Nobody”, which this clinic has not."),
        (7, report.problems[4].sentence.split(":")[0]),
        (8, "Ask whether messages may go to this number, and mark the answer. Or leave the number out."),
        (9, "Somebody else has just taken that time."),
        (10, "A patient needs a name."),
    ]


def test_phones_are_read_by_the_clinics_country_and_consent_is_kept(practice: Practice, now: datetime) -> None:
    known = row(practice, day="2026-05-04", phone="+34 " + values.ANA_TYPED)
    new = row(practice, day="04/05/2026", at="11:00", name="Nova Paz", phone="612 345 670")

    report = bring_in(practice, known, new, now=now)

    first, second = visits(practice)
    link = PatientContact.objects.for_clinic(practice.clinic).select_related("contact").get(patient=second.patient)
    consents = Consent.objects.for_clinic(practice.clinic).filter(contact=link.contact)
    assert report.problems == ()
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


def test_names_of_another_clinic_are_not_known(practice: Practice, now: datetime) -> None:
    foreign = make_practice(ClinicFactory.create(), now=now, name="Dr Foreign")

    report = bring_in(practice, row(foreign, day="2026-05-04"), now=now)

    assert len(report.problems) == 1
    assert visits(practice) == visits(foreign) == []


def test_a_file_without_the_columns_says_which_are_missing(practice: Practice, now: datetime) -> None:
    with pytest.raises(ImportFileError) as refused:
        import_file(practice.clinic, text="name;date\nAna;x", remind_from=None, is_trial=True, actor=DESK, now=now)

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
    assert visits(practice) == []


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\x0b", "\x1c"])
def test_a_sign_that_only_looks_like_the_end_of_a_line_ends_none(practice: Practice, now: datetime, sign: str) -> None:
    report = bring_in(practice, row(practice, day="2026-05-04", note=f"root{sign}canal"), now=now)

    assert (report.problems, report.written) == ((), 1)
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
    assert "Written: 1 visits, 1 of them to come, 1 with reminders." in capsys.readouterr().out
    assert visits(practice)[0].has_reminders
    with pytest.raises(CommandError, match="--remind-from"):
        call_command("import_visits", str(file), "--clinic", clinic)
