"""Against the real simulator, over HTTP."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from clinicbot.errors import HttpNotSentError
from messaging.channels.base import Verdict
from messaging.channels.whatsapp import templates_api
from messaging.channels.whatsapp.templates_api import BusinessAccount, create_template, edit_template, list_templates
from messaging.errors import ProviderRefusedError
from messaging.texts.definitions import definition_of, wanted_templates
from tests.simulator.running import TOKEN, WABA_ID, Simulator

OURS = BusinessAccount(id=WABA_ID, token=TOKEN)


def create_all() -> None:
    for text_name, language in wanted_templates():
        create_template(OURS, definition_of(text_name, language))


def test_every_template_of_ours_is_taken_for_review(simulator: Simulator) -> None:
    create_all()

    there = {(template.name, template.language, template.status) for template in list_templates(OURS)}

    assert there == {
        (name, {"pt": "pt_BR"}.get(language, language), "PENDING") for name, language in wanted_templates()
    }


def test_what_is_listed_is_what_was_asked_for(simulator: Simulator) -> None:
    ours = definition_of("visit_moved", "pt")
    provider_id, status, category = create_template(OURS, ours)

    (theirs,) = list_templates(OURS)

    assert (theirs.provider_id, status, category) == (provider_id, "PENDING", "UTILITY")
    assert (theirs.name, theirs.language, theirs.is_named) == ("visit_moved", "pt_BR", True)
    assert theirs.components == templates_api.components_of(ours)
    assert theirs.rejected_reason == ""


def test_every_page_is_read(simulator: Simulator) -> None:
    create_all()

    names = [(template.name, template.language) for template in list_templates(OURS, page_size=5)]

    assert len(names) == len(set(names)) == len(wanted_templates())


def test_meta_may_make_it_marketing_without_asking(simulator: Simulator) -> None:
    simulator.knobs(switches={"create_as_marketing": True})

    _provider_id, _status, category = create_template(OURS, definition_of("visit_moved", "es"))

    assert category == "MARKETING"


def test_a_second_template_of_one_name_and_language_is_refused(simulator: Simulator) -> None:
    create_template(OURS, definition_of("visit_moved", "es"))

    with pytest.raises(ProviderRefusedError) as refusal:
        create_template(OURS, definition_of("visit_moved", "es"))

    assert refusal.value.outcome.code == "100"
    assert "already" in refusal.value.outcome.detail


def test_an_approved_template_takes_other_words_and_is_reviewed_again(simulator: Simulator) -> None:
    simulator.knobs(switches={"review": "wait"})
    provider_id, _status, _category = create_template(OURS, definition_of("visit_moved", "es"))
    simulator.event("template_status", template_id=int(provider_id), status="APPROVED")
    body = definition_of("visit_moved", "es").body.replace("ha cambiado", "cambia")

    edit_template(OURS, definition_of("visit_moved", "es", body=body), provider_id=provider_id)

    (theirs,) = list_templates(OURS)
    assert "su cita cambia" in theirs.components[0]["text"]
    assert theirs.status == "PENDING"


def test_an_account_nobody_listens_to_is_found_out(simulator: Simulator) -> None:
    heard = templates_api.is_subscribed(OURS)

    simulator.event("subscription", on=False)

    assert heard
    assert not templates_api.is_subscribed(OURS)


def test_a_wrong_token_is_told_as_what_it_is(simulator: Simulator) -> None:
    with pytest.raises(ProviderRefusedError) as refusal:
        list_templates(BusinessAccount(id=WABA_ID, token="wrong"))

    assert refusal.value.outcome.verdict == Verdict.PAUSE_ACCOUNT
    assert "wrong" not in str(refusal.value)


def test_no_answer_is_an_error_of_http(settings: Settings) -> None:
    settings.WHATSAPP_GRAPH_URL = "http://127.0.0.1:1"

    with pytest.raises(HttpNotSentError):
        list_templates(OURS)
