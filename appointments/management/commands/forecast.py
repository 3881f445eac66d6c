"""What will be sent in the next days, when and to whom, and what will be held or left out, and why. Nothing is sent or written."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from appointments.events import VISIT
from appointments.queries.forecasts import Forecast, ForeseenReminder, LeftOut
from appointments.queries.rule_words import title_of_rule
from appointments.reasons import why_of
from appointments.usecases.forecasting import forecast_of_clinic
from clinicbot import clock
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.usecases.foreseeing import Fate, Foreseen, Waiting

DAYS = 7
MOST_DAYS = 60
WORDS = {
    Fate.SEND: "goes",
    Fate.DIVIDE: "goes, as several",
    Fate.WAIT: "goes",
    Fate.HOLD: "is held",
    Fate.SKIP: "is left out",
    Fate.EXPIRE: "is left out",
    Fate.FAIL: "cannot go",
    Fate.LET_GO: "cannot be judged",
}


class Command(BaseCommand):
    help = (
        "What will be sent, when, to whom, and what will be held or left out, and why. Names and full numbers stay out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--clinic", help="The short name of one clinic; without it all of them.")
        parser.add_argument("--days", type=int, default=DAYS, help=f"How far to look ahead: {DAYS} days unless told.")

    def handle(self, *, clinic: str | None, days: int, **options: Any) -> None:
        if not 0 < days <= MOST_DAYS:
            raise CommandError(f"Look 1 to {MOST_DAYS} days ahead.")
        wanted = Clinic.objects.filter(slug=clinic) if clinic else Clinic.objects.order_by("slug")
        clinics = list(wanted)
        if not clinics:
            known = ", ".join(Clinic.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no such clinic. Known are: {known}.")
        reading = clock.read()
        with translation.override("en"):
            for one in clinics:
                found = forecast_of_clinic(one, days=days, real=reading.real, now=reading.now)
                self.stdout.write("\n".join(lines_of(found, clinic=one, days=days)))


def lines_of(forecast: Forecast, *, clinic: Clinic, days: int) -> Iterator[str]:
    """A heading, then what waits now, what will be, and what the plan leaves out."""
    yield f"{clinic.slug}: the next {days} days, by the clock of {clinic.zone}"
    waiting = [_waiting(one, clinic=clinic) for one in forecast.waiting]
    rows = [(one.foreseen.at, _reminder(one, clinic=clinic)) for one in forecast.reminders]
    rows += [(one.at, _left_out(one, clinic=clinic)) for one in forecast.left_out]
    lines = [line for _at, line in sorted(rows)]
    yield from waiting or ["  Nothing waits now."]
    yield from lines or ["  No reminder falls into these days."]


def _waiting(one: Waiting, *, clinic: Clinic) -> str:
    visits = [subject.id for subject in one.message.subjects if subject.type == VISIT]
    about = f"visit {', '.join(visits)}" if visits else "no visit"
    return f"  waits now        {WORDS[one.foreseen.fate]}: {one.message.kind}, {about}{_how(one.foreseen)}"


def _reminder(one: ForeseenReminder, *, clinic: Clinic) -> str:
    visits = ", ".join(str(visit.pk) for visit in one.visits)
    when = _when(one.foreseen.at, clinic)
    return f"  {when}  {WORDS[one.foreseen.fate]}: {title_of_rule(one.rule)}, visit {visits}{_how(one.foreseen)}"


def _left_out(one: LeftOut, *, clinic: Clinic) -> str:
    when = _when(one.at, clinic)
    return f"  {when}  is left out: {title_of_rule(one.rule)}, visit {one.visit.pk}: {why_of(one.reason)}"


def _when(moment: datetime, clinic: Clinic) -> str:
    return f"{short_date(moment, clinic)} {clock_time(moment, clinic)}"


def _how(foreseen: Foreseen) -> str:
    if foreseen.channel:
        return (
            f", to {foreseen.to} by {foreseen.channel} as {foreseen.mode} text {foreseen.text_name}/{foreseen.language}"
        )
    return f": {why_of(foreseen.reason)}" if foreseen.reason else ""
