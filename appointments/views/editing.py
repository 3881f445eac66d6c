"""Editing a visit: its service and its note. The patient is told nothing, unless it has to move to have room."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.db.models import Q
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from appointments.errors import ServiceNotGivenError, TimeInGapError
from appointments.forms import EditForm
from appointments.models import Appointment, Service
from appointments.queries.free_slots import SlotWish
from appointments.queries.meanwhile import said_of_last_change
from appointments.queries.offers import as_free_now, nearest_to, slot_of_code
from appointments.reasons import sentence_of
from appointments.slots import Slot
from appointments.usecases.changing import VisitWish, change_visit, slot_for
from appointments.views.pages import page, read_clock
from appointments.views.toasts import say_done
from appointments.views.visits import visit_or_404
from appointments.views.wishes import override_for, read_override
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import is_same_text

AT = "at"
"""Posted with a time that the page offered, where the service had no room at the visit's own."""


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_appointment")
def edit(request: ClinicRequest, visit_id: int) -> HttpResponse:
    reading = read_clock()
    visit = visit_or_404(request, visit_id)
    services = _services_for(visit, now_can_change=visit.can_change(now=reading.now))
    initial = {"service": visit.service_id, "note": visit.note}
    initial |= {f"drawn_{name}": value for name, value in initial.items()}
    form = EditForm(request.POST if request.method == "POST" else None, initial=initial, services=services)
    if request.method != "POST" or not form.is_valid():
        return _show(request, visit, form=form, reading=reading, status=400 if form.is_bound else 200)
    wanted = _untouched_as_it_is(form, visit=visit)
    service = wanted["service"]
    if _has_conflict(form, visit=visit):
        said = said_of_last_change(request.clinic, visit_id=visit.pk)
        again = EditForm(initial={**initial, "service": service.pk, "note": wanted["note"]}, services=services)
        return _show(request, visit, form=again, reading=reading, status=409, refused=said)
    try:
        change_visit(
            request.clinic,
            appointment_id=visit.pk,
            wish=VisitWish(
                service=service,
                note=wanted["note"],
                slot=_other_time(request, visit, service=service, reading=reading),
            ),
            actor=Actor.of(request),
            override=read_override(request),
            now=reading.now,
        )
    except ClinicBotError as error:
        return _refuse(request, visit, error, form=form, service=service, reading=reading)
    say_done(request, _("Saved."), visit=visit, now=reading.now)
    return HttpResponseRedirect(resolve_url("visit", visit.pk))


def _typed(form: EditForm) -> dict[str, Any]:
    return {"service": form.cleaned_data["service"].pk, "note": form.cleaned_data["note"]}


def _has_conflict(form: EditForm, *, visit: Appointment) -> bool:
    """Whether something that was touched here has become another thing meanwhile."""
    typed, now = _typed(form), {"service": visit.service_id, "note": visit.note}
    return any(
        not (_is_same(typed[name], drawn) or _is_same(now[name], drawn) or _is_same(typed[name], now[name]))
        for name, drawn in form.drawn_from().items()
    )


def _untouched_as_it_is(form: EditForm, *, visit: Appointment) -> dict[str, Any]:
    typed, drawn = _typed(form), form.drawn_from()
    untouched = {name for name, value in drawn.items() if _is_same(typed[name], value)}
    return {
        "service": visit.service if "service" in untouched else form.cleaned_data["service"],
        "note": visit.note if "note" in untouched else form.cleaned_data["note"],
    }


def _is_same(one: Any, other: Any) -> bool:
    return is_same_text(one, other) if isinstance(one, str) and isinstance(other, str) else bool(one == other)


def _services_for(visit: Appointment, *, now_can_change: bool) -> list[Service]:
    """What is offered and the visit's own; of a visit that is over only that."""
    of_clinic = Service.objects.for_clinic(visit.clinic_id).order_by("pk")
    offered = Q(is_active=True) if now_can_change else Q(pk__in=[])
    return list(of_clinic.filter(offered | Q(pk=visit.service_id)))


def _other_time(request: ClinicRequest, visit: Appointment, *, service: Service, reading: Reading) -> Slot | None:
    """Raises `TimeInGapError`."""
    slot = slot_of_code(request.POST.get(AT, ""), clinic=request.clinic, service=service)
    if slot is None:
        return None
    return as_free_now(request.clinic, wish=_wish(visit, service=service), slot=slot, now=reading.now)


def _wish(visit: Appointment, *, service: Service) -> SlotWish:
    return SlotWish(
        service=service,
        from_day=visit.local_date,
        days=1,
        practitioner_id=visit.practitioner_id,
        without_visit_id=visit.pk,
    )


def _refuse(
    request: ClinicRequest,
    visit: Appointment,
    error: ClinicBotError,
    *,
    form: EditForm,
    service: Service,
    reading: Reading,
) -> HttpResponse:
    """Nothing was changed: why, and near its time where the service has room."""
    offers = []
    if visit.can_change(now=reading.now) and not isinstance(error, TimeInGapError):
        near, wish = slot_for(visit, service=service), _wish(visit, service=service)
        if isinstance(error, ServiceNotGivenError):
            wish = replace(wish, practitioner_id=None)
        offers = nearest_to(request.clinic, wish=wish, slot=near, now=reading.now)
    return _show(
        request,
        visit,
        form=form,
        reading=reading,
        status=409,
        refused=sentence_of(error),
        offers=offers,
        override_form=override_for(request, error),
    )


def _show(
    request: ClinicRequest, visit: Appointment, *, form: EditForm, reading: Reading, status: int, **more: Any
) -> HttpResponse:
    context = {"visit": visit, "form": form, "can_change": visit.can_change(now=reading.now), **more}
    return page(request, "visits/edit.html", context, reading=reading, status=status)
