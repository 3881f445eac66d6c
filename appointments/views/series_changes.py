"""From one visit of a series on: all that follow cancelled, or moved by the same, with one message."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from appointments.errors import ChangedMeanwhileError, TimeInGapError
from appointments.forms import MoveForm, ReasonForm
from appointments.models import Appointment
from appointments.queries.previews import notice_of_several
from appointments.queries.reach import is_reachable, reach_of, wants_no_messages
from appointments.queries.series import following, visits_of_series
from appointments.queries.series_preview import Occurrence, Wished, preview_series
from appointments.reasons import sentence_of
from appointments.saying import said_when
from appointments.slots import Slot
from appointments.usecases.series import SeriesMove, cancel_several, move_several
from appointments.views.pages import number_of, page, read_clock, today_at
from appointments.views.series import FIELD, SEVERAL, ButtonWords, chosen_slot, fields_posted
from appointments.views.visits import visit_or_404
from appointments.views.wishes import Choices, read_choices, read_slot
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

VERSION = "version-"


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_appointment")
def cancel_following(request: ClinicRequest, visit_id: int) -> HttpResponse:
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    visits = _following(visit, reading=reading)
    if len(visits) < 2:
        return HttpResponseRedirect(resolve_url("visit-cancel", visit.pk))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            cancelled = cancel_several(
                request.clinic,
                moves=_all_seen(request, visits),
                actor=Actor.of(request),
                reason=form.reason,
                now=reading.now,
            )
        except ClinicBotError as error:
            form.refuse("common", sentence_of(error))
        else:
            said = ngettext("%(count)d visit is cancelled.", "%(count)d visits are cancelled.", len(cancelled))
            messages.success(request, said % {"count": len(cancelled)})
            return HttpResponseRedirect(resolve_url("visit", visit.pk))
    context = {"visit": visit, "visits": visits, "form": form, **_told(visit, reading=reading)}
    context["notice"] = notice_of_several(visits, text="visits_cancelled_by_clinic", whens=_whens(visits))
    status = 400 if form.is_bound else 200
    return page(request, "visits/cancel_following.html", context, reading=reading, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_appointment")
def move_following(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """Where the first of them goes stands in the address; what is posted is where each goes."""
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    visits = _following(visit, reading=reading)
    choices = read_choices(
        request.clinic, request.GET, today=today_at(request.clinic, reading=reading), fixed_service=visit.service
    )
    try:
        slot = read_slot(request.clinic, request.GET, service=visit.service)
    except TimeInGapError:
        slot = None
    if len(visits) < 2 or slot is None:
        return HttpResponseRedirect(f"{resolve_url('visit-move', visit.pk)}?{request.GET.urlencode()}")
    occurrences = _moved(request, visit, visits, slot=slot, choices=choices, reading=reading)
    form = MoveForm(request.POST if request.method == "POST" else None)
    refused = ""
    if form.is_bound and form.is_valid():
        try:
            moved = move_several(
                request.clinic,
                moves=_moves(request, visits, occurrences),
                actor=Actor.of(request),
                reason=form.cleaned_data["reason"],
                now=reading.now,
            )
        except ClinicBotError as error:
            refused = f"{sentence_of(error)} {_('Nothing was moved.')}"
        else:
            said = ngettext("%(count)d visit is moved.", "%(count)d visits are moved.", len(moved))
            messages.success(request, said % {"count": len(moved)})
            return HttpResponseRedirect(resolve_url("visit", visit.pk))
    slots = [one.slot for one in occurrences if one.slot]
    context = {
        "visit": visit,
        "pairs": list(zip(visits, occurrences, strict=True)),
        "form": form,
        "refused": refused,
        "count": len(slots),
        "notice": _notice_of_move(visit, slots=slots),
        "button": _button(len(slots)),
        **_told(visit, reading=reading),
    }
    status = 409 if refused else 400 if form.is_bound else 200
    return page(request, "visits/move_following.html", context, reading=reading, status=status)


def _button(count: int) -> ButtonWords:
    def said(many: int) -> str:
        return ngettext("Move %(count)d visit", "Move %(count)d visits", many) % {"count": many}

    return ButtonWords(said(count), said(1), said(SEVERAL))


def _following(visit: Appointment, *, reading: Reading) -> list[Appointment]:
    if not visit.can_change(now=reading.now):
        return []
    return following(visit, visits=visits_of_series(visit), now=reading.now)


def _as_seen(request: ClinicRequest, visit: Appointment) -> SeriesMove | None:
    """As the page showed it; None for one that it did not."""
    version = number_of(request.POST.get(f"{VERSION}{visit.pk}", ""))
    return SeriesMove(appointment_id=visit.pk, notice_version=version) if version is not None else None


def _all_seen(request: ClinicRequest, visits: Sequence[Appointment]) -> list[SeriesMove]:
    """Raises `ChangedMeanwhileError` where one that the page showed is no longer among them."""
    seen = [one for one in (_as_seen(request, visit) for visit in visits) if one is not None]
    if len(seen) != sum(name.startswith(VERSION) for name in request.POST):
        raise ChangedMeanwhileError
    return seen


def _moved(
    request: ClinicRequest,
    visit: Appointment,
    visits: Sequence[Appointment],
    *,
    slot: Slot,
    choices: Choices,
    reading: Reading,
) -> list[Occurrence]:
    """Each by as much as the first, by the clock on the wall; with whom the first goes to, or with whom each is."""
    by = datetime.combine(slot.local_date, slot.local_time) - datetime.combine(visit.local_date, visit.local_time)
    stays_with = slot.practitioner_id == visit.practitioner_id
    posted = fields_posted(request.POST)
    wishes = [
        _wished(one, by=by, practitioner_id=one.practitioner_id if stays_with else slot.practitioner_id, posted=posted)
        for one in visits
    ]
    return preview_series(
        request.clinic,
        wishes=wishes,
        people=choices.practitioners,
        now=reading.now,
        without_visit_ids=[one.pk for one in visits],
    )


def _wished(visit: Appointment, *, by: timedelta, practitioner_id: int, posted: dict[str, str]) -> Wished:
    there = datetime.combine(visit.local_date, visit.local_time) + by
    name = f"{FIELD}{visit.pk}"
    return Wished(
        name=name,
        day=there.date(),
        at=there.time(),
        practitioner_id=practitioner_id,
        service=visit.service,
        chosen=posted.get(name),
    )


def _moves(
    request: ClinicRequest, visits: Sequence[Appointment], occurrences: Sequence[Occurrence]
) -> list[SeriesMove]:
    """Raises `TimeInGapError`."""
    return [
        SeriesMove(appointment_id=seen.appointment_id, notice_version=seen.notice_version, slot=slot)
        for visit, one in zip(visits, occurrences, strict=True)
        if (seen := _as_seen(request, visit)) and (slot := chosen_slot(request, one))
    ]


def _notice_of_move(visit: Appointment, *, slots: Sequence[Slot]) -> Any:
    if len(slots) < 2:
        return None
    language, clinic = visit.patient.language, visit.clinic
    whens = [
        said_when(clinic, local_date=slot.local_date, local_time=slot.local_time, language=language) for slot in slots
    ]
    return notice_of_several([visit] * len(slots), text="visits_moved", whens=whens, old_when=_whens([visit])[0])


def _whens(visits: Sequence[Appointment]) -> list[str]:
    return [
        said_when(one.clinic, local_date=one.local_date, local_time=one.local_time, language=one.patient.language)
        for one in visits
    ]


def _told(visit: Appointment, *, reading: Reading) -> dict[str, Any]:
    ways = reach_of(visit.patient, now=reading.now)
    return {"can_tell": is_reachable(ways), "wants_none": wants_no_messages(ways)}
