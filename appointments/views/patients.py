"""A patient, plainly: who they are, where they are reached, what they agreed to, and their visits."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from appointments.correction_forms import NameForm, NoteForm
from appointments.forms import NO, YES, PhoneForm
from appointments.models import Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.queries.duplicates import duplicates_among, find_kept, merged_into, who_may_be
from appointments.queries.names import staff_names
from appointments.queries.people import FamilyRows, find_patient
from appointments.queries.reach import ReachRows, ended_ways_of, reach_of
from appointments.queries.visits import visits_of_patient
from appointments.reasons import sentence_of
from appointments.usecases.people import add_way_to_reach, keep_guardian_out
from appointments.views.book import field_of
from appointments.views.pages import page, read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from clinicbot.together import fetch_together
from messaging.contracts import Category
from messaging.queries.consents import consent_facts, consent_rows

SHOWN_VISITS = 50


@require_safe
@permission_required_here("appointments.view_patient")
def patient(request: ClinicRequest, patient_id: int) -> HttpResponse:
    """Also at the number of somebody who was merged into this patient since."""
    found = find_patient(request.clinic, patient_id=patient_id)
    if found is not None:
        return show_patient(request, found, reading=read_clock())
    kept = find_kept(request.clinic, merged_id=patient_id)
    if kept is None:
        raise Http404
    return HttpResponseRedirect(resolve_url("patient", kept))


@require_POST
@permission_required_here("appointments.change_patient")
def guardian(request: ClinicRequest, patient_id: int) -> HttpResponse:
    """Whether the guardian is notified of what concerns the patient."""
    reading, found = read_clock(), patient_or_404(request, patient_id)
    if request.POST.get("notify") not in (YES, NO):
        messages.error(request, _("Nothing was saved: say whether the guardian is notified."))
        return HttpResponseRedirect(resolve_url("patient", found.pk))
    is_kept_out = request.POST["notify"] == NO
    keep_guardian_out(
        request.clinic, patient_id=found.pk, is_kept_out=is_kept_out, actor=Actor.of(request), now=reading.now
    )
    messages.success(
        request,
        _("Saved. The guardian is not notified.") if is_kept_out else _("Saved. The guardian is notified again."),
    )
    return HttpResponseRedirect(resolve_url("patient", found.pk))


@require_POST
@permission_required_here("appointments.add_patientcontact")
def add_phone(request: ClinicRequest, patient_id: int) -> HttpResponse:
    reading, found, form = read_clock(), patient_or_404(request, patient_id), PhoneForm(request.POST)
    if form.is_valid():
        try:
            add_way_to_reach(
                request.clinic,
                patient=found,
                phone=form.cleaned_data["phone"],
                agreed_to=(Category.VISITS,) if form.cleaned_data["agreed"] else (),
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            form.refuse(field_of(error), sentence_of(error))
        else:
            messages.success(request, _("The number is added."))
            return HttpResponseRedirect(resolve_url("patient", found.pk))
    return show_patient(request, found, reading=reading, status=400, phone_form=form)


def show_patient(
    request: ClinicRequest, found: Patient, *, reading: Reading, status: int = 200, **more: Any
) -> HttpResponse:
    """more: forms that were sent, to be shown as they were typed."""
    own = PatientContact.objects.for_clinic(request.clinic).filter(patient=found).values("contact_id")
    visits = visits_of_patient(request.clinic, patient_id=found.pk)[:SHOWN_VISITS]
    merged, ended, others = merged_into(found), ended_ways_of(found), who_may_be(found)
    dependants = Patient.objects.for_clinic(request.clinic).filter(guardian=found).order_by("search_key")
    reach, family = (
        ReachRows.of(request.clinic.pk, patient_id=found.pk),
        FamilyRows.of(request.clinic, patient_id=found.pk),
    )
    consents = consent_rows(request.clinic.pk, own)
    fetch_together(visits, merged, ended, others, dependants, consents, family.people, family.links, *reach.all)
    ways = reach_of(found, now=reading.now, rows=reach)
    names = staff_names(one.actor_id for one in merged) if merged else {}
    context: dict[str, Any] = {
        "patient": found,
        "coming": [visit for visit in reversed(list(visits)) if visit.starts_at > reading.now],
        "past": [visit for visit in visits if visit.starts_at <= reading.now],
        "ways": ways,
        "own_ways": [way for way in ways if not way.is_kept_out and way.role == ContactRole.OWN],
        "consents": consent_facts(consents),
        "family": [one for one in family.family() if one.pk != found.pk],
        "name_form": NameForm(patient=found),
        "note_form": NoteForm(patient=found),
        "phone_form": PhoneForm(),
        "ended_ways": ended,
        "merged": [(one, names.get(one.actor_id or 0, "")) for one in merged],
        "suggested": duplicates_among(others, of=found),
        "dependants": dependants,
    }
    return page(request, "patients/page.html", {**context, **more}, reading=reading, status=status)


def patient_or_404(request: ClinicRequest, patient_id: int) -> Patient:
    found = find_patient(request.clinic, patient_id=patient_id)
    if found is None:
        raise Http404
    found.clinic = request.clinic
    return found
