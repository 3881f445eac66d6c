"""What an address says of a visit to be: service, with whom, from when, and the time that was picked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.forms import BoundField, Form
from django.http import QueryDict

from appointments.errors import ClinicClosedError, OutsideHoursError
from appointments.forms import OverrideForm
from appointments.models import Practitioner, PractitionerService, Service
from appointments.queries.free_slots import Search, SlotWish
from appointments.queries.offers import SEARCH_DAYS, next_after, offers_for, slot_of_code
from appointments.queries.week_strip import week_strip, weeks_around
from appointments.slots import Slot
from appointments.views.pages import day_of, number_of
from clinicbot.access import ClinicRequest
from clinicbot.clock import Reading
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from clinicbot.together import fetch_together

OVERRIDE = "appointments.override_closure"

LOOK = "look"
"""Posted with what was typed, to look at another time without booking it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The clinic's services, who gives the chosen one, and which of them were chosen; `practitioner` None is anyone.

    unfit: whoever was chosen and does not give the service, so that times with anyone stand in their place.
    """

    services: list[Service]
    practitioners: list[Practitioner]
    service: Service | None
    practitioner: Practitioner | None
    unfit: Practitioner | None
    from_day: date
    whole_day: bool

    def wish(self, *, without_visit_id: int | None = None) -> SlotWish | None:
        """None where the clinic has no service yet."""
        if self.service is None:
            return None
        return SlotWish(
            service=self.service,
            from_day=self.from_day,
            days=SEARCH_DAYS,
            practitioner_id=self.practitioner.pk if self.practitioner else None,
            without_visit_id=without_visit_id,
        )


@dataclass(frozen=True, slots=True)
class ChoiceRows:
    """Services in their order, practitioners by name, and who gives which: (practitioner id, service id)."""

    services: QuerySet[Service]
    people: QuerySet[Practitioner]
    given: QuerySet[PractitionerService, tuple[int, int]]

    @classmethod
    def of(cls, clinic: Clinic) -> ChoiceRows:
        return cls(
            Service.objects.for_clinic(clinic).filter(is_active=True).order_by("pk"),
            Practitioner.objects.for_clinic(clinic).filter(is_active=True).order_by("full_name"),
            PractitionerService.objects.for_clinic(clinic).values_list("practitioner_id", "service_id"),
        )


def read_choices(
    clinic: Clinic,
    params: QueryDict,
    *,
    today: date,
    fixed_service: Service | None = None,
    practitioner_id: int | None = None,
) -> Choices:
    """Of what an address does not say: the first service, anyone, from today on. One query.

    fixed_service: of a visit that is there; it may no longer be offered.
    """
    rows = ChoiceRows.of(clinic)
    fetch_together(rows.services, rows.people, rows.given)
    services = list(rows.services)
    wanted_service = number_of(params.get("service", ""))
    first = services[0] if services else None
    service = fixed_service or next((one for one in services if one.pk == wanted_service), first)
    everybody, given = list(rows.people), set(rows.given)
    practitioners = [one for one in everybody if service is not None and (one.pk, service.pk) in given]
    wanted_person = number_of(params.get("with", "")) if "with" in params else practitioner_id
    from_day = day_of(params.get("from", "")) or today
    return Choices(
        services=services,
        practitioners=practitioners,
        service=service,
        practitioner=next((one for one in practitioners if one.pk == wanted_person), None),
        unfit=next((one for one in everybody if one.pk == wanted_person and one not in practitioners), None),
        from_day=min(max(from_day, today), date(today.year + 2, 1, 1)),
        whole_day="whole" in params,
    )


def times_shown(clinic: Clinic, *, wish: SlotWish, choices: Choices, today: date, reading: Reading) -> dict[str, Any]:
    """The strip of days, and the times below it, of one search; where there is none, the first within half a year."""
    strip = weeks_around(wish, today=today)
    last = max(strip.to_day, wish.to_day)
    both = replace(strip, days=(last - strip.from_day).days + 1)
    search = Search.of(clinic, wish=both, now=reading.now)
    days = offers_for(clinic, wish=wish, now=reading.now, whole_day=choices.whole_day, search=search)
    return {
        "strip": week_strip(
            clinic, wish=wish, today=today, is_day_chosen=choices.whole_day, now=reading.now, search=search
        ),
        "days": days,
        "next_offer": None if days else next_after(clinic, wish=wish, now=reading.now),
    }


def read_slot(clinic: Clinic, params: QueryDict, *, service: Service | None) -> Slot | None:
    """The time that was picked; None when there is none, or it cannot be read.

    Raises:
        TimeInGapError: the clocks skip it.
    """
    return slot_of_code(params.get("at", ""), clinic=clinic, service=service) if service else None


def kept_in(form: Form | None, *, name: str, has_review: bool) -> BoundField | None:
    """What was typed for a time that is no longer looked at, and goes along to the next; None where nothing was."""
    return form[name] if form is not None and form[name].value() and not has_review else None


def read_override(request: ClinicRequest) -> str:
    """Why the time is taken although nobody works then: of those who may say so, from what they posted."""
    form = OverrideForm(request.POST)
    may = "override" in request.POST and request.user.has_perm(OVERRIDE)
    return form.cleaned_data["override"] if may and form.is_valid() else ""


def override_for(request: ClinicRequest, error: ClinicBotError) -> OverrideForm | None:
    """What is asked of those who may; None where it would not help, or is not theirs."""
    if not isinstance(error, ClinicClosedError | OutsideHoursError) or not request.user.has_perm(OVERRIDE):
        return None
    return OverrideForm(request.POST if "override" in request.POST else None)
