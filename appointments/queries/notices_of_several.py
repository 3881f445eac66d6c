"""What became of several visits at once, in the words of one text: a closure hit all of a household's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, time

from django.utils import translation
from django.utils.translation import gettext

from appointments.queries.known_visits import KnownVisit
from appointments.saying import link_of, said_when

TEXT_OF_SEVERAL = "visits_changed_by_clinic"


def words_of_several(known: Sequence[KnownVisit], *, language: str) -> Mapping[str, str]:
    """In order of the times that they know. The page is that of the first that still stands."""
    in_order = sorted(known, key=_known_time)
    first = next((one.visit for one in in_order if one.visit.is_live), in_order[0].visit)
    clinic = first.clinic
    with translation.override(language):
        visits = "; ".join(_said(one, language=language) for one in in_order)
    return {"clinic": clinic.name, "visits": visits, "phone": clinic.phone, "link": link_of(first)}


def _said(known: KnownVisit, *, language: str) -> str:
    """ "Tue 21 Apr, 10:30 Ana: now Thu 23 Apr, 9:00, with Dra. Barrera"."""
    visit, place = known.visit, known.read or known.place
    clinic = visit.clinic
    said = {
        "when": said_when(clinic, local_date=place.local_date, local_time=place.local_time, language=language),
        "now": said_when(clinic, local_date=visit.local_date, local_time=visit.local_time, language=language),
        "name": visit.patient.first_name,
        "practitioner": visit.practitioner.full_name,
    }
    if not visit.is_live:
        return gettext("%(when)s %(name)s: cancelled") % said
    if known.read is None or known.read == replace(known.place, stands=False):
        return gettext("%(when)s %(name)s: it stands") % said
    if known.read.is_same_time_as(known.place):
        return gettext("%(when)s %(name)s: now with %(practitioner)s") % said
    return gettext("%(when)s %(name)s: now %(now)s, with %(practitioner)s") % said


def _known_time(known: KnownVisit) -> tuple[date, time, int]:
    place = known.read or known.place
    return place.local_date, place.local_time, known.visit.pk
