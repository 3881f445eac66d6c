"""One closure: the visits that it hits and what is to become of each, what patients will read, closing it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from appointments.closure_forms import read_decisions
from appointments.errors import PlanNotFoundError, PlanTimesTakenError, PlanVisitsChangedError
from appointments.models import ClosurePlan, PlanState, VisitDecision
from appointments.queries.closure_pages import A_PAGE, Counts, lines_of, plan_with_counts
from appointments.queries.closure_plans import get_plan
from appointments.queries.closure_previews import reached_by, texts_of
from appointments.reasons import sentence_of
from appointments.usecases.closing import close_plan, drop_plan, undo_plan
from appointments.usecases.deciding import Decided, decide, decide_all, keep_after_all, look_again
from appointments.views.closures import MAY_CLOSE, MAY_LET_GO, MAY_SEE
from appointments.views.pages import number_of, page, part, read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

ALL = {"move_all": VisitDecision.MOVE, "cancel_all": VisitDecision.CANCEL, "later_all": VisitDecision.LATER}


@require_safe
@permission_required_here(MAY_SEE)
def closure(request: ClinicRequest, plan_id: int) -> HttpResponse:
    return _show(request, plan_id, reading=read_clock())


@require_safe
@permission_required_here(MAY_SEE)
def live(request: ClinicRequest, plan_id: int) -> HttpResponse:
    """What changes while the page of one that is closed is open."""
    reading = read_clock()
    plan, counts = _plan(request, plan_id)
    return part(request, "closures/live.html", _context(request, plan, counts, reading=reading), reading=reading)


@require_POST
@permission_required_here(MAY_CLOSE)
def decide_visits(request: ClinicRequest, plan_id: int) -> HttpResponse:
    """What was chosen on this page of the list, and, with one of the buttons above it, the same for all."""
    reading, act = read_clock(), request.POST.get("act", "")
    _may_act(request, plan_id)
    wishes, errors = read_decisions(request.POST)
    if errors:
        return _show(request, plan_id, reading=reading, chosen=wishes, errors=errors, status=400)
    try:
        decide(request.clinic, plan_id=plan_id, wishes=wishes)
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
        return HttpResponseRedirect(resolve_url("closure", plan_id))
    if act in ALL:
        return _decide_all(request, plan_id, decision=ALL[act])
    if act == "review":
        return HttpResponseRedirect(resolve_url("closure-review", plan_id))
    wanted = number_of(act.removeprefix("page-")) or _page_of(request)
    return HttpResponseRedirect(f"{resolve_url('closure', plan_id)}?page={wanted}")


@require_safe
@permission_required_here(MAY_CLOSE)
def review(request: ClinicRequest, plan_id: int) -> HttpResponse:
    """The last step before it is closed: how many hear how, and who has to be called."""
    reading = read_clock()
    plan, counts = _plan(request, plan_id)
    if plan.state != PlanState.DRAFT:
        return HttpResponseRedirect(resolve_url("closure", plan.pk))
    context = {
        "section": "closures",
        "plan": plan,
        "counts": counts,
        "reached": reached_by(plan),
        "may_act": _may(request, plan),
        "open_ended": counts.undecided + (counts.later if plan.is_leaving else 0),
    }
    return page(request, "closures/review.html", context, reading=reading)


@require_safe
@permission_required_here(MAY_CLOSE)
def texts(request: ClinicRequest, plan_id: int) -> HttpResponse:
    """What they will read, fetched by that page once it is there."""
    reading = read_clock()
    plan = _found(request, plan_id)
    return part(request, "closures/texts.html", {"texts": texts_of(plan, now=reading.now)}, reading=reading)


@require_POST
@permission_required_here(MAY_CLOSE)
def close(request: ClinicRequest, plan_id: int) -> HttpResponse:
    _may_act(request, plan_id)
    now = read_clock().now
    try:
        close_plan(request.clinic, plan_id=plan_id, actor=Actor.of(request), now=now)
    except (PlanVisitsChangedError, PlanTimesTakenError) as error:
        look_again(request.clinic, plan_id=plan_id, now=now)
        messages.error(request, sentence_of(error))
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    return HttpResponseRedirect(resolve_url("closure", plan_id))


@require_POST
@permission_required_here(MAY_CLOSE)
def undo(request: ClinicRequest, plan_id: int) -> HttpResponse:
    _may_act(request, plan_id)
    return _do(
        request,
        plan_id,
        lambda: undo_plan(request.clinic, plan_id=plan_id, actor=Actor.of(request), now=read_clock().now),
        said=_("Taken back. Nobody was told, and the time can be booked again."),
    )


@require_POST
@permission_required_here(MAY_CLOSE)
def again(request: ClinicRequest, plan_id: int) -> HttpResponse:
    """Visits that came since, and other times."""
    _may_act(request, plan_id)
    return _do(request, plan_id, lambda: look_again(request.clinic, plan_id=plan_id, now=read_clock().now), said="")


@require_POST
@permission_required_here(MAY_CLOSE)
def drop(request: ClinicRequest, plan_id: int) -> HttpResponse:
    _may_act(request, plan_id)
    try:
        drop_plan(request.clinic, plan_id=plan_id, now=read_clock().now)
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
        return HttpResponseRedirect(resolve_url("closure", plan_id))
    messages.success(request, _("Given up. Nothing was closed."))
    return HttpResponseRedirect(resolve_url("closures"))


@require_POST
@permission_required_here("appointments.change_appointment")
def keep(request: ClinicRequest, plan_id: int, visit_id: int) -> HttpResponse:
    """A visit that was left for later, or could not be moved, stays."""
    return _do(
        request,
        plan_id,
        lambda: keep_after_all(
            request.clinic,
            plan_id=plan_id,
            appointment_id=visit_id,
            note=request.POST.get("note", "")[:200],
            actor=Actor.of(request),
            now=read_clock().now,
        ),
        said=_("Noted: the visit stays."),
    )


def _decide_all(request: ClinicRequest, plan_id: int, *, decision: VisitDecision) -> HttpResponse:
    try:
        without = decide_all(request.clinic, plan_id=plan_id, decision=decision)
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        if without:
            text = ngettext(
                "For %(count)d visit no time was found: decide about it.",
                "For %(count)d visits no time was found: decide about them.",
                without,
            )
            messages.warning(request, text % {"count": without})
    return HttpResponseRedirect(resolve_url("closure", plan_id))


def _do(request: ClinicRequest, plan_id: int, act: Callable[[], object], *, said: str) -> HttpResponse:
    try:
        act()
    except PlanNotFoundError:
        raise Http404 from None
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        if said:
            messages.success(request, said)
    return HttpResponseRedirect(resolve_url("closure", plan_id))


def _show(
    request: ClinicRequest,
    plan_id: int,
    *,
    reading: Reading,
    chosen: Mapping[int, Decided] | None = None,
    errors: Mapping[int, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    plan, counts = _plan(request, plan_id)
    context = _context(request, plan, counts, reading=reading, chosen=chosen or {}, errors=errors or {})
    template = "closures/decide.html" if plan.state == PlanState.DRAFT else "closures/closed.html"
    return page(request, template, context, reading=reading, status=status)


def _context(
    request: ClinicRequest,
    plan: ClosurePlan,
    counts: Counts,
    *,
    reading: Reading,
    chosen: Mapping[int, Decided] | None = None,
    errors: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    number = _page_of(request)
    lines = lines_of(plan, page=number, now=reading.now)
    for line in lines:
        if chosen and (wish := chosen.get(line.visit.pk)) is not None:
            line.row.decision, line.row.target, line.row.note = wish.decision, wish.target, wish.note
    return {
        "section": "closures",
        "plan": plan,
        "counts": counts,
        "lines": lines,
        "errors": [(line, errors[line.visit.pk]) for line in lines if line.visit.pk in errors] if errors else [],
        "wrong_ids": list(errors or {}),
        "page_number": number,
        "pages": range(1, (counts.total + A_PAGE - 1) // A_PAGE + 1),
        "may_act": _may(request, plan),
        "live_url": reverse("closure-live", args=[plan.pk], query={"page": number}),
    }


def _plan(request: ClinicRequest, plan_id: int) -> tuple[ClosurePlan, Counts]:
    try:
        return plan_with_counts(request.clinic, plan_id=plan_id)
    except PlanNotFoundError:
        raise Http404 from None


def _found(request: ClinicRequest, plan_id: int) -> ClosurePlan:
    try:
        return get_plan(request.clinic, plan_id=plan_id)
    except PlanNotFoundError:
        raise Http404 from None


def _may(request: ClinicRequest, plan: ClosurePlan) -> bool:
    return request.user.has_perm(MAY_LET_GO if plan.is_leaving else MAY_CLOSE)


def _may_act(request: ClinicRequest, plan_id: int) -> None:
    """Who may close a day may not let somebody go."""
    if not _may(request, _found(request, plan_id)):
        raise PermissionDenied


def _page_of(request: ClinicRequest) -> int:
    return min(number_of(request.GET.get("page", "") or request.POST.get("page", "")) or 1, 1_000)
