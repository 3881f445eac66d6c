"""What may be sent to a number: what was agreed to and what not, where that was heard, and another word of it."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from appointments.forms import YES, AgreementForm
from appointments.queries.names import staff_names
from appointments.queries.reach import reach_of
from appointments.reasons import sentence_of
from appointments.views.pages import page, read_clock
from appointments.views.patients import patient_or_404
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from messaging.contracts import Category
from messaging.queries.consents import list_consents
from messaging.usecases.noting import note_by_staff


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("messaging.add_consent")
def agreements(request: ClinicRequest, patient_id: int, contact_id: int) -> HttpResponse:
    """It counts for everybody who is reached at the number, and says so."""
    reading, found = read_clock(), patient_or_404(request, patient_id)
    way = next((one for one in reach_of(found, now=reading.now) if one.fact.contact_id == contact_id), None)
    if way is None:
        raise Http404
    form = AgreementForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            is_news = note_by_staff(
                request.clinic.pk,
                contact_id=contact_id,
                category=Category(form.cleaned_data["category"]),
                wants_it=form.cleaned_data["answer"] == YES,
                reason=form.cleaned_data["reason"],
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            form.refuse("reason", sentence_of(error))
        else:
            messages.success(request, _("Noted.") if is_news else _("It stood so already. Nothing was changed."))
            return HttpResponseRedirect(resolve_url("patient-agreements", found.pk, contact_id))
    words = list_consents(request.clinic.pk, contact_ids=[contact_id])
    names = staff_names(word.staff_id for word in words)
    context = {
        "patient": found,
        "way": way,
        "words": [(word, names.get(word.staff_id or 0, "")) for word in words],
        "form": form,
    }
    return page(request, "patients/agreements.html", context, reading=reading, status=400 if form.is_bound else 200)
