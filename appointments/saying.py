"""Visits in the words of a text: the variables that templates/messages/README.md lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, ngettext

from appointments.models import Appointment
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic


def said_when(clinic: Clinic, *, local_date: date, local_time: time, language: str) -> str:
    """ "mar 14 abr, 10:30": weekday, day, month and hour at the clinic."""
    return f"{short_date(local_date, language=language)}, {clock_time(local_time, clinic, language=language)}"


def variables_of(visit: Appointment, *, language: str) -> Mapping[str, str]:
    """Every variable that a text about one visit may use, but `old_when`."""
    clinic = visit.clinic
    return {
        "clinic": clinic.name,
        "patient": visit.patient.first_name,
        "when": said_when(clinic, local_date=visit.local_date, local_time=visit.local_time, language=language),
        "where": clinic.address or clinic.name,
        "practitioner": visit.practitioner.full_name,
        "phone": clinic.phone,
        "link": link_of(visit),
    }


def link_of(visit: Appointment) -> str:
    """The patient's page. It opens to whoever holds it."""
    return f"{settings.BASE_URL}{reverse('patient-page', args=[visit.link_token])}"


UNKEPT = frozenset({"link"})
"""Variables that are said, and not kept with what was sent."""


ADJOINING = timedelta(minutes=30)


def variables_of_several(visits: Sequence[Appointment], *, language: str) -> Mapping[str, str]:
    """Of one day's visits, in order of time: "10:30 Ana, 12:00 Leo". No two are asked about apart. The first one's page shows all."""
    clinic = visits[0].clinic
    return {
        "clinic": clinic.name,
        "day": short_date(visits[0].local_date, language=language),
        "visits": ", ".join(_said_run(run, language=language) for run in _runs(visits)),
        "where": clinic.address or clinic.name,
        "phone": clinic.phone,
        "link": link_of(visits[0]),
    }


LONGEST_LIST = 190
"""Characters: what fills a text may have 200."""


def variables_of_dates(visits: Sequence[Appointment], *, whens: Sequence[str], language: str) -> Mapping[str, str]:
    """Of one patient's visits on several days, in order of time; `whens`: when each is, or was to be."""
    first = visits[0]
    people = {visit.practitioner.full_name for visit in visits}
    return {
        **variables_of(first, language=language),
        "practitioner": people.pop() if len(people) == 1 else "",
        "count": str(len(visits)),
        "dates": _as_many_as_fit(whens, language=language),
    }


def _as_many_as_fit(whens: Sequence[str], *, language: str) -> str:
    """The page that the message leads to shows the others."""
    with translation.override(language):
        for shown in range(len(whens), 0, -1):
            left = len(whens) - shown
            rest = [ngettext("and %(count)d more", "and %(count)d more", left) % {"count": left}] if left else []
            words = "; ".join([*whens[:shown], *rest])
            if len(words) <= LONGEST_LIST:
                return words
    return whens[0]


def _runs(visits: Sequence[Appointment]) -> list[list[Appointment]]:
    """One patient's visits that follow upon each other are one stay."""
    runs: list[list[Appointment]] = []
    for visit in visits:
        before = next((run for run in reversed(runs) if run[-1].patient_id == visit.patient_id), None)
        if before and visit.starts_at - before[-1].ends_at < ADJOINING:
            before.append(visit)
        else:
            runs.append([visit])
    return runs


def _said_run(run: Sequence[Appointment], *, language: str) -> str:
    first = run[0]
    begins = clock_time(first.local_time, first.clinic, language=language)
    words = f"{begins} {first.patient.first_name}"
    if len(run) == 1:
        return words
    with translation.override(language):
        about = gettext("%(count)d visits, %(long)s") % {"count": len(run), "long": _long(run)}
    return f"{words} ({about})"


def _long(run: Sequence[Appointment]) -> str:
    minutes = int((run[-1].ends_at - run[0].starts_at).total_seconds() // 60)
    hours = round(minutes / 60)
    if minutes < 50:
        return gettext("%(minutes)d min") % {"minutes": minutes}
    return ngettext("about %(hours)d hour", "about %(hours)d hours", hours) % {"hours": hours}
