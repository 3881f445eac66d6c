"""A clinic's rows are not to be had without saying whose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Count, Exists, OuterRef

from appointments.models import Practitioner, Room
from clinicbot.errors import UnscopedQueryError
from clinicbot.models import Clinic
from clinicbot.tenancy import TenantQuerySet
from tests.factories import ClinicFactory

pytestmark = pytest.mark.django_db

Rooms = TenantQuerySet[Room]


def room_of(clinic: Clinic, name: str = "Blue") -> Room:
    return Room.objects.create(clinic=clinic, name=name)


@pytest.mark.parametrize(
    "ask",
    [
        list,
        len,
        bool,
        lambda rows: rows[0],
        lambda rows: rows.first(),
        lambda rows: rows.get(name="Blue"),
        lambda rows: rows.filter(name="Blue").exclude(pk=0).order_by("pk").last(),
        lambda rows: rows.count(),
        lambda rows: rows.exists(),
        lambda rows: rows.aggregate(Count("pk")),
        lambda rows: rows.in_bulk(),
        lambda rows: list(rows.iterator()),
        lambda rows: list(rows.values_list("name", flat=True)),
        lambda rows: rows.update(name="Red"),
        lambda rows: rows.delete(),
        lambda rows: rows.get_or_create(name="Blue"),
        lambda rows: list(Practitioner.unscoped.filter(pk__in=rows.values("pk"))),
        lambda rows: list(Practitioner.unscoped.filter(Exists(rows.filter(pk=OuterRef("pk"))))),
    ],
)
def test_an_answer_without_a_clinic_is_refused(clinic: Clinic, ask: Callable[[Any], object]) -> None:
    room_of(clinic)

    with pytest.raises(UnscopedQueryError, match=r"appointments\.Room"):
        ask(Room.objects.all())

    assert Room.unscoped.get().name == "Blue"


@pytest.mark.parametrize(
    "join",
    [
        lambda own, everybody: own | everybody,
        lambda own, everybody: own ^ everybody,
        lambda own, everybody: own.union(everybody),
    ],
)
def test_everybody_s_rows_cannot_be_joined_to_one_s_own(clinic: Clinic, join: Callable[[Any, Any], object]) -> None:
    with pytest.raises(UnscopedQueryError):
        join(Room.objects.for_clinic(clinic), Room.objects.all())


def test_a_clinic_sees_its_own_rows(clinic: Clinic) -> None:
    own, foreign = room_of(clinic), room_of(ClinicFactory.create())

    rows = Room.objects.for_clinic(clinic)

    assert list(rows.filter(name="Blue")) == [own]
    assert list(Room.objects.get_queryset().for_clinic(clinic.pk)) == [own]
    assert list(rows | Room.objects.for_clinic(foreign.clinic)) == [own, foreign]
    assert not rows.filter(pk=foreign.pk).exists()


def test_pairs_find_rows_of_many_clinics_and_nothing_under_a_wrong_one(clinic: Clinic) -> None:
    own, foreign = room_of(clinic), room_of(ClinicFactory.create())

    right = Room.objects.for_pairs([(own.clinic_id, own.pk), (foreign.clinic_id, foreign.pk)])
    wrong = Room.objects.for_pairs([(own.clinic_id, foreign.pk)])
    by_name = Room.objects.for_pairs([(own.clinic_id, "Blue")], by="name")

    assert set(right) == {own, foreign}
    assert list(wrong) == []
    assert list(by_name) == [own]
    assert list(Room.objects.for_pairs([])) == []


def test_leaving_out_by_what_hangs_on_a_row_needs_no_clinic_of_its_own(clinic: Clinic) -> None:
    noor = Practitioner.objects.create(clinic=clinic, full_name="Noor", initials="N")
    room_of(clinic)

    assert list(Practitioner.objects.for_clinic(clinic).exclude(hours__weekday=0)) == [noor]
    assert list(Practitioner.objects.for_clinic(clinic).exclude(hours__room__name="Blue")) == [noor]
