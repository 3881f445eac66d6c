"""Closures and absences: what is closed when, and the first step of closing more. And somebody who works here no more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.views.decorators.http import require_http_methods, require_safe

from appointments.closure_forms import ClosureForm, LeaveForm
from appointments.models import Closure, Practitioner
from appointments.queries.closure_pages import closure_list
from appointments.reasons import sentence_of
from appointments.usecases.closing import draft_closure, draft_leave
from appointments.views.pages import day_of, number_of, page, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from clinicbot.models import Membership, Role

MAY_SEE, MAY_CLOSE = "appointments.view_closure", "appointments.plan_closure"
MAY_LET_GO = "appointments.change_practitioner"


@require_safe
@permission_required_here(MAY_SEE)
def closures(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    found = closure_list(request.clinic, today=today_at(request.clinic, reading=reading), now=reading.now)
    return page(request, "closures/list.html", {"section": "closures", "list": found}, reading=reading)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here(MAY_CLOSE)
def new(request: ClinicRequest) -> HttpResponse:
    """Who, when, why. What is known already stands in the address: from the calendar a day, from the admin all of it."""
    reading = read_clock()
    today = today_at(request.clinic, reading=reading)
    closure = _closure_of(request)
    people = list(Practitioner.objects.for_clinic(request.clinic).filter(is_active=True).order_by("full_name", "pk"))
    if request.method != "POST":
        form = ClosureForm(initial=_initial(request, closure, today=today), people=people, today=today)
        return _show(request, form, people=people, closure=closure, reading=reading)
    form = ClosureForm(request.POST, people=people, today=today)
    if not form.is_valid():
        return _show(request, form, people=people, closure=closure, reading=reading, status=400)
    try:
        plan = draft_closure(
            request.clinic,
            wish=form.wish(closure_id=closure.pk if closure else None),
            actor=Actor.of(request),
            now=reading.now,
        )
    except ClinicBotError as error:
        form.refuse("reason", sentence_of(error))
        return _show(request, form, people=people, closure=closure, reading=reading, status=400)
    return HttpResponseRedirect(resolve_url("closure", plan.pk))


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here(MAY_LET_GO)
def leave(request: ClinicRequest, practitioner_id: int) -> HttpResponse:
    """The first step of letting somebody go; what becomes of their visits is decided on the next page."""
    reading = read_clock()
    practitioner = Practitioner.objects.for_clinic(request.clinic).filter(pk=practitioner_id).first()
    if practitioner is None:
        raise Http404
    member = _member(practitioner)
    is_own = practitioner.user_id == request.user.pk
    form = LeaveForm(
        request.POST if request.method == "POST" else None,
        initial={"takes_login": member is not None and member.role == Role.PRACTITIONER},
    )
    context: dict[str, Any] = {
        "section": "closures",
        "practitioner": practitioner,
        "form": form,
        "member": None if is_own else member,
    }
    if request.method != "POST" or not form.is_valid():
        status = 400 if form.is_bound else 200
        return page(request, "closures/leave.html", context, reading=reading, status=status)
    try:
        plan = draft_leave(
            request.clinic,
            practitioner_id=practitioner.pk,
            begins_on=today_at(request.clinic, reading=reading),
            reason=form.cleaned_data["reason"],
            takes_login=form.cleaned_data["takes_login"],
            actor=Actor.of(request),
            now=reading.now,
        )
    except ClinicBotError as error:
        form.refuse("reason", sentence_of(error))
        return page(request, "closures/leave.html", context, reading=reading, status=400)
    return HttpResponseRedirect(resolve_url("closure", plan.pk))


def _member(practitioner: Practitioner) -> Membership | None:
    """With which role their login may work here, if they have one."""
    if practitioner.user_id is None:
        return None
    return Membership.objects.filter(clinic_id=practitioner.clinic_id, user_id=practitioner.user_id).first()


def _show(
    request: ClinicRequest,
    form: ClosureForm,
    *,
    people: Sequence[Practitioner],
    closure: Closure | None,
    reading: Reading,
    status: int = 200,
) -> HttpResponse:
    context = {
        "section": "closures",
        "form": form,
        "closure": closure,
        "leavers": people if request.user.has_perm(MAY_LET_GO) and closure is None else [],
    }
    return page(request, "closures/new.html", context, reading=reading, status=status)


def _closure_of(request: ClinicRequest) -> Closure | None:
    """Days that are closed already, where only the visits on them are to be decided about."""
    wanted = number_of(request.GET.get("closure", ""))
    return (
        None if wanted is None else Closure.objects.for_clinic(request.clinic).filter(pk=wanted, is_open=False).first()
    )


def _initial(request: ClinicRequest, closure: Closure | None, *, today: date) -> dict[str, Any]:
    if closure is not None:
        return {
            "who": closure.practitioner_id or "",
            "begins_on": closure.begins_on,
            "begins_at": closure.begins_at,
            "ends_on": closure.ends_on,
            "ends_at": closure.ends_at,
            "reason": closure.reason,
        }
    given = request.GET
    return {
        "who": given.get("who", ""),
        "begins_on": day_of(given.get("day", "")) or today,
        "begins_at": given.get("begins_at", ""),
        "ends_on": day_of(given.get("ends_on", "")),
        "ends_at": given.get("ends_at", ""),
        "reason": given.get("reason", "")[:120],
    }
