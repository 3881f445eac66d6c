from __future__ import annotations

import pytest

from messaging.errors import MalformedTextError
from messaging.texts.source import parse_source


def test_a_body_alone_is_a_text() -> None:
    source = parse_source("Hello {{ patient }}.\n")

    assert source.body == "Hello {{ patient }}."
    assert source.buttons == ()
    assert source.list_label == ""


def test_buttons_stand_below_the_line() -> None:
    source = parse_source("Can you come?\nWe hope so.\n---\nconfirm: Confirm\ncancel: Cancel\n")

    assert source.body == "Can you come?\nWe hope so."
    assert source.buttons == (("confirm", "Confirm"), ("cancel", "Cancel"))
    assert source.actions == ("confirm", "cancel")


def test_a_list_has_a_label_that_opens_it() -> None:
    source = parse_source("Which one?\n---\nlist: See times\n")

    assert source.list_label == "See times"
    assert source.buttons == ()


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("", "says nothing"),
        ("\n---\nconfirm: Yes", "says nothing"),
        ("Hello\n---\n", "neither a button nor a list"),
        ("Hello\n---\nConfirm", "Line 3"),
        ("Hello\n---\nconfirm:Confirm", "Line 3"),
        ("Hello\n---\nconfirm: Confirm \n", "Line 3"),
        ("Hello\n---\na: A\n\nb: B", "Line 4"),
        ("Hello\n---\na: A\na: B", "twice"),
        ("Hello\n---\nlist: L\na: A", "not both"),
        ("Hello\n---\na: A\nb: B\nc: C\nd: D", "at most 3"),
    ],
)
def test_what_is_not_written_as_it_must_be_is_refused(written: str, complaint: str) -> None:
    with pytest.raises(MalformedTextError, match=complaint):
        parse_source(written)


@pytest.mark.parametrize(
    "body", ["{{ patient|upper }}", "{% if x %}", "{{ patient", "{ patient }", "{{ Patient }}", "{{}}", "{{ 1 }}"]
)
def test_only_plain_names_may_stand_in_braces(body: str) -> None:
    with pytest.raises(MalformedTextError):
        parse_source(f"Hello {body} there.")


def test_a_first_line_may_be_the_subject_of_an_e_mail() -> None:
    source = parse_source("subject: From {{ clinic }}\nCome in.\n---\nconfirm: Confirm\n")

    assert (source.subject, source.body, source.actions) == ("From {{ clinic }}", "Come in.", ("confirm",))


@pytest.mark.parametrize("first", ["subject: ", "subject: {{ clinic|upper }}"])
def test_a_subject_that_says_nothing_or_cannot_be_filled_is_refused(first: str) -> None:
    with pytest.raises(MalformedTextError):
        parse_source(f"{first}\nCome in.\n")
