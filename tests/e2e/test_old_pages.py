"""A patient's page that stood open while a colleague changed the same: what it says, and where it lands."""

from __future__ import annotations

import os
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from appointments.models import Patient
from appointments.usecases.correcting import note_of_patient, rename_patient
from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from tests.appointments.making import Practice
from tests.factories import MembershipFactory

pytestmark = pytest.mark.e2e

THEIRS = "Allergic to latex.\nAsk for the blue gloves before anything else is opened."


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_note_that_a_colleague_changed_meanwhile_is_shown_beside_what_was_typed(
    page: Page, practice: Practice, width: int, scheme: Literal["light", "dark"]
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/patients/{practice.ana.pk}/")
    colleague = MembershipFactory.create(
        clinic=practice.clinic,
        user__first_name="Maximiliana Wilhelmina",
        user__last_name="Featherstonehaugh-Cholmondeley",
    ).user
    who = Actor(ActorKind.STAFF, colleague.pk)
    told: dict[str, Any] = {"patient_id": practice.ana.pk, "actor": who, "now": clock.now()}
    note_of_patient(practice.clinic, note=THEIRS, **told)
    rename_patient(practice.clinic, full_name="Ana " + "Núñez-Villanueva " * 3, language="pt", **told)

    note = page.locator("textarea[name=note]")
    note.fill("Needs a ramp")
    page.get_by_role("button", name="Save the note").click()

    expect(page.locator("#id_note_error")).to_contain_text("Maximiliana Wilhelmina Featherstonehaugh-Cholmondeley")
    expect(page.locator("#id_note_error")).to_contain_text("Allergic to latex.")
    expect(note).to_have_value("Needs a ramp")
    expect(note).to_be_focused()
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if os.environ.get("SHOTS"):
        page.screenshot(path=f"{os.environ['SHOTS']}/old-{width}-{scheme}.png", full_page=True)

    page.get_by_role("button", name="Save the note").click()
    page.wait_for_load_state()
    assert Patient.objects.for_clinic(practice.clinic).get(pk=practice.ana.pk).note == "Needs a ramp"
