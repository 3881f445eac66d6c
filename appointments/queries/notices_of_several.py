"""What became of several visits at once, in the words of one text: a closure hit all of a household's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, time

from django.utils import translation
from django.utils.translation import gettext

from appointments.queries.known_visits import KnownVisit
from appointments.saying import LONGEST_LIST, link_of, said_when

TEXT_OF_SEVERAL = "visits_changed_by_clinic"


def words_of_several(known: Sequence[KnownVisit], *, language: str) -> Mapping[str, str]:
    """In order of the times that they know. The page is that of the first that still stands."""
    in_order = in_order_of_known_times(known)
    first = next((one.visit for one in in_order if one.visit.is_live), in_order[0].visit)
    clinic = first.clinic
    return {
        "clinic": clinic.name,
        "visits": _list(in_order, language=language),
        "phone": clinic.phone,
        "link": link_of(first),
    }


def in_order_of_known_times(known: Sequence[KnownVisit]) -> list[KnownVisit]:
    return sorted(known, key=_known_time)


def as_many_as_fit(known: Sequence[KnownVisit], *, language: str) -> Sequence[KnownVisit]:
    """The first of them whose words one text holds uncut; one at least. Give them in the order of the times that are known."""
    counts = range(len(known), 1, -1)
    fits = (many for many in counts if len(_list(known[:many], language=language)) <= LONGEST_LIST)
    return known[: next(fits, 1)]


def _list(known: Sequence[KnownVisit], *, language: str) -> str:
    with translation.override(language):
        return "; ".join(_said(one, language=language) for one in known)


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
