"""One visit: how it stands, whether the patient heard, its story and its plan."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.models import Appointment
from appointments.queries.day_rows import is_asked, step_of
from appointments.queries.reach import reach_of
from appointments.queries.ribbon import ribbon_of
from appointments.queries.series import place_in_series
from appointments.queries.story import story_of
from appointments.queries.visits import find_visit
from appointments.reasons import sentence_of
from appointments.templatetags.drawn import MARK_WORDS
from appointments.usecases.booking import confirm_appointment
from appointments.usecases.forecasting import forecast_of_visit
from appointments.views.pages import page, part, read_clock
from appointments.views.toasts import next_page, say_done
from appointments.views.undoing import may_undo
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError


@require_safe
@permission_required_here("appointments.view_appointment")
def visit(request: ClinicRequest, visit_id: int) -> HttpResponse:
    reading = read_clock()
    context = _context(request, visit_or_404(request, visit_id), reading=reading)
    return page(request, "visits/page.html", context, reading=reading)


@require_safe
@permission_required_here("appointments.view_appointment")
def visit_live(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """What may change while the page is open."""
    reading = read_clock()
    return part(
        request,
        "visits/live.html",
        _context(request, visit_or_404(request, visit_id), reading=reading),
        reading=reading,
    )


@require_POST
@permission_required_here("appointments.change_appointment")
def confirm(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """They said yes, by phone or at the desk."""
    reading, seen = read_clock(), visit_or_404(request, visit_id)
    try:
        visit = confirm_appointment(request.clinic, appointment_id=seen.pk, actor=Actor.of(request), now=reading.now)
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        said = _("Noted: %(name)s comes.") % {"name": seen.patient.first_name}
        say_done(request, said, visit=visit, now=reading.now)
    return HttpResponseRedirect(next_page(request, otherwise=resolve_url("visit", seen.pk)))


def visit_or_404(request: ClinicRequest, visit_id: int) -> Appointment:
    found = find_visit(request.clinic, appointment_id=visit_id)
    if found is None:
        raise Http404
    return found


def _context(request: ClinicRequest, visit: Appointment, *, reading: Reading) -> dict[str, Any]:
    forecast = forecast_of_visit(visit, real=reading.real, now=reading.now)
    story = story_of(visit, forecast=forecast, now=reading.now)
    return {
        "visit": visit,
        "story": story,
        "ribbon": ribbon_of(story, visit=visit, now=reading.now),
        "ways": reach_of(visit.patient, now=reading.now),
        "can_change": visit.can_change(now=reading.now),
        "is_past": visit.starts_at <= reading.now,
        "step": step_of(visit, now=reading.now),
        "is_asked": is_asked(visit, now=reading.now),
        "may_undo": story.undoable is not None and may_undo(request, story.undoable),
        "place": place_in_series(visit),
        "mark_words": MARK_WORDS.items(),
    }
