from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from pytest_django import DjangoAssertNumQueries

from clinicbot.models import Clinic
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.content import template_content, template_labels, template_text
from messaging.texts.declared import declared_variables
from messaging.texts.samples import samples_of
from messaging.texts.templates import TemplateBook, TemplateProblem, TemplateReason
from tests.messaging.templates import body_of, buttons_of, make_account, make_template

MESSAGE = UUID("01890000-0000-7000-8000-000000000001")
POSITIONAL = (
    "Aviso de {{1}} para {{2}}: era el {{3}} y ahora el {{4}}, en {{5}}, con {{6}}."
    " Llame al {{7}} si no puede. Vea {{8}} para más."
)


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


def find(
    account: SendingAccount, language: str = "es", clinic_language: str = "es"
) -> MessageTemplate | TemplateProblem:
    return TemplateBook.load([account.pk], ["visit_moved"]).find(account.pk, "visit_moved", language, clinic_language)


def test_the_template_of_the_persons_language_is_found(account: SendingAccount, now: datetime) -> None:
    make_template(account, language="es", now=now)
    pt = make_template(account, language="pt", now=now)

    assert find(account, language="pt") == pt


def test_two_languages_of_one_name_are_not_mixed_up(account: SendingAccount, now: datetime) -> None:
    es = make_template(account, language="es", now=now)
    en = make_template(account, language="en", now=now)

    assert find(account, language="es") == es
    assert find(account, language="en") == en


def test_a_patient_of_any_spanish_gets_the_spanish_there_is(account: SendingAccount, now: datetime) -> None:
    mexican = make_template(account, language="es", now=now)
    MessageTemplate.unscoped.filter(pk=mexican.pk).update(language="es_MX")

    found = find(account)

    assert isinstance(found, MessageTemplate)
    assert found.language == "es_MX"


def test_ours_is_preferred_to_a_regional_one(account: SendingAccount, now: datetime) -> None:
    regional = make_template(account, language="es", now=now)
    MessageTemplate.unscoped.filter(pk=regional.pk).update(language="es_AR")
    ours = make_template(account, language="es", now=now)

    assert find(account) == ours


def test_a_missing_language_falls_back_to_the_clinics_and_says_so(account: SendingAccount, now: datetime) -> None:
    make_template(account, language="es", now=now)

    found = find(account, language="pt", clinic_language="es")

    assert isinstance(found, MessageTemplate)
    assert found.language == "es"


def test_nothing_approved_is_a_problem_with_a_reason(account: SendingAccount) -> None:
    assert find(account) == TemplateProblem(TemplateReason.MISSING)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("PENDING", TemplateReason.PENDING),
        ("REJECTED", TemplateReason.REJECTED),
        ("PAUSED", TemplateReason.PAUSED),
        ("DISABLED", TemplateReason.DISABLED),
        ("ARCHIVED", TemplateReason.MISSING),
        ("DELETED", TemplateReason.MISSING),
        ("FLAGGED", TemplateReason.UNUSABLE),
        ("SOMETHING_NEW", TemplateReason.UNUSABLE),
    ],
)
def test_only_an_approved_template_sends(
    account: SendingAccount, now: datetime, status: str, reason: TemplateReason
) -> None:
    template = make_template(account, now=now, status=status)

    assert find(account) == TemplateProblem(reason, template.pk)


def test_our_own_pause_holds_an_approved_template(account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now, paused_at=now, paused_reason="132015")

    assert find(account) == TemplateProblem(TemplateReason.PAUSED, template.pk)


OURS = "Aviso de {{clinic}} para {{patient}}: su cita es ahora el {{when}}, y le esperamos en la clínica."
ASKED = buttons_of("Confirmo", "Cambiar", "Cancelar")


@pytest.mark.parametrize(
    "components",
    [
        pytest.param([*body_of(f"{OURS} Con {{{{doctor}}}} como siempre."), ASKED], id="a variable we do not have"),
        pytest.param(body_of(OURS), id="no buttons"),
        pytest.param([*body_of(OURS), buttons_of("Confirmo", "Cancelar")], id="one button too few"),
        pytest.param([*body_of(OURS), buttons_of("Sí", "No", "Cancelar")], id="two labels nobody knows"),
        pytest.param([*body_of(OURS), buttons_of("Confirmo", "Confirmo", "Cancelar")], id="one label twice"),
        pytest.param([{"type": "HEADER", "format": "IMAGE"}, *body_of(OURS), ASKED], id="a picture"),
        pytest.param(
            [{"type": "HEADER", "format": "TEXT", "text": "{{1}} here"}, *body_of(OURS), ASKED], id="a header"
        ),
        pytest.param([ASKED], id="no body"),
        pytest.param([], id="nothing"),
        pytest.param({"type": "BODY"}, id="no list"),
        pytest.param(
            [
                *body_of(OURS),
                {
                    "type": "BUTTONS",
                    "buttons": [*ASKED["buttons"], {"type": "URL", "text": "Pay", "url": "https://x/{{1}}"}],
                },
            ],
            id="a link that wants a suffix",
        ),
    ],
)
def test_a_template_that_does_not_fit_is_caught_before_sending(
    account: SendingAccount, now: datetime, components: Any
) -> None:
    template = make_template(account, now=now, components=components)

    assert find(account) == TemplateProblem(TemplateReason.MISMATCH, template.pk)


def test_a_positional_template_must_take_all_variables(account: SendingAccount, now: datetime) -> None:
    fewer = POSITIONAL.replace(", con {{6}}. Llame al {{7}} si", ". Llame si")
    template = make_template(account, now=now, is_named=False, components=[*body_of(fewer), ASKED])

    assert find(account) == TemplateProblem(TemplateReason.MISMATCH, template.pk)


def test_a_named_template_is_filled_by_name_and_answers_with_our_actions(
    account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, now=now)

    content = template_content(
        template, declared=declared_variables("visit_moved"), values=samples_of("es"), message_id=MESSAGE
    )

    assert dict(content.parameters)["old_when"] == "lun 13 abr, 9:00"
    assert content.button_payloads == {
        0: f"m:{MESSAGE.hex}:confirm",
        1: f"m:{MESSAGE.hex}:change",
        2: f"m:{MESSAGE.hex}:cancel",
    }
    assert template_text(template, content).startswith("Aviso de Clínica Sol para Ana: su cita ha cambiado.")
    assert template_labels(template) == ["Confirmo", "Cambiar", "Cancelar"]


def test_buttons_in_another_order_keep_their_meaning(account: SendingAccount, now: datetime) -> None:
    components = [*body_of(OURS), buttons_of("Cancelar", " CONFIRMO ", "Cambiar")]
    template = make_template(account, now=now, components=components)

    content = template_content(
        template, declared=declared_variables("visit_moved"), values=samples_of("es"), message_id=MESSAGE
    )

    assert [content.button_payloads[index].split(":")[2] for index in range(3)] == ["cancel", "confirm", "change"]


def test_one_button_may_have_a_label_of_its_own(account: SendingAccount, now: datetime) -> None:
    components = [*body_of(OURS), buttons_of("Confirmo", "Reprogramar", "Cancelar")]
    template = make_template(account, now=now, components=components)

    content = template_content(
        template, declared=declared_variables("visit_moved"), values=samples_of("es"), message_id=MESSAGE
    )

    assert content.button_payloads[1] == f"m:{MESSAGE.hex}:change"


def test_confirm_is_never_taken_for_another_action(account: SendingAccount, now: datetime) -> None:
    components = [*body_of(OURS), buttons_of("Confirmo", "Cancelar")]
    template = make_template(account, "visit_booked", now=now, components=components)

    found = TemplateBook.load([account.pk], ["visit_booked"]).find(account.pk, "visit_booked", "es", "es")

    assert found == TemplateProblem(TemplateReason.MISMATCH, template.pk)


def test_a_positional_template_is_filled_in_the_declared_order(account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now, is_named=False, components=[*body_of(POSITIONAL), ASKED])
    assert find(account) == template

    content = template_content(
        template, declared=declared_variables("visit_moved"), values=samples_of("es"), message_id=MESSAGE
    )

    assert template_text(template, content) == (
        "Aviso de Clínica Sol para Ana: era el lun 13 abr, 9:00 y ahora el mar 14 abr, 10:30, en C/ Mayor 5,"
        " con Dra. Soto. Llame al 555 123 456 si no puede. Vea https://clinic.example/visit/k3Xv9Qm2Rt7Lp4Wz/ para más."
    )


def test_an_empty_value_reaches_meta_as_a_neutral_word_and_a_broken_one_as_one_line(
    account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, now=now)
    values = {**samples_of("es"), "practitioner": "", "where": "C/ Mayor\n5\t\t     bajo"}

    content = template_content(template, declared=declared_variables("visit_moved"), values=values, message_id=MESSAGE)

    assert dict(content.parameters)["practitioner"] == "nuestro equipo"
    assert dict(content.parameters)["where"] == "C/ Mayor 5 bajo"


def test_a_filled_template_never_exceeds_metas_limit(account: SendingAccount, now: datetime) -> None:
    long = OURS + " Recuerde que " + "a" * 700 + " {{where}} es donde estamos."
    template = make_template(account, now=now, components=[*body_of(long), ASKED])
    values = {**samples_of("es"), "clinic": "C" * 200, "where": "W" * 200, "patient": "P" * 200}

    content = template_content(template, declared=declared_variables("visit_moved"), values=values, message_id=MESSAGE)

    assert len(template_text(template, content)) <= 1024


def test_a_wave_reads_templates_once(
    account: SendingAccount, now: datetime, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_template(account, now=now)

    with django_assert_num_queries(1):
        book = TemplateBook.load([account.pk] * 50, ["visit_moved", "visit_booked"])
        for _message in range(50):
            book.find(account.pk, "visit_moved", "es", "es")


def test_another_clinics_templates_are_not_used(account: SendingAccount, now: datetime) -> None:
    make_template(account, now=now)
    other = make_account(
        type(account.clinic).objects.create(name="Other", slug="other", zone="UTC", country="ES"), external_id="2"
    )

    assert find(other) == TemplateProblem(TemplateReason.MISSING)
