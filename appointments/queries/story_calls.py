"""Calls about a visit as entries of its story."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from appointments.models import Appointment, CallAttempt, CallOutcome
from appointments.queries.story_entries import Entry


def calls_about(visit: Appointment) -> QuerySet[CallAttempt]:
    """Oldest first, with who made them."""
    calls = CallAttempt.objects.for_clinic(visit.clinic_id).filter(appointment=visit)
    return calls.select_related("by").order_by("pk")


def entry_of_call(call: CallAttempt, *, numbers: Mapping[int, str]) -> Entry:
    """numbers: by contact, as the desk knows them."""
    said = {"name": caller_of(call)}
    parts = [_("by %(name)s at the desk") % said, numbers.get(call.contact_id or 0, "")]
    return Entry(
        at=call.at,
        icon="phone",
        what=_what(CallOutcome(call.outcome)),
        more=", ".join(part for part in parts if part),
        notes=(_("Taken back: the call did not end so."),) if call.taken_back_at else (),
    )


def caller_of(call: CallAttempt) -> str:
    return call.by.get_full_name() or call.by.get_username()


def _what(outcome: CallOutcome) -> str:
    return {
        CallOutcome.LEFT_MESSAGE: _("Called: left a message"),
        CallOutcome.NO_ANSWER: _("Called: no answer"),
        CallOutcome.WILL_COME: _("Called: will come"),
        CallOutcome.MOVE: _("Called: wants another time"),
        CallOutcome.WRONG_NUMBER: _("Called: wrong number"),
        CallOutcome.TOLD: _("Called: knows now"),
    }[outcome]
