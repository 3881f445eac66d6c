from __future__ import annotations

from datetime import datetime

import pytest

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic
from messaging.errors import OwnWordsRefusedError
from messaging.models import TextOverride
from messaging.usecases.overrides import preview, remove_override, save_override
from tests.factories import ClinicFactory

WORDS = (
    "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, que es donde estamos siempre."
)


def save(clinic: Clinic, *, body: str = WORDS, text_name: str = "visit_booked", now: datetime) -> TextOverride:
    return save_override(clinic, text_name=text_name, language="es", body=body, actor=Actor.system(), now=now)


def test_words_are_kept_trimmed_and_written_down_without_the_words(clinic: Clinic, now: datetime) -> None:
    override = save(clinic, body=f"  {WORDS}  \r\n", now=now)

    entry = AuditEntry.objects.get(action="messaging.save_own_words")
    assert override.body == WORDS
    assert entry.detail == {"text": "visit_booked", "language": "es", "fields": ["body"]}


def test_saving_again_changes_the_same_words(clinic: Clinic, now: datetime) -> None:
    save(clinic, now=now)

    save(clinic, body=WORDS.replace("Desde", "De parte de"), now=now)

    assert [row.body[:11] for row in TextOverride.objects.for_clinic(clinic)] == ["De parte de"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (WORDS.replace("{{ where }}", "{{ surname }}"), "surname"),
        (WORDS.replace("{{ when }}", "hoy"), "when"),
        (WORDS + " x" * 600, "too long"),
        (WORDS + " {% now %}", "braces"),
    ],
)
def test_words_that_cannot_be_said_are_refused_and_nothing_is_kept(
    clinic: Clinic, now: datetime, body: str, sentence: str
) -> None:
    with pytest.raises(OwnWordsRefusedError, match=sentence):
        save(clinic, body=body, now=now)

    assert not TextOverride.objects.for_clinic(clinic).exists()
    assert not AuditEntry.objects.exists()


def test_the_optional_variables_may_be_left_out_the_others_not(clinic: Clinic, now: datetime) -> None:
    save(clinic, now=now)  # Without practitioner and phone.

    with pytest.raises(OwnWordsRefusedError) as refusal:
        save(clinic, body="Le esperamos como siempre en la clínica, sin nada más que decirle por ahora.", now=now)

    assert len(refusal.value.faults) == 4


@pytest.mark.parametrize("text_name", ["no_such_text", "../README"])
def test_an_unknown_text_is_refused(clinic: Clinic, now: datetime, text_name: str) -> None:
    with pytest.raises(OwnWordsRefusedError, match="no such text"):
        save(clinic, text_name=text_name, now=now)


def test_removing_brings_our_words_back_and_says_so_once(clinic: Clinic, now: datetime) -> None:
    save(clinic, now=now)
    other = ClinicFactory.create()

    removals = [
        remove_override(where, text_name="visit_booked", language="es", actor=Actor.system(), now=now)
        for where in (other, clinic, clinic)
    ]

    assert removals == [False, True, False]


def test_a_preview_has_the_clinics_name_and_a_made_up_patient(clinic: Clinic) -> None:
    clinic.address = "Gran Vía 1"

    shown = preview(clinic, text_name="visit_booked", language="es", body=WORDS)

    assert clinic.name in shown.body
    assert "Gran Vía 1" in shown.body
    assert "Ana" in shown.body
    assert shown.buttons == (("change", "Cambiar"), ("cancel", "Cancelar"))
