"""Correcting a patient's name, language or note. What somebody else wrote meanwhile is shown before it is written over."""

from __future__ import annotations

from typing import TypeVar

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from appointments.correction_forms import CorrectionForm, NameForm, NoteForm
from appointments.errors import PatientChangedError
from appointments.models import Patient
from appointments.queries.corrections import clashing
from appointments.reasons import sentence_of
from appointments.usecases.correcting import note_of_patient, rename_patient
from appointments.views.pages import read_clock
from appointments.views.patients import patient_or_404, show_patient
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from clinicbot.last_changes import find_last_change, said_of

F = TypeVar("F", bound=CorrectionForm)
CHANGES = "appointments.change_patient"


@require_POST
@permission_required_here(CHANGES)
def rename(request: ClinicRequest, patient_id: int) -> HttpResponse:
    reading, found = read_clock(), patient_or_404(request, patient_id)
    form = NameForm(request.POST, patient=found)
    if not form.is_valid():
        return show_patient(request, found, reading=reading, status=400, name_form=form)
    try:
        rename_patient(
            request.clinic,
            patient_id=found.pk,
            **form.wanted(),
            drawn=form.drawn_from(),
            actor=Actor.of(request),
            now=reading.now,
        )
    except PatientChangedError:
        present = patient_or_404(request, found.pk)
        return show_patient(request, present, reading=reading, status=409, name_form=_refused(form, patient=present))
    except ClinicBotError as error:
        form.refuse("full_name", sentence_of(error))
        return show_patient(request, found, reading=reading, status=400, name_form=form)
    messages.success(request, _("Saved. Messages from now on use it."))
    return HttpResponseRedirect(resolve_url("patient", found.pk))


@require_POST
@permission_required_here(CHANGES)
def note(request: ClinicRequest, patient_id: int) -> HttpResponse:
    reading, found = read_clock(), patient_or_404(request, patient_id)
    form = NoteForm(request.POST, patient=found)
    if not form.is_valid():
        return show_patient(request, found, reading=reading, status=400, note_form=form)
    try:
        note_of_patient(
            request.clinic,
            patient_id=found.pk,
            **form.wanted(),
            drawn=form.drawn_from(),
            actor=Actor.of(request),
            now=reading.now,
        )
    except PatientChangedError:
        present = patient_or_404(request, found.pk)
        return show_patient(request, present, reading=reading, status=409, note_form=_refused(form, patient=present))
    messages.success(request, _("The note is saved."))
    return HttpResponseRedirect(resolve_url("patient", found.pk))


def _refused(form: F, *, patient: Patient) -> F:
    """The form with what was typed, who changed the same, when, and what stands there now. Saved again, it is written over."""
    again = form.again(patient=patient)
    for name in clashing(patient, wanted=form.wanted(), drawn=form.drawn_from()):
        change = find_last_change(patient, clinic=patient.clinic, column=name)
        again.refuse(name, said_of(change, row=patient, column=name))
    return again
