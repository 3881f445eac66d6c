"""Who the guardian of a patient is."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from appointments.forms import GuardianForm
from appointments.queries.people import find_patients
from appointments.reasons import sentence_of
from appointments.usecases.guardians import set_guardian
from appointments.views.pages import page, read_clock
from appointments.views.patients import patient_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_patient")
def choose(request: ClinicRequest, patient_id: int) -> HttpResponse:
    """Found by name or number; or none any more."""
    reading, found = read_clock(), patient_or_404(request, patient_id)
    typed = request.GET.get("q", "").strip()[:160]
    form = GuardianForm(request.POST if request.method == "POST" else None, initial={"at_guardians": True})
    refusal = _("Choose somebody.") if form.is_bound else ""
    if form.is_bound and form.is_valid() and (form.cleaned_data["guardian"] or "end" in request.POST):
        try:
            set_guardian(
                request.clinic,
                patient_id=found.pk,
                guardian_id=None if "end" in request.POST else form.cleaned_data["guardian"],
                at_guardians=form.cleaned_data["at_guardians"],
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            refusal = sentence_of(error)
        else:
            messages.success(request, _("Saved."))
            return HttpResponseRedirect(resolve_url("patient", found.pk))
    context = {
        "patient": found,
        "typed": typed,
        "people": [one for one in find_patients(request.clinic, text=typed) if one.pk != found.pk],
        "form": form,
        "refusal": refusal,
    }
    return page(request, "patients/guardian_choose.html", context, reading=reading, status=400 if refusal else 200)
