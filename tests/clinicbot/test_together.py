"""Several questions in one round trip answer as each of them does alone."""

from __future__ import annotations

from datetime import datetime, time

import pytest
from django.db import connection
from django.db.models import Exists, OuterRef, Value
from django.test.utils import CaptureQueriesContext

from appointments.models import Appointment, Patient, PatientContact, Practitioner
from clinicbot.errors import UnscopedQueryError
from clinicbot.models import Clinic
from clinicbot.together import fetch_together, give_to_parents
from tests.appointments.making import Practice, make_practice
from tests.factories import ClinicFactory


@pytest.fixture
def practice(clinic: Clinic, now: datetime) -> Practice:
    return make_practice(clinic, now=now)


@pytest.fixture
def visit(practice: Practice, now: datetime) -> Appointment:
    practice.book(now=now, at=time(12))
    return practice.book(now=now)


def test_each_holds_its_rows_after_one_question(practice: Practice, visit: Appointment) -> None:
    def questions() -> list:  # type: ignore[type-arg]
        rows = Appointment.objects.for_clinic(practice.clinic)
        links = PatientContact.objects.for_clinic(practice.clinic).filter(patient=OuterRef("patient"))
        return [
            rows.select_related("patient__guardian", "room").annotate(is_reached=Exists(links)).order_by("local_time"),
            rows.values_list("pk", "occupied", "local_date").order_by("pk"),
            rows.values_list("link_token", flat=True).order_by("pk")[:1],
            rows.filter(pk__in=[]),
            rows.values_list("pk", Value("a")).union(rows.values_list("pk", Value("b")), all=True).order_by("pk"),
            Patient.objects.for_clinic(practice.clinic).filter(full_name__icontains="100% ;'"),
        ]

    alone, together = questions(), questions()
    with CaptureQueriesContext(connection) as asked:
        fetch_together(*together)
        first = together[0][0]
        assert (first.patient.guardian, first.room.name, first.is_reached) == (None, practice.room.name, True)
        held = [list(one) for one in together]

    assert len(asked) == 1
    assert held == [list(one) for one in alone]
    assert first.as_loaded is not None  # As loaded from the database: a change of it is seen.


def test_what_is_known_already_is_not_asked_again(practice: Practice) -> None:
    people = Practitioner.objects.for_clinic(practice.clinic)
    fetch_together(people)

    with CaptureQueriesContext(connection) as asked:
        fetch_together(people, Patient.objects.for_clinic(practice.clinic).none())

    assert len(asked) == 0
    assert list(people.filter(pk=0)) == []  # And a question made of it is a new one.


def test_rows_of_every_clinic_are_refused_here_too(db: None) -> None:
    with pytest.raises(UnscopedQueryError):
        fetch_together(Patient.objects.order_by("pk"))


def test_children_stand_with_their_parents(practice: Practice, clinic: Clinic, now: datetime) -> None:
    lonely = Patient.objects.create(clinic=clinic, full_name="Lo", search_key="lo", language="es", created_at=now)
    people = Patient.objects.for_clinic(clinic).order_by("pk")
    links = PatientContact.objects.for_clinic(clinic)
    fetch_together(people, links)

    with CaptureQueriesContext(connection) as asked:
        give_to_parents(people, "reached_at", links, by="patient_id")
        found = {one.pk: list(one.reached_at.all()) for one in people}

    assert len(asked) == 0
    assert found == {practice.ana.pk: list(links), lonely.pk: []}
    assert list(PatientContact.objects.for_clinic(ClinicFactory.create())) == []
