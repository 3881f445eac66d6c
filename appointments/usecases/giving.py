"""Who gives which service."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q

from appointments.errors import NotAtThisClinicError
from appointments.models import Practitioner, PractitionerService, Service
from clinicbot.models import Clinic


@transaction.atomic
def set_services_of(clinic: Clinic, *, practitioner_id: int, service_ids: Collection[int]) -> None:
    """These and no others, from now on. Visits that stand for another service stay: a person decides about them.

    Raises:
        NotAtThisClinicError: one of them is another clinic's.
    """
    wanted = {(practitioner_id, service_id) for service_id in service_ids}
    _write(clinic, wanted=wanted, instead_of=Q(practitioner_id=practitioner_id), practitioner_ids={practitioner_id})


@transaction.atomic
def set_givers_of(clinic: Clinic, *, service_id: int, practitioner_ids: Collection[int]) -> None:
    """The same from the service's side.

    Raises:
        NotAtThisClinicError: one of them is another clinic's.
    """
    wanted = {(practitioner_id, service_id) for practitioner_id in practitioner_ids}
    old = PractitionerService.objects.for_clinic(clinic).filter(service_id=service_id)
    touched = {*practitioner_ids, *old.values_list("practitioner_id", flat=True)}
    _write(clinic, wanted=wanted, instead_of=Q(service_id=service_id), practitioner_ids=touched)


def _write(clinic: Clinic, *, wanted: set[tuple[int, int]], instead_of: Q, practitioner_ids: set[int]) -> None:
    """With the practitioners locked, as each booking locks them: what was booked before this was given then."""
    people = Practitioner.objects.for_clinic(clinic).filter(pk__in=practitioner_ids)
    services = Service.objects.for_clinic(clinic).filter(pk__in={service_id for _person, service_id in wanted})
    if len(people.select_for_update(no_key=True).order_by("pk")) != len(practitioner_ids):
        raise NotAtThisClinicError
    if services.count() != len({service_id for _person, service_id in wanted}):
        raise NotAtThisClinicError
    rows = PractitionerService.objects.for_clinic(clinic).filter(instead_of)
    known = {(row.practitioner_id, row.service_id): row.pk for row in rows}
    gone = [pk for pair, pk in known.items() if pair not in wanted]
    PractitionerService.objects.for_clinic(clinic).filter(pk__in=gone).delete()
    PractitionerService.objects.bulk_create(
        PractitionerService(clinic=clinic, practitioner_id=practitioner_id, service_id=service_id)
        for practitioner_id, service_id in sorted(wanted - known.keys())
    )
