"""Booking on one page: who, when, look once more, book. Each step is an address, so that it works without scripts too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from appointments.errors import (
    NotAtThisClinicError,
    PatientNameMissingError,
    SlotInPastError,
    SlotTakenError,
    TimeInGapError,
)
from appointments.forms import BookForm, PatientForm, RepeatForm
from appointments.models import Appointment, Patient
from appointments.queries.booking_page import review_of
from appointments.queries.free_slots import SlotWish
from appointments.queries.offers import as_free_now, nearest_to, offers_begun, taker_of
from appointments.queries.people import MIN_LETTERS, find_family, find_patient, find_patients
from appointments.queries.visits import ended_at_of
from appointments.reasons import sentence_of
from appointments.slots import WALKED_IN_WITHIN, Slot
from appointments.usecases.booking import book_appointment
from appointments.usecases.people import NewPatient, add_patient
from appointments.views.pages import number_of, page, part, read_clock, today_at
from appointments.views.toasts import say_done
from appointments.views.wishes import (
    LOOK,
    Choices,
    kept_in,
    override_for,
    read_choices,
    read_override,
    read_slot,
    times_shown,
)
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clinic_time import clock_time, long_date
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from messaging.contracts import Category

WEEK = timedelta(days=7)


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.add_appointment")
def book(request: ClinicRequest) -> HttpResponse:
    """The steps stand in the address (patient, service, with, from, at); what is posted is only the last one."""
    reading = read_clock()
    if request.method != "POST":
        return _show(request, reading=reading)
    if LOOK in request.POST:
        return _show(request, reading=reading, book_form=_form_again(request))
    return _add_patient(request, reading=reading) if "new" in request.GET else _book(request, reading=reading)


@require_safe
@permission_required_here("appointments.add_appointment")
def people(request: ClinicRequest) -> HttpResponse:
    """The list under the search field, as it is typed."""
    return part(request, "book/people.html", _found(request), reading=read_clock())


def _show(request: ClinicRequest, *, reading: Reading, status: int = 200, **more: Any) -> HttpResponse:
    clinic, today = request.clinic, today_at(request.clinic, reading=reading)
    choices = read_choices(clinic, request.GET, today=today)
    family = _chosen_family(request)
    patient = family[0] if family else None
    context: dict[str, Any] = {
        "section": "book",
        "choices": choices,
        "patient": patient,
        "is_unknown": patient is None and bool(request.GET.get("patient")),
        "family": family,
        "today": today,
        "next_week": choices.from_day + WEEK,
        "last_week": max(choices.from_day - WEEK, today),
        **_found(request),
    }
    if "new" in request.GET:
        context |= _new_patient(request, reading=reading)
    if patient is not None and (wish := choices.wish()):
        if "here" in request.GET:
            context["begun"] = offers_begun(clinic, wish=wish, now=reading.now)
        else:
            context |= times_shown(clinic, wish=wish, choices=choices, today=today, reading=reading)
        context |= _review(request, family=family, choices=choices, reading=reading)
    context |= more
    context["kept"] = kept_in(context.get("book_form"), name="note", has_review=bool(context.get("review")))
    return page(request, "book/page.html", context, reading=reading, status=status)


def _found(request: ClinicRequest) -> dict[str, Any]:
    typed = request.GET.get("q", "").strip()[:160]
    return {
        "typed": typed,
        "found": find_patients(request.clinic, text=typed),
        "is_short": len(typed) < MIN_LETTERS or (typed.isdigit() and len(typed) < 4),
    }


def _chosen_patient(request: ClinicRequest, *, name: str = "patient") -> Patient | None:
    wanted = number_of(request.GET.get(name, ""))
    return find_patient(request.clinic, patient_id=wanted) if wanted else None


def _chosen_family(request: ClinicRequest) -> list[Patient]:
    wanted = number_of(request.GET.get("patient", ""))
    return find_family(request.clinic, patient_id=wanted) if wanted else []


def _new_patient(request: ClinicRequest, *, reading: Reading) -> dict[str, Any]:
    typed = request.GET.get("q", "").strip()
    form = PatientForm(
        initial={
            "full_name": "" if typed.isdigit() else typed,
            "phone": typed if typed.isdigit() else "",
            "language": request.clinic.language,
        },
        today=today_at(request.clinic, reading=reading),
    )
    form.fields["full_name"].widget.attrs["data-land"] = True
    return {"is_new": True, "patient_form": form, "guardian": _chosen_patient(request, name="guardian")}


def _review(request: ClinicRequest, *, family: list[Patient], choices: Choices, reading: Reading) -> dict[str, Any]:
    try:
        slot = read_slot(request.clinic, request.GET, service=choices.service)
    except TimeInGapError as error:
        return {"refused": sentence_of(error)}
    if slot is None or choices.service is None:
        return {}
    review = review_of(
        request.clinic,
        family=family,
        service=choices.service,
        slot=slot,
        practitioners=choices.practitioners,
        now=reading.now,
    )
    return {
        "review": review,
        "at": request.GET["at"],
        "book_form": BookForm(initial={"token": uuid4()}),
        "repeat_form": RepeatForm(),
    }


def _book(request: ClinicRequest, *, reading: Reading) -> HttpResponse:
    choices = read_choices(request.clinic, request.GET, today=today_at(request.clinic, reading=reading))
    wish, patient = choices.wish(), _chosen_patient(request)
    form, again = BookForm(request.POST), _form_again(request)
    try:
        slot = read_slot(request.clinic, request.GET, service=choices.service)
    except TimeInGapError as error:
        return _show(request, reading=reading, status=400, refused=sentence_of(error), book_form=again)
    if wish is not None and request.GET.get("service", "") not in ("", str(wish.service.pk)):
        # Not offered any more since it was chosen; another in its place is not what was looked at.
        refused = sentence_of(NotAtThisClinicError())
        return _show(request, reading=reading, status=409, refused=refused, review=None, book_form=again)
    if form.errors.keys() & {"note", "tell"}:
        return _show(request, reading=reading, status=400, book_form=form)
    if patient is None or slot is None or wish is None or not form.is_valid():
        refused = _("Choose a patient and a time first.")
        return _show(request, reading=reading, status=400, refused=refused, book_form=again)
    try:
        visit = _take(request, patient=patient, slot=slot, wish=wish, form=form, reading=reading)
    except ClinicBotError as error:
        if isinstance(error, SlotInPastError) and _may_have_walked_in(slot, reading=reading):
            form.refuse("here", _("It has begun. If they are here, say so; otherwise choose another time."))
            return _show(request, reading=reading, status=409, book_form=form)
        return _refuse(request, error, slot=slot, wish=wish, reading=reading)
    _say_how_it_stands(request, visit, slot=slot, reading=reading)
    return HttpResponseRedirect(resolve_url("visit", visit.pk))


def _take(
    request: ClinicRequest, *, patient: Patient, slot: Slot, wish: SlotWish, form: BookForm, reading: Reading
) -> Appointment:
    is_walk_in = form.cleaned_data["here"] and _may_have_walked_in(slot, reading=reading)
    free_from = reading.now - WALKED_IN_WITHIN if is_walk_in else reading.now
    return book_appointment(
        request.clinic,
        patient=patient,
        slot=as_free_now(request.clinic, wish=wish, slot=slot, now=free_from),
        service=wish.service,
        actor=Actor.of(request),
        note=form.cleaned_data["note"],
        form_token=form.cleaned_data["token"],
        notify=form.notify,
        is_walk_in=is_walk_in,
        override=read_override(request),
        now=reading.now,
    )


def _may_have_walked_in(slot: Slot, *, reading: Reading) -> bool:
    return reading.now - WALKED_IN_WITHIN < slot.starts_at <= reading.now


def _say_how_it_stands(request: ClinicRequest, visit: Appointment, *, slot: Slot, reading: Reading) -> None:
    """A form that was sent before leads to its visit, which may have gone elsewhere since."""
    clinic = request.clinic
    if not visit.is_live:
        ended_at = ended_at_of(visit)
        said = {"day": long_date(ended_at, clinic), "at": clock_time(ended_at, clinic)}
        messages.warning(
            request, _("This form was sent already; that visit was cancelled on %(day)s at %(at)s.") % said
        )
    elif (visit.local_date, visit.local_time) != (slot.local_date, slot.local_time):
        said = {"day": long_date(visit.local_date), "at": clock_time(visit.local_time, clinic)}
        messages.warning(request, _("This form was sent already; that visit has moved to %(day)s, %(at)s.") % said)
    elif visit.practitioner_id != slot.practitioner_id:
        said = {"name": visit.practitioner.full_name}
        messages.warning(request, _("This form was sent already; that visit is with %(name)s now.") % said)
    else:
        say_done(request, _("Booked."), visit=visit, now=reading.now)


def _refuse(
    request: ClinicRequest, error: ClinicBotError, *, slot: Slot, wish: SlotWish, reading: Reading
) -> HttpResponse:
    """Nothing was booked: why, and what is free near it."""
    is_taken = isinstance(error, SlotTakenError)
    return _show(
        request,
        reading=reading,
        status=409,
        refused=sentence_of(error),
        nothing_done=_("Nothing was booked."),
        wanted=slot,
        taker=taker_of(request.clinic, slot=slot) if is_taken else None,
        alternatives=nearest_to(request.clinic, wish=wish, slot=slot, now=reading.now),
        review=None,
        book_form=_form_again(request),
        override_form=override_for(request, error),
    )


def _form_again(request: ClinicRequest) -> BookForm:
    """For another time, with what was typed for the first."""
    kept = {name: request.POST[name] for name in ("note", "tell", "here") if name in request.POST}
    return BookForm(initial={"token": uuid4(), **kept})


def _add_patient(request: ClinicRequest, *, reading: Reading) -> HttpResponse:
    guardian = _chosen_patient(request, name="guardian")
    form = PatientForm(request.POST, today=today_at(request.clinic, reading=reading))
    if request.GET.get("guardian") and guardian is None:
        form.refuse("full_name", sentence_of(NotAtThisClinicError()))
    if form.is_valid():
        try:
            patient = add_patient(
                request.clinic,
                newcomer=newcomer_of(form, guardian=guardian),
                actor=Actor.of(request),
                now=reading.now,
            )
        except ClinicBotError as error:
            form.refuse(field_of(error), sentence_of(error))
        else:
            return HttpResponseRedirect(f"{resolve_url('book')}?{_with_patient(request.GET, patient)}")
    return _show(request, reading=reading, status=400, patient_form=form)


def newcomer_of(form: PatientForm, *, guardian: Patient | None) -> NewPatient:
    data = form.cleaned_data
    return NewPatient(
        full_name=data["full_name"],
        language=data["language"],
        phone=data["phone"],
        agreed_to=(Category.VISITS,) if data["agreed"] else (),
        guardian=guardian,
        born_on=data["born_on"],
        at_guardians=guardian is not None and data["guardians_phone"],
    )


def field_of(error: ClinicBotError) -> str:
    """Beside which field an error of adding a patient or a number stands."""
    if isinstance(error, PatientNameMissingError):
        return "full_name"
    return "agreed" if error.code == "consent_missing" else "phone"


def _with_patient(params: QueryDict, patient: Patient) -> str:
    rest = params.copy()
    for name in ("new", "q", "guardian"):
        rest.pop(name, None)
    rest["patient"] = str(patient.pk)
    return rest.urlencode()
