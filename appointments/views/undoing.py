"""Taking back what was done last to a visit. Where its old time is gone, other times near it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from appointments.errors import ChangeNotFoundError, ClinicClosedError, SlotInPastError, SlotTakenError
from appointments.models import AppointmentChange, ChangeKind
from appointments.queries.free_slots import SlotWish
from appointments.queries.offers import nearest_to, taker_of
from appointments.queries.undoing import get_change
from appointments.queries.visits import get_visit
from appointments.reasons import sentence_of
from appointments.usecases.undoing import slot_before, undo_change
from appointments.views.pages import page, read_clock
from appointments.views.toasts import next_page
from clinicbot.access import ClinicRequest, clinic_required
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

MARKS = (
    ChangeKind.ARRIVED,
    ChangeKind.SEATED,
    ChangeKind.ATTENDED,
    ChangeKind.NO_SHOW,
    ChangeKind.CANCELLED_LATE,
)
GONE = (SlotTakenError, SlotInPastError, ClinicClosedError)


@require_POST
@clinic_required
def undo(request: ClinicRequest, change_id: int) -> HttpResponse:
    """The change that was seen, and no other."""
    reading = read_clock()
    try:
        change = get_change(request.clinic, change_id=change_id)
    except ChangeNotFoundError:
        raise Http404 from None
    if not may_undo(request, change):
        raise PermissionDenied
    of_visit = resolve_url("visit", change.appointment_id)
    try:
        undo_change(request.clinic, change_id=change.pk, actor=Actor.of(request), now=reading.now)
    except GONE as error:
        return _refuse(request, change, error, reading=reading)
    except ClinicBotError as error:
        messages.error(request, f"{sentence_of(error)} {_('Nothing was changed.')}")
        return HttpResponseRedirect(of_visit)
    messages.success(request, _("Taken back."))
    return HttpResponseRedirect(next_page(request, otherwise=of_visit))


def may_undo(request: ClinicRequest, change: AppointmentChange) -> bool:
    """Whoever may note who came may take that back; the rest is theirs who may change visits."""
    needed = "mark_attendance" if change.kind in MARKS else "change_appointment"
    return request.user.has_perm(f"appointments.{needed}")


def _refuse(
    request: ClinicRequest, change: AppointmentChange, error: ClinicBotError, *, reading: Reading
) -> HttpResponse:
    """Nothing was changed: why, and what is free near it. Where it goes instead is decided on the page for that."""
    visit = get_visit(request.clinic, appointment_id=change.appointment_id)
    slot = slot_before(change, visit=visit)
    wish = SlotWish(
        service=visit.service,
        from_day=slot.local_date,
        days=1,
        practitioner_id=slot.practitioner_id,
        without_visit_id=visit.pk,
    )
    context = {
        "visit": visit,
        "wanted": slot,
        "refused": sentence_of(error),
        "taker": taker_of(request.clinic, slot=slot) if isinstance(error, SlotTakenError) else None,
        "alternatives": nearest_to(request.clinic, wish=wish, slot=slot, now=reading.now),
    }
    return page(request, "visits/not_undone.html", context, reading=reading, status=409)
