"""Of a message about several visits, who is still reached together when it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from appointments.events import VISIT
from appointments.models import Appointment
from appointments.queries.bundles import reached_together
from messaging.contracts import QueuedMessage, Subject


def groups_of(
    message: QueuedMessage, visits: Sequence[Appointment], *, contacts: Mapping[int, tuple[int, ...]]
) -> list[list[Appointment]]:
    """Who is still reached together; first the message's own person and who hears along with them.

    When it was queued all were: since then somebody may have got another number, or another guardian.
    """
    groups = reached_together(visits, contacts=contacts)
    return sorted(groups, key=lambda group: all(visit.patient_id != message.person.id for visit in group))


def subjects_among(message: QueuedMessage, visits: Sequence[Appointment]) -> tuple[Subject, ...]:
    """The message's own subjects, at the versions that it speaks of."""
    ids = {str(visit.pk) for visit in visits}
    return tuple(one for one in message.subjects if one.type == VISIT and one.id in ids)


def shared_contacts(each: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Where all of them are reached, in the order of the first."""
    return reduce(lambda kept, others: tuple(pk for pk in kept if pk in others), each)


def left_out_of(message: QueuedMessage, visits: Sequence[Appointment]) -> frozenset[Subject]:
    """What the message does not speak of, when it speaks of these."""
    ids = {str(visit.pk) for visit in visits}
    return frozenset(one for one in message.subjects if one.id not in ids)
