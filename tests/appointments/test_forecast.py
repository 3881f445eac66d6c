"""The forecast says what is then sent, for the same code decides."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from appointments.models import Appointment, Patient
from appointments.queries.forecasts import Forecast
from appointments.usecases.booking import confirm_appointment
from appointments.usecases.forecasting import forecast_of_clinic, forecast_of_visit
from clinicbot import clock
from messaging.contracts import Category, ConsentSource
from messaging.models import Contact, Message, SendingAccount
from messaging.usecases.accounts import pause_account
from messaging.usecases.consents import withdraw
from messaging.usecases.foreseeing import Fate
from tests.appointments.chat import run
from tests.appointments.making import DESK, Practice
from tests.canary import values
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel

TUESDAY = date(2026, 4, 21)


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, now=now)


def of_clinic(practice: Practice, *, now: datetime, days: int = 10) -> Forecast:
    return forecast_of_clinic(practice.clinic, days=days, real=clock.real(), now=now)


def foreseen(forecast: Forecast) -> list[tuple[datetime, set[int]]]:
    going = [one for one in forecast.reminders if one.foreseen.fate == Fate.SEND]
    return [(one.foreseen.at, {visit.pk for visit in one.visits}) for one in going]


def sent(practice: Practice, moments: set[datetime]) -> list[tuple[datetime, set[int]]]:
    """What really goes when ticks run at these moments."""
    went = []
    for moment in sorted(moments):
        before = set(Message.objects.for_clinic(practice.clinic).values_list("pk", flat=True))
        run(now=moment)
        fresh = Message.objects.for_clinic(practice.clinic).exclude(pk__in=before).exclude(attempts=None)
        went += [(moment, {int(one.subject_id) for one in message.subjects.all()}) for message in fresh]
    return went


def test_what_is_foreseen_is_what_goes(
    speaking: Practice, channel: FakeChannel, default_rules: None, leo: Patient, now: datetime
) -> None:
    eva = speaking.add("Eva Sanz", phone="+34 612 999 000", now=now)
    for day, hour, patient in ((21, 10, speaking.ana), (21, 12, leo), (19, 16, eva), (17, 9, leo), (15, 11, eva)):
        speaking.book(now=now, day=date(2026, 4, day), at=time(hour), patient=patient)
    run(now=now)

    expected = foreseen(of_clinic(speaking, now=now))
    every_quarter = {now + timedelta(minutes=15 * step) for step in range(1, 4 * 24 * 8)}
    went = sent(speaking, every_quarter)

    assert sorted(went, key=str) == sorted(expected, key=str)
    assert len(expected) > 4


def test_what_the_plan_leaves_out_is_told_with_the_reason(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    visit = speaking.book(now=now, day=date(2026, 4, 15), at=time(18))
    run(now=now)

    forecast = of_clinic(speaking, now=now)

    assert [(one.visit.pk, one.reason) for one in forecast.left_out] == [(visit.pk, "too_close_to_another")]


def test_who_wants_no_messages_will_get_none_and_a_paused_account_holds(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    contact = Contact.objects.for_clinic(speaking.clinic).get()
    account = SendingAccount.objects.for_clinic(speaking.clinic).get()

    pause_account(speaking.clinic.pk, account_id=account.pk, reason="repairs", actor=DESK, now=now)
    held = forecast_of_visit(visit, real=clock.real(), now=now)
    withdraw(
        speaking.clinic.pk,
        contact_id=contact.pk,
        categories=[Category.VISITS],
        source=ConsentSource.DESK,
        actor=DESK,
        now=now,
    )
    unwanted = forecast_of_visit(visit, real=clock.real(), now=now)

    assert {(one.foreseen.fate, one.foreseen.reason) for one in held.reminders} == {(Fate.HOLD, "account_paused")}
    assert {(one.foreseen.fate, one.foreseen.reason) for one in unwanted.reminders} == {(Fate.SKIP, "opted_out")}


def test_one_only_for_the_unconfirmed_is_left_out_once_they_said_yes(
    speaking: Practice, default_rules: None, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY, at=time(15))
    confirm_appointment(speaking.clinic, appointment_id=visit.pk, actor=DESK, now=now)
    visit = Appointment.objects.for_clinic(speaking.clinic).select_related("clinic", "patient").get()

    fates = [
        (one.foreseen.fate, one.foreseen.reason)
        for one in forecast_of_visit(visit, real=clock.real(), now=now).reminders
    ]

    assert fates == [(Fate.SEND, ""), (Fate.SEND, ""), (Fate.SKIP, "answered_already")]


def test_foreseeing_writes_nothing_and_asks_no_more_for_more_visits(
    speaking: Practice, default_rules: None, leo: Patient, now: datetime
) -> None:
    speaking.book(now=now, day=TUESDAY, at=time(15))
    run(now=now)
    before = Message.objects.for_clinic(speaking.clinic).count()

    with CaptureQueriesContext(connection) as for_one:
        of_clinic(speaking, now=now)

    assert Message.objects.for_clinic(speaking.clinic).count() == before
    for hour in (9, 11, 16):
        speaking.book(now=now, day=TUESDAY, at=time(hour))
    run(now=now)
    with CaptureQueriesContext(connection) as for_four:
        of_clinic(speaking, now=now)
    assert len(for_four) <= len(for_one)


def test_the_command_tells_it_by_the_clinics_clock_without_names(
    speaking: Practice, default_rules: None, leo: Patient, now: datetime
) -> None:
    at = clock.now()
    day = (at + timedelta(days=5)).date()
    first = speaking.book(now=at, day=day, at=time(15))
    second = speaking.book(now=at, day=day, at=time(16), patient=leo)
    out = StringIO()

    call_command("forecast", clinic=speaking.clinic.slug, days=10, stdout=out)

    told = out.getvalue()
    assert f"goes: 1-day reminder, visit {first.pk}, {second.pk}, to " in told
    assert "by whatsapp as template text visits_reminder_ask/es" in told
    assert "Ana" not in told
    assert "Leo" not in told


@pytest.mark.django_db
def test_the_command_says_which_clinics_there_are() -> None:
    ClinicFactory.create(slug="azahar")

    with pytest.raises(CommandError, match="Known are: azahar"):
        call_command("forecast", clinic="nowhere")
    with pytest.raises(CommandError, match="1 to 60"):
        call_command("forecast", days=0)


def test_another_clinic_s_visits_are_not_foreseen(speaking: Practice, default_rules: None, now: datetime) -> None:
    speaking.book(now=now, day=TUESDAY, at=time(15))

    other = forecast_of_clinic(ClinicFactory.create(), days=10, real=clock.real(), now=now)

    assert (other.reminders, other.left_out, other.waiting) == ((), (), ())
