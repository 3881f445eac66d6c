from __future__ import annotations

from datetime import datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from clinicbot.actors import Actor
from clinicbot.models import Clinic
from messaging.errors import MissingVariableError, UnknownTextError
from messaging.texts.book import TextBook
from messaging.texts.samples import samples_of
from messaging.usecases.overrides import save_override
from tests.factories import ClinicFactory

OWN = "Desde {{ clinic }} para {{ patient }}: le esperamos el {{ when }} en {{ where }}, que es donde estamos siempre."


def say_it_our_way(clinic: Clinic, *, now: datetime) -> None:
    save_override(clinic, text_name="visit_booked", language="es", body=OWN, actor=Actor.system(), now=now)


def test_a_text_is_filled_in_the_language_asked_for() -> None:
    rendered = TextBook({}).render(1, "answer_confirmed", "pt", samples_of("pt"))

    assert rendered.body == (
        "Obrigado pela resposta. A consulta de Ana está confirmada: ter 14 abr, 10:30. Local: R. Maior, 5."
    )
    assert rendered.language == "pt"


def test_buttons_are_of_the_same_language_as_the_text() -> None:
    rendered = TextBook({}).render(1, "visit_moved", "pt", samples_of("pt"))

    assert rendered.buttons == (("confirm", "Confirmo"), ("change", "Remarcar"), ("cancel", "Cancelar"))


def test_a_missing_variable_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(MissingVariableError, match="when"):
        TextBook({}).render(1, "answer_confirmed", "en", {"patient": "Ana", "where": "here"})


def test_an_unknown_text_and_an_unknown_language_are_refused() -> None:
    with pytest.raises(UnknownTextError):
        TextBook({}).render(1, "no_such_text", "en", {})
    with pytest.raises(UnknownTextError):
        TextBook({}).render(1, "visit_moved", "fr", {})


def test_a_name_that_looks_like_a_placeholder_stays_a_name() -> None:
    rendered = TextBook({}).render(
        1, "answer_confirmed", "en", {"patient": "{{ when }}", "when": "Tue", "where": "{{ patient }}"}
    )

    assert rendered.body == "Thank you. The visit for {{ when }} on Tue, at {{ patient }}, is confirmed."


def test_a_clinics_own_words_take_the_place_of_ours(clinic: Clinic, now: datetime) -> None:
    say_it_our_way(clinic, now=now)

    book = TextBook.load([(clinic.pk, "visit_booked", "es")])

    rendered = book.render(clinic.pk, "visit_booked", "es", samples_of("es"))
    assert rendered.body == (
        "Desde Clínica Sol para Ana: le esperamos el mar 14 abr, 10:30 en C/ Mayor 5, que es donde estamos siempre."
    )
    assert rendered.buttons == (("change", "Cambiar"), ("cancel", "Cancelar"))


def test_another_language_and_another_clinic_keep_our_words(clinic: Clinic, now: datetime) -> None:
    say_it_our_way(clinic, now=now)
    other = ClinicFactory.create()

    book = TextBook.load([(clinic.pk, "visit_booked", "pt"), (other.pk, "visit_booked", "es")])

    assert book.render(clinic.pk, "visit_booked", "pt", samples_of("pt")).body.startswith("Aviso de")
    assert book.render(other.pk, "visit_booked", "es", samples_of("es")).body.startswith("Aviso de")


def test_a_wave_reads_own_words_once(
    clinic: Clinic, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    say_it_our_way(clinic, now=now)

    with django_assert_num_queries(1):
        book = TextBook.load([(clinic.pk, name, "es") for name in ("visit_booked", "visit_moved")] * 50)
        for _message in range(50):
            book.render(clinic.pk, "visit_booked", "es", samples_of("es"))


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_a_long_address_gives_way_and_the_sentence_stays_whole(language: str) -> None:
    values = {**samples_of(language), "where": "Calle " * 60, "clinic": "C" * 120, "practitioner": "P" * 200}

    body = TextBook({}).render(1, "visit_moved", language, values).body

    assert len(body) <= 1024
    assert any(f"{word}.\n" in body for word in ("us", "nosotros", "conosco"))
    assert values["link"] in body
