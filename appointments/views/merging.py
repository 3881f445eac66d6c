"""Two rows of one person: found, looked at side by side, and merged once the name is typed."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from appointments.forms import MergeForm
from appointments.queries.duplicates import duplicates_of
from appointments.queries.merge_preview import preview_of_merge
from appointments.queries.people import find_patients
from appointments.reasons import sentence_of
from appointments.usecases.merging import check_may_be_one, merge_patients
from appointments.views.pages import page, read_clock
from appointments.views.patients import patient_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError


@require_safe
@permission_required_here("appointments.change_patient")
def choose(request: ClinicRequest, patient_id: int) -> HttpResponse:
    """Who it may be, or anybody who is found by name or number."""
    reading, found = read_clock(), patient_or_404(request, patient_id)
    typed = request.GET.get("q", "").strip()[:160]
    context = {
        "patient": found,
        "typed": typed,
        "suggested": duplicates_of(found),
        "people": [one for one in find_patients(request.clinic, text=typed) if one.pk != found.pk],
    }
    return page(request, "patients/merge_choose.html", context, reading=reading)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.change_patient")
def merge(request: ClinicRequest, patient_id: int, other_id: int) -> HttpResponse:
    """The first one stays, the other goes."""
    reading, kept, gone = read_clock(), patient_or_404(request, patient_id), patient_or_404(request, other_id)
    form, refusal = MergeForm(request.POST if request.method == "POST" else None, name=gone.full_name), ""
    try:
        check_may_be_one(request.clinic, kept=kept, gone=gone)
        if form.is_bound and form.is_valid():
            merge_patients(request.clinic, kept_id=kept.pk, gone_id=gone.pk, actor=Actor.of(request), now=reading.now)
            messages.success(request, _("Merged. Everything stands here now."))
            return HttpResponseRedirect(resolve_url("patient", kept.pk))
    except ClinicBotError as error:
        refusal = sentence_of(error)
    context = {
        "patient": kept,
        "gone": gone,
        "form": form,
        "refusal": refusal,
        "preview": preview_of_merge(kept, gone, now=reading.now),
    }
    return page(
        request, "patients/merge.html", context, reading=reading, status=400 if refusal or form.is_bound else 200
    )
