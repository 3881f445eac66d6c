"""The inbox as the desk works through it: what needs a person first, and nothing falls out."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from messaging.models import Contact, StaffTask, TaskState
from tests.appointments.chat import hear, run, said
from tests.appointments.making import Practice
from tests.appointments.pages import at_desk, booked
from tests.messaging.sending.fakes import FakeChannel

A_PAGE = 12
WROTE = "ok but maybe 15 min late?"


@pytest.fixture
def desk(speaking: Practice) -> Client:
    return at_desk(speaking.clinic)


@pytest.fixture
def ana(speaking: Practice) -> Contact:
    """Her number, from which she wrote something that we do not understand, about a visit."""
    booked(speaking)
    run(now=clock.now())
    hear(speaking.clinic, now=clock.now(), text=WROTE)
    run(now=clock.now())
    return contact_of(speaking)


def contact_of(practice: Practice) -> Contact:
    return Contact.objects.for_clinic(practice.clinic).get(address="+34612345678")


def words_of(answer: object) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))  # type: ignore[attr-defined]


def show(desk: Client, name: str = "inbox", *args: object, **query: object) -> str:
    answer = desk.get(reverse(name, args=args or None, query=query or None))
    assert answer.status_code == 200
    return words_of(answer)


def form_of(desk: Client, contact: Contact) -> dict[str, str]:
    page = desk.get(reverse("inbox-talk", args=[contact.pk])).content.decode()
    return {name: re.search(rf'name="{name}" value="([^"]*)"', page)[1] for name in ("token", "seen")}  # type: ignore[index]


def answer(desk: Client, contact: Contact, text: str, **rest: str) -> object:
    given = {**form_of(desk, contact), "text": text, **rest}
    return desk.post(reverse("inbox-answer", args=[contact.pk]), given)


def done(desk: Client, contact: Contact) -> object:
    page = desk.get(reverse("inbox-talk", args=[contact.pk])).content.decode()
    given = {name: re.search(rf'name="{name}" value="([^"]*)"', page)[1] for name in ("seen", "tasks")}  # type: ignore[index]
    return desk.post(reverse("inbox-done", args=[contact.pk]), given)


def open_tasks(practice: Practice) -> list[str]:
    tasks = StaffTask.objects.for_clinic(practice.clinic).filter(state=TaskState.OPEN)
    return sorted(tasks.values_list("reason", flat=True))


def test_who_wrote_stands_in_the_list_with_why_and_the_visit(desk: Client, ana: Contact) -> None:
    text = show(desk)

    assert "Needs a person" in text and "Ana Núñez" in text
    assert WROTE in text and "not clear" in text
    assert "10:30" in text
    assert reverse("inbox-talk", args=[ana.pk]) in desk.get(reverse("inbox")).content.decode()


def test_a_conversation_shows_what_was_said_in_order_with_its_visit(desk: Client, ana: Contact) -> None:
    text = show(desk, "inbox-talk", ana.pk)

    assert text.index("Visit booked") < text.index(WROTE) < text.index("A message that we did not understand")
    assert "Nothing was changed by it" in text
    assert "Free text until" in text and "left; then template only" in text
    beside = show(desk, "inbox-beside", ana.pk)
    assert "10:30" in beside and "Confirmed by phone" in beside and "Move" in beside and "Cancel" in beside


def test_an_answer_goes_as_written_once_and_ends_what_waited(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    form = {**form_of(desk, ana), "text": "No pasa nada, Ana.\r\nLe esperamos."}
    first = desk.post(reverse("inbox-answer", args=[ana.pk]), form)
    again = desk.post(reverse("inbox-answer", args=[ana.pk]), form)
    run(now=clock.now())

    assert first.status_code == again.status_code == 302
    assert [text for text in said(channel) if "Le esperamos" in text] == ["No pasa nada, Ana.\nLe esperamos."]
    assert open_tasks(speaking) == []
    page = show(desk, "inbox-talk", ana.pk)
    assert "Le esperamos." in page and "done by" in page
