"""Who came: one tap on the day's page, and on the visit's page what became of it, whenever that is said."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from appointments.errors import PresenceNotedError, ReasonMissingError
from appointments.forms import OutcomeForm
from appointments.models import Appointment, AppointmentStatus
from appointments.reasons import sentence_of
from appointments.usecases.attendance import (
    check_in,
    clear_attendance,
    finish_visit,
    mark_late_cancel,
    mark_no_show,
    take_in,
)
from appointments.views.pages import page, part, read_clock
from appointments.views.toasts import next_page, say_done
from appointments.views.today import context_of_day
from appointments.views.visits import visit_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clinic_time import clock_time
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

STEPS: dict[str, tuple[Callable[..., Appointment], Promise | str]] = {
    "here": (check_in, gettext_lazy("%(name)s is here, %(at)s.")),
    "in": (take_in, gettext_lazy("%(name)s is taken in, %(at)s.")),
    "done": (finish_visit, gettext_lazy("%(name)s: attended.")),
    "no_show": (mark_no_show, gettext_lazy("%(name)s did not come.")),
    "late": (mark_late_cancel, gettext_lazy("%(name)s cancelled late. The time is free again.")),
}
OUTCOMES: dict[str, Callable[..., Appointment]] = {
    AppointmentStatus.ATTENDED: finish_visit,
    AppointmentStatus.NO_SHOW: mark_no_show,
    AppointmentStatus.CANCELLED_LATE: mark_late_cancel,
    OutcomeForm.NONE: clear_attendance,
}


@require_POST
@permission_required_here("appointments.mark_attendance")
def step(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """The next step of a visit. Asked for by a piece of the day's page, the answer is that piece."""
    reading, seen = read_clock(), visit_or_404(request, visit_id)
    if request.POST.get("step") not in STEPS:
        raise Http404
    does, sentence = STEPS[request.POST["step"]]
    try:
        visit = does(request.clinic, appointment_id=seen.pk, actor=Actor.of(request), now=reading.now)
    except (PresenceNotedError, ReasonMissingError):
        return _away(request, resolve_url("visit-outcome", seen.pk))
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        said = {"name": seen.patient.full_name, "at": clock_time(reading.now, request.clinic)}
        say_done(request, str(sentence) % said, visit=visit, now=reading.now)
    if request.htmx:  # type: ignore[attr-defined]
        return part(request, "today/stepped.html", context_of_day(request, reading=reading), reading=reading)
    return HttpResponseRedirect(next_page(request, otherwise=resolve_url("visit", seen.pk)))


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.mark_attendance")
def outcome(request: ClinicRequest, visit_id: int) -> HttpResponse:
    """What became of it after all, with the reason why it is another than was noted."""
    reading, visit = read_clock(), visit_or_404(request, visit_id)
    form = OutcomeForm(request.POST if request.method == "POST" else None, initial={"outcome": _noted(visit)})
    if request.method != "POST" or not form.is_valid():
        return _show(request, visit, form=form, reading=reading)
    try:
        visit = OUTCOMES[form.cleaned_data["outcome"]](
            request.clinic,
            appointment_id=visit.pk,
            actor=Actor.of(request),
            reason=form.cleaned_data["reason"],
            now=reading.now,
        )
    except (PresenceNotedError, ReasonMissingError) as error:
        form.refuse("reason", sentence_of(error))
        return _show(request, visit, form=form, reading=reading)
    except ClinicBotError as error:
        form.refuse("outcome", sentence_of(error))
        return _show(request, visit, form=form, reading=reading)
    say_done(request, _("Noted: %(outcome)s.") % {"outcome": visit.get_status_display()}, visit=visit, now=reading.now)
    return HttpResponseRedirect(resolve_url("visit", visit.pk))


def _noted(visit: Appointment) -> str | None:
    return visit.status if visit.has_outcome else None


def _show(request: ClinicRequest, visit: Appointment, *, form: OutcomeForm, reading: Reading) -> HttpResponse:
    context = {"visit": visit, "form": form}
    return page(request, "visits/outcome.html", context, reading=reading, status=400 if form.is_bound else 200)


def _away(request: ClinicRequest, address: str) -> HttpResponse:
    """To another page, also from a piece of one."""
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)
