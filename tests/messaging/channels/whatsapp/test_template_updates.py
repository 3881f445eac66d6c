from __future__ import annotations

from typing import Any

import pytest

from messaging.channels.whatsapp.template_updates import TemplateUpdate, read_template_update

ABOUT = {
    "message_template_id": 1234567890,
    "message_template_name": "visit_moved",
    "message_template_language": "pt-BR",
}


def read(field: str, **value: Any) -> TemplateUpdate:
    return read_template_update(field, {**ABOUT, **value})


def test_language_is_spelled_as_the_api_spells_it() -> None:
    update = read("message_template_components_update")

    assert update == TemplateUpdate(provider_id="1234567890", name="visit_moved", language="pt_BR")


@pytest.mark.parametrize("event", ["APPROVED", "REINSTATED", "UNPAUSE", "unpaused"])
def test_every_word_for_back_again_is_approved(event: str) -> None:
    assert read("message_template_status_update", event=event).status == "APPROVED"


def test_an_unpause_is_read_from_its_title() -> None:
    update = read("message_template_status_update", event="UNKNOWN", other_info={"title": "UNPAUSE"})

    assert update.status == "APPROVED"


def test_a_pause_keeps_metas_word_and_its_reason() -> None:
    update = read(
        "message_template_status_update",
        event="PAUSED",
        reason=None,
        other_info={"title": "FIRST_PAUSE"},
        message_template_category="UTILITY",
    )

    assert (update.status, update.category, update.rejected_reason) == ("PAUSED", "UTILITY", "")


def test_a_rejection_says_why() -> None:
    assert (
        read("message_template_status_update", event="REJECTED", reason="PROMOTIONAL").rejected_reason == "PROMOTIONAL"
    )


def test_a_warning_calls_the_present_category_new() -> None:
    update = read("template_category_update", new_category="UTILITY", correct_category="MARKETING")

    assert (update.category, update.correct_category) == ("UTILITY", "MARKETING")


def test_a_change_that_is_done_ends_the_warning() -> None:
    update = read("template_category_update", previous_category="UTILITY", new_category="MARKETING")

    assert (update.category, update.correct_category) == ("MARKETING", "")


def test_quality() -> None:
    update = read("message_template_quality_update", previous_quality_score="GREEN", new_quality_score="RED")

    assert (update.quality, update.status) == ("RED", None)


@pytest.mark.parametrize(
    "field",
    ["message_template_status_update", "template_category_update", "message_template_quality_update", "new_one"],
)
@pytest.mark.parametrize("value", [{}, {"event": 3, "other_info": "x"}, {"message_template_name": None}])
def test_garbled_news_change_nothing(field: str, value: dict[str, Any]) -> None:
    update = read_template_update(field, value)

    assert update.name == ""
    assert update.category is None
