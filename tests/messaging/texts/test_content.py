from __future__ import annotations

from uuid import UUID

import pytest

from messaging.channels.base import FreeContent
from messaging.channels.whatsapp import limits
from messaging.contracts import Choice, ChoiceSection
from messaging.texts.book import RenderedText
from messaging.texts.content import free_content, free_labels, payload_of

MESSAGE = UUID("01890000-0000-7000-8000-000000000001")


def said(body: str = "Can you come?", **rest: object) -> RenderedText:
    return RenderedText(text_name="visit_booked", language="en", body=body, **rest)  # type: ignore[arg-type]


def section(title: str, count: int, *, start: int = 0) -> ChoiceSection:
    choices = tuple(Choice(action=f"slot:{start + place}", title=f"{place}:00") for place in range(count))
    return ChoiceSection(title=title, choices=choices)


def test_a_button_carries_message_and_action() -> None:
    content = free_content(said(buttons=(("confirm", "Confirm"),)), message_id=MESSAGE)

    assert content.buttons[0].payload == f"m:{MESSAGE.hex}:confirm"
    assert content.buttons[0].label == "Confirm"


def test_the_longest_action_fits_the_payload() -> None:
    assert len(payload_of(MESSAGE, "a" * 60)) <= limits.PAYLOAD


def test_a_label_of_21_characters_is_clipped() -> None:
    content = free_content(said(buttons=(("change", "A" * 21),)), message_id=MESSAGE)

    assert limits.length(content.buttons[0].label) == limits.BUTTON_LABEL


def test_a_row_of_25_characters_is_clipped() -> None:
    rows = ChoiceSection(title="T" * 30, choices=(Choice(action="slot:1", title="R" * 25, description="D" * 80),))

    content = free_content(said(list_label="See times"), message_id=MESSAGE, sections=[rows])

    row = content.sections[0].rows[0]
    assert limits.length(row.title) == limits.ROW_TITLE
    assert limits.length(row.description) == limits.ROW_DESCRIPTION
    assert limits.length(content.sections[0].title) == limits.SECTION_TITLE


def test_eleven_rows_become_ten_over_all_sections(caplog: pytest.LogCaptureFixture) -> None:
    sections = [section("Mon", 6), section("Tue", 5, start=6), section("Wed", 1, start=11)]

    content = free_content(said(list_label="See times"), message_id=MESSAGE, sections=sections)

    assert [len(one.rows) for one in content.sections] == [6, 4]
    assert [record.message for record in caplog.records] == ["A list was cut to what fits."]


def test_every_section_has_a_title_once_there_are_two() -> None:
    content = free_content(
        said(list_label="See times"), message_id=MESSAGE, sections=[section("", 1), section("Tue", 1, start=1)]
    )

    assert all(one.title for one in content.sections)


def test_a_list_without_choices_is_plain_text() -> None:
    content = free_content(said(list_label="See times"), message_id=MESSAGE)

    assert content == FreeContent(body="Can you come?")


def test_a_body_with_buttons_is_shorter_than_one_without() -> None:
    long = "word " * 1000

    with_buttons = free_content(said(long, buttons=(("confirm", "Confirm"),)), message_id=MESSAGE)
    without = free_content(said(long), message_id=MESSAGE)

    assert limits.length(with_buttons.body) <= limits.INTERACTIVE_BODY
    assert limits.INTERACTIVE_BODY < limits.length(without.body) <= limits.TEXT_BODY


def test_labels_are_those_of_buttons_or_rows() -> None:
    buttons = free_content(said(buttons=(("confirm", "Confirm"),)), message_id=MESSAGE)
    rows = free_content(said(list_label="See times"), message_id=MESSAGE, sections=[section("Mon", 2)])

    assert free_labels(buttons) == ["Confirm"]
    assert free_labels(rows) == ["0:00", "1:00"]
