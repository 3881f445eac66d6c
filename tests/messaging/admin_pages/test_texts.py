from __future__ import annotations

import threading
from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic
from messaging.errors import OwnWordsChangedError
from messaging.models import TextOverride
from messaging.texts.declared import declared_variables
from messaging.texts.files import get_source
from messaging.texts.titles import TITLED, VARIABLES
from messaging.usecases.overrides import save_override
from tests.factories import ClinicFactory
from tests.messaging.templates import make_account, make_template

MOST_QUERIES = 12
WORDS = (
    "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, que es donde estamos siempre."
)
OTHERS = WORDS.replace("Desde", "De parte de")
OWN_WORDS = {"written_answer"}  # Written anew each time: there is no text of it to change.
PAGE = reverse("settings-text", args=["visit_booked", "es"])
LOOK = reverse("settings-text-look", args=["visit_booked", "es"])
RESET = reverse("settings-text-reset", args=["visit_booked", "es"])
UNDO = reverse("settings-text-undo", args=["visit_booked", "es"])


def own(clinic: Clinic) -> str:
    row = TextOverride.objects.for_clinic(clinic).filter(text_name="visit_booked", language="es").first()
    return row.body if row else ""


def save(client: Client, body: str = WORDS, drawn_from: str = "") -> Any:
    return client.post(PAGE, {"body": body, "drawn_from": drawn_from})


def said(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])


def test_the_list_tells_own_words_from_ours(chief: Client, clinic: Clinic) -> None:
    save(chief)

    lines = {
        line.name: line for _group, lines in chief.get(reverse("settings-texts")).context["groups"] for line in lines
    }

    assert {cell.language: cell.state for cell in lines["visit_booked"].cells} == {
        "en": "ours",
        "es": "own",
        "pt": "ours",
    }
    assert "staff_invitation" not in lines


def test_each_text_stands_in_one_group(chief: Client) -> None:
    groups = chief.get(reverse("settings-texts")).context["groups"]

    names = [line.name for _group, lines in groups for line in lines]
    assert len(names) == len(set(names))
    assert set(names) == set(TITLED) - OWN_WORDS


def test_each_variable_of_each_text_has_its_word(chief: Client) -> None:
    for name in set(TITLED) - OWN_WORDS:
        assert chief.get(reverse("settings-text", args=[name, "en"])).status_code == 200
        assert set(declared_variables(name)) <= set(VARIABLES)


def test_a_text_begins_with_our_words(chief: Client) -> None:
    assert get_source("visit_booked", "es").body.split("\n")[0][:20] in chief.get(PAGE).content.decode()


def test_own_words_are_kept_and_written_down_once(chief: Client, clinic: Clinic) -> None:
    assert save(chief).status_code == 302
    save(chief, drawn_from=WORDS)

    assert own(clinic) == WORDS
    assert AuditEntry.objects.filter(subject_type="messaging.textoverride").count() == 1


def test_every_fault_stands_beside_the_words_and_nothing_typed_is_lost(chief: Client, clinic: Clinic) -> None:
    response = save(chief, "Hola {{ surname }} <b>y adiós</b>")

    faults = " ".join(response.context["form"].errors["body"])
    assert response.status_code == 400
    assert "surname" in faults and "when" in faults and "<b>" in faults
    assert "y adiós" in response.content.decode()
    assert own(clinic) == ""


def test_the_phone_shows_what_is_typed_with_the_clinics_own_name(chief: Client, clinic: Clinic) -> None:
    shown = chief.post(LOOK, {"body": WORDS}).content.decode()

    assert f"Desde {clinic.name} para Ana: le esperamos el mar 14 abr, 10:30" in shown
    assert own(clinic) == ""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Hola {{ patient", "Hola {{ patient"),
        ("", "empty"),
        ("Hola {{ nobody }}", "nobody"),
        ("<script>alert(1)</script>", "&lt;script&gt;"),
        ("*Hola* {{ patient }}", "<b>Hola</b> Ana"),
        ("Oferta: 20 % de descuento", "advertising"),
    ],
)
def test_whatever_is_typed_is_shown_and_said(chief: Client, typed: str, shown: str) -> None:
    response = chief.post(LOOK, {"body": typed})

    assert response.status_code == 200
    assert shown in response.content.decode()
    assert "<script>" not in response.content.decode()


def test_reset_and_undo(chief: Client, clinic: Clinic) -> None:
    save(chief)
    chief.post(RESET, {"drawn_from": WORDS})
    assert own(clinic) == ""

    chief.post(UNDO)
    assert own(clinic) == WORDS

    chief.post(UNDO)
    assert own(clinic) == WORDS  # There is one step back, not a swing.


def test_saving_is_undone_too(chief: Client, clinic: Clinic) -> None:
    save(chief)
    save(chief, OTHERS, drawn_from=WORDS)

    chief.post(UNDO)

    assert own(clinic) == WORDS


def test_an_undo_does_not_take_back_what_somebody_else_wrote(chief: Client, clinic: Clinic, now: datetime) -> None:
    save(chief)
    save_override(clinic, text_name="visit_booked", language="es", body=OTHERS, actor=Actor.system(), now=now)

    response = chief.post(UNDO, follow=True)

    assert own(clinic) == OTHERS
    assert "meanwhile" in said(response)


def test_our_words_written_again_are_none_of_the_clinics_own(chief: Client, clinic: Clinic) -> None:
    save(chief)
    save(chief, get_source("visit_booked", "es").body, drawn_from=WORDS)

    assert own(clinic) == ""


def test_an_old_page_writes_over_nobody(chief: Client, clinic: Clinic, now: datetime) -> None:
    save_override(clinic, text_name="visit_booked", language="es", body=OTHERS, actor=Actor.system(), now=now)

    refused = save(chief, drawn_from="")
    assert refused.status_code == 400
    assert "De parte de" in refused.content.decode() and "Desde {{ clinic }}" in refused.content.decode()
    assert own(clinic) == OTHERS

    save(chief, drawn_from=refused.context["drawn_from"])  # Having seen it, once more.
    assert own(clinic) == WORDS


def test_it_says_when_whatsapp_still_has_other_words(chief: Client, clinic: Clinic, now: datetime) -> None:
    template = make_template(make_account(clinic), "visit_booked", now=now)
    assert not chief.get(PAGE).context["says_other_words"]

    save(chief)

    shown = chief.get(PAGE)
    assert shown.context["says_other_words"]
    assert reverse("settings-template-submit", args=[template.pk]) in shown.content.decode()


def test_no_page_asks_more_than_it_may(chief: Client, clinic: Clinic, now: datetime) -> None:
    make_template(make_account(clinic), "visit_booked", now=now)
    save(chief)

    for address in (PAGE, reverse("settings-texts")):
        with CaptureQueriesContext(connection) as queries:
            chief.get(address)
        assert len(queries) <= MOST_QUERIES, address


def test_what_is_no_text_is_not_found(chief: Client) -> None:
    for name, language in (("visit_booked", "xx"), ("nonsense", "es"), ("staff_invitation", "es")):
        assert chief.get(reverse("settings-text", args=[name, language])).status_code == 404


def test_another_clinics_words_stay_there(chief: Client, now: datetime) -> None:
    other = ClinicFactory.create()
    save_override(other, text_name="visit_booked", language="es", body=OTHERS, actor=Actor.system(), now=now)

    assert "De parte de" not in chief.get(PAGE).content.decode()
    save(chief)
    chief.post(RESET, {"drawn_from": WORDS})

    assert own(other) == OTHERS


@pytest.mark.django_db(transaction=True)
def test_of_two_who_write_at_once_one_is_told(clinic: Clinic, now: datetime) -> None:
    outcomes: list[str] = []
    ready = threading.Barrier(2)

    def write(body: str) -> None:
        ready.wait()
        try:
            wish: dict[str, Any] = {"text_name": "visit_booked", "language": "es", "instead_of": ""}
            save_override(clinic, body=body, actor=Actor.system(), now=now, **wish)
            outcomes.append("kept")
        except OwnWordsChangedError:
            outcomes.append("told")
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=[body]) for body in (WORDS, OTHERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["kept", "told"]
