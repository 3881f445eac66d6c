"""Two people save the same patient at one moment, on real connections: one is written, the other is told."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import connection

from appointments.errors import PatientChangedError
from appointments.models import Patient
from appointments.usecases.correcting import note_of_patient
from tests.appointments.making import DESK, Practice
from tests.scheduler.bench import Gate, beside

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_notes_at_one_moment_the_second_is_refused(practice: Practice, now: datetime) -> None:
    """Both pages showed an empty note; the second comes when the first has just been written."""
    gate, refused = Gate("FOR NO KEY UPDATE"), list[PatientChangedError]()
    told: dict[str, Any] = {"patient_id": practice.ana.pk, "drawn": {"note": ""}, "actor": DESK, "now": now}

    def second() -> None:
        with connection.execute_wrapper(gate):
            try:
                note_of_patient(practice.clinic, note="needs a ramp", **told)
            except PatientChangedError as error:
                refused.append(error)

    with beside(second):
        assert gate.reached.wait(30)
        note_of_patient(practice.clinic, note="allergic", **told)
        gate.opened.set()

    assert len(refused) == 1
    assert Patient.objects.for_clinic(practice.clinic).get().note == "allergic"
