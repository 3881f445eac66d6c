"""A visit that comes again: each date looked at before anything is booked, and all of them booked in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from appointments.errors import TimeInGapError
from appointments.forms import BookForm, RepeatForm
from appointments.models import Patient
from appointments.queries.offers import slot_of_code
from appointments.queries.people import find_family
from appointments.queries.previews import notice_of_several, visit_to_be
from appointments.queries.reach import is_reachable, reach_of, wants_no_messages
from appointments.queries.series_preview import Occurrence, Wished, preview_series
from appointments.reasons import sentence_of
from appointments.recurring import Recurrence
from appointments.saying import said_when
from appointments.slots import Slot
from appointments.usecases.series import SeriesWish, book_series
from appointments.views.pages import number_of, page, read_clock, today_at
from appointments.views.wishes import Choices, read_choices, read_slot
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError

FIELD = "visit-"
SEVERAL = 77
"""More than a series ever has, and of several in every language: of none some say the singular."""


@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here("appointments.add_appointment")
def book_again_and_again(request: ClinicRequest) -> HttpResponse:
    """Who, what, when first and how often stand in the address; what is posted is which dates are taken."""
    reading = read_clock()
    choices = read_choices(request.clinic, request.GET, today=today_at(request.clinic, reading=reading))
    wanted = number_of(request.GET.get("patient", ""))
    patient = next(iter(find_family(request.clinic, patient_id=wanted)), None) if wanted else None
    try:
        first = read_slot(request.clinic, request.GET, service=choices.service)
    except TimeInGapError:
        first = None
    is_offered = choices.service is not None and request.GET.get("service", "") in ("", str(choices.service.pk))
    if patient is None or first is None or not is_offered:
        return HttpResponseRedirect(f"{resolve_url('book')}?{request.GET.urlencode()}")
    form = RepeatForm(request.GET if "every" in request.GET else {"every": 2, "unit": "weeks", "times": 6})
    occurrences = _occurrences(request, form, first=first, choices=choices, reading=reading)
    if request.method == "POST" and occurrences:
        return _book(request, form, patient=patient, occurrences=occurrences, choices=choices, reading=reading)
    return _show(request, form, patient=patient, occurrences=occurrences, choices=choices, reading=reading)


def fields_posted(params: QueryDict) -> dict[str, str]:
    """By field, what was chosen: a code, or "" for what is left out."""
    return {name: value for name, value in params.items() if name.startswith(FIELD) and isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class ButtonWords:
    """What the button says now, of one, and of several (with 77 where the number goes): choices change how many."""

    now: str
    one: str
    many: str


def _button(count: int) -> ButtonWords:
    def said(many: int) -> str:
        return ngettext("Book %(count)d visit", "Book %(count)d visits", many) % {"count": many}

    return ButtonWords(said(count), said(1), said(SEVERAL))


def _occurrences(
    request: ClinicRequest, form: RepeatForm, *, first: Slot, choices: Choices, reading: Reading
) -> list[Occurrence]:
    if not form.is_valid() or choices.service is None:
        return []
    posted = fields_posted(request.POST)
    wishes = [
        Wished(
            name=f"{FIELD}{number}",
            day=day,
            at=first.local_time,
            practitioner_id=first.practitioner_id,
            service=choices.service,
            chosen=posted.get(f"{FIELD}{number}"),
        )
        for number, day in enumerate(form.recurrence.days_from(first.local_date), start=1)
    ]
    people = [one for one in choices.practitioners if one.pk == first.practitioner_id]
    return preview_series(request.clinic, wishes=wishes, people=people, now=reading.now)


def _show(
    request: ClinicRequest,
    form: RepeatForm,
    *,
    patient: Patient,
    occurrences: Sequence[Occurrence],
    choices: Choices,
    reading: Reading,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    slots = [one.slot for one in occurrences if one.slot]
    ways = reach_of(patient, now=reading.now)
    context = {
        "section": "book",
        "patient": patient,
        "choices": choices,
        "form": form,
        "occurrences": occurrences,
        "count": len(slots),
        "unfit": sum(one.offer is None for one in occurrences),
        "button": _button(len(slots)),
        "book_form": BookForm(initial={"token": uuid4()}),
        "notice": _notice(request, patient=patient, slots=slots, choices=choices),
        "can_tell": is_reachable(ways),
        "wants_none": wants_no_messages(ways),
        **more,
    }
    return page(request, "book/series.html", context, reading=reading, status=status)


def _notice(request: ClinicRequest, *, patient: Patient, slots: Sequence[Slot], choices: Choices) -> Any:
    """What all of them would be told by, if two or more are taken."""
    people = {one.pk: one for one in choices.practitioners}
    if len(slots) < 2 or choices.service is None or slots[0].practitioner_id not in people:
        return None
    visits = [
        visit_to_be(
            request.clinic,
            patient=patient,
            service=choices.service,
            slot=slot,
            practitioner=people[slot.practitioner_id],
            room=None,
        )
        for slot in slots
    ]
    return notice_of_several(visits, text="visits_booked", whens=whens_of(request, slots, patient=patient))


def whens_of(request: ClinicRequest, slots: Sequence[Slot], *, patient: Patient) -> list[str]:
    return [
        said_when(request.clinic, local_date=slot.local_date, local_time=slot.local_time, language=patient.language)
        for slot in slots
    ]


def _book(
    request: ClinicRequest,
    form: RepeatForm,
    *,
    patient: Patient,
    occurrences: Sequence[Occurrence],
    choices: Choices,
    reading: Reading,
) -> HttpResponse:
    book_form = BookForm(request.POST)
    shown: dict[str, Any] = {"patient": patient, "occurrences": occurrences, "choices": choices, "reading": reading}
    again = BookForm(initial={"token": uuid4(), "note": request.POST.get("note", "")})
    if not book_form.is_valid():
        return _show(request, form, **shown, status=400, book_form=book_form if "note" in book_form.errors else again)
    try:
        wish = _wish(
            request, form.recurrence, note=book_form.cleaned_data["note"], patient=patient, occurrences=occurrences
        )
        visits = book_series(
            request.clinic,
            wish=wish,
            actor=Actor.of(request),
            form_token=book_form.cleaned_data["token"],
            now=reading.now,
        )
    except ClinicBotError as error:
        refused = f"{sentence_of(error)} {_('Nothing was booked.')}"
        return _show(request, form, **shown, status=409, refused=refused, book_form=again)
    said = ngettext("%(count)d visit is booked.", "%(count)d visits are booked.", len(visits))
    messages.success(request, said % {"count": len(visits)})
    return HttpResponseRedirect(resolve_url("visit", visits[0].pk))


def _wish(
    request: ClinicRequest,
    recurrence: Recurrence,
    *,
    note: str,
    patient: Patient,
    occurrences: Sequence[Occurrence],
) -> SeriesWish:
    service = occurrences[0].wished.service
    return SeriesWish(
        patient=patient,
        service=service,
        slots=chosen_slots(request, occurrences),
        every=recurrence.every,
        unit=recurrence.unit,
        note=note,
    )


def chosen_slots(request: ClinicRequest, occurrences: Sequence[Occurrence]) -> list[Slot]:
    """As they were posted, in order of time: in a room that is free now, if one is; else the use case says what is wrong."""
    slots = [slot for one in occurrences if (slot := chosen_slot(request, one)) is not None]
    return sorted(slots, key=lambda slot: (slot.local_date, slot.local_time))


def chosen_slot(request: ClinicRequest, one: Occurrence) -> Slot | None:
    """Raises `TimeInGapError`."""
    code = one.wished.chosen or ""
    posted = slot_of_code(code, clinic=request.clinic, service=one.wished.service)
    if posted is None or posted.practitioner_id != one.wished.practitioner_id:
        return None
    free = [offer.free.slot for offer in (one.offer, *one.alternatives) if offer is not None]
    same = (slot for slot in free if (slot.local_date, slot.local_time) == (posted.local_date, posted.local_time))
    return next(same, posted)
