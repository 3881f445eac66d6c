"""Whose a conversation is with, and what it is called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from appointments.models import Patient, PatientContact
from appointments.queries.ways import that_are_used
from clinicbot.models import Clinic


def people_at(clinic: Clinic, contact_ids: Iterable[int]) -> defaultdict[int, list[Patient]]:
    """By contact, who is reached there; whose own number it is comes first. One query."""
    links = that_are_used(PatientContact.objects.for_clinic(clinic).filter(contact_id__in=list(contact_ids)))
    found: defaultdict[int, list[Patient]] = defaultdict(list)
    for link in links.select_related("patient").order_by("-role", "patient__search_key"):
        found[link.contact_id].append(link.patient)
    return found


def name_of(people: Sequence[Patient], *, tail: str) -> str:
    """The patient's name; of several who share the number, their first names; of nobody we know, the end of the number."""
    if len(people) == 1:
        return people[0].full_name
    if people:
        return ", ".join(one.first_name for one in people)
    return _("Number ending in %(tail)s") % {"tail": tail} if tail else _("Somebody who shows no number")


def short_name_of(people: Sequence[Patient], *, tail: str) -> str:
    """As one speaks of them."""
    return people[0].first_name if len(people) == 1 else name_of(people, tail=tail)
