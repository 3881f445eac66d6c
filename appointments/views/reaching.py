"""The numbers of a patient: which is tried first, whose each is, and which is used no more."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from appointments.forms import EndWayForm
from appointments.models import EndReason, Patient
from appointments.models.people import ContactRole
from appointments.queries.reach import reach_of
from appointments.reasons import sentence_of
from appointments.usecases.reaching import end_way, reached_through, say_whose, try_first
from appointments.views.pages import page, read_clock
from appointments.views.patients import patient_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError


@require_POST
@permission_required_here("appointments.change_patientcontact")
def first(request: ClinicRequest, patient_id: int, contact_id: int) -> HttpResponse:
    reading, found = read_clock(), patient_or_404(request, patient_id)
    try:
        try_first(request.clinic, patient_id=found.pk, contact_id=contact_id, actor=Actor.of(request), now=reading.now)
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        messages.success(request, _("Saved. That number is tried first."))
    return _back_to(found)


@require_POST
@permission_required_here("appointments.change_patientcontact")
def whose(request: ClinicRequest, patient_id: int, contact_id: int) -> HttpResponse:
    reading, found = read_clock(), patient_or_404(request, patient_id)
    role = ContactRole.GUARDIAN if request.POST.get("role") == ContactRole.GUARDIAN else ContactRole.OWN
    try:
        say_whose(
            request.clinic,
            patient_id=found.pk,
            contact_id=contact_id,
            role=role,
            actor=Actor.of(request),
            now=reading.now,
        )
    except ClinicBotError as error:
        messages.error(request, sentence_of(error))
    else:
        messages.success(request, _("Saved."))
    return _back_to(found)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.delete_patientcontact")
def end(request: ClinicRequest, patient_id: int, contact_id: int) -> HttpResponse:
    """What follows is said before: for whom else the number goes, and where messages go then."""
    reading, found = read_clock(), patient_or_404(request, patient_id)
    ways = reach_of(found, now=reading.now)
    way = next((one for one in ways if one.fact.contact_id == contact_id), None)
    if way is None:
        raise Http404
    form = EndWayForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            end_way(
                request.clinic,
                patient_id=found.pk,
                contact_id=contact_id,
                reason=EndReason(form.cleaned_data["reason"]),
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            form.refuse("reason", sentence_of(error))
        else:
            messages.success(request, _("Saved. Nothing goes to that number any more."))
            return _back_to(found)
    context = {
        "patient": found,
        "way": way,
        "others": [one for one in ways if one != way and one.works],
        "dependants": reached_through(request.clinic, guardian_id=found.pk, contact_ids=[contact_id]),
        "form": form,
    }
    return page(request, "patients/end_way.html", context, reading=reading, status=400 if form.is_bound else 200)


def _back_to(patient: Patient) -> HttpResponse:
    return HttpResponseRedirect(resolve_url("patient", patient.pk))
