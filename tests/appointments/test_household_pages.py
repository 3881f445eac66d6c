"""What the pages say of each visit when one message, and one answer, was about several."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from appointments.message_names import ANSWER
from appointments.models import Patient
from appointments.queries.day_rows import Row
from appointments.queries.inbox_beside import Beside, beside
from appointments.queries.inbox_list import InboxRow, InboxWish, inbox_of
from appointments.queries.inbox_talk import Bubble, talk_of
from appointments.queries.story_entries import Story
from appointments.queries.today import day_at
from appointments.usecases.booking import confirm_appointment, reschedule_appointment
from appointments.usecases.patient_page import Shown, cancel_shown
from messaging.models import InboundMessage, InboundState
from messaging.queries.chat import find_talk
from messaging.usecases.unanswered import pass_on_unanswered
from tests.appointments.chat import hear, last_message, run
from tests.appointments.household import (
    EVE,
    LATER,
    TUESDAY,
    Pair,
    ask_about_both,
    book_early_and_late,
    bundle,
    tap,
    write,
)
from tests.appointments.making import DESK, Practice
from tests.appointments.test_story import has, told
from tests.canary import values
from tests.messaging.sending.fakes import FakeChannel

AFTER = LATER + timedelta(minutes=5)


@pytest.fixture
def pair(speaking: Practice, now: datetime) -> Pair:
    leo: Patient = speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)
    return ask_about_both(speaking, leo, now=now)


def stories(pair: Pair) -> tuple[Story, Story]:
    return told(pair[0], AFTER), told(pair[1], AFTER)


def rows(practice: Practice) -> list[Row]:
    day = day_at(practice.clinic, day=TUESDAY, now=AFTER)
    return [item for lane in day.lanes for item in lane.items if isinstance(item, Row)]


def waiting(practice: Practice) -> InboxRow:
    (one,) = inbox_of(practice.clinic, wish=InboxWish(user_id=0), now=AFTER).waiting
    return one


def beside_it(practice: Practice) -> Beside:
    head = find_talk(practice.clinic.pk, contact_id=waiting(practice).fact.contact_id, now=AFTER)
    assert head is not None
    return beside(practice.clinic, head=head, now=AFTER)


def left_open(practice: Practice) -> list[str]:
    """What they wrote that needs a person."""
    talk = talk_of(practice.clinic, contact_id=waiting(practice).fact.contact_id, now=AFTER)
    assert talk is not None
    return [one.text for one in talk.items if isinstance(one, Bubble) and one.needs_person]


def test_each_visit_tells_the_message_the_answer_and_what_came_of_it(speaking: Practice, pair: Pair) -> None:
    tap(speaking, "confirm", bundle(speaking))

    for story in stories(pair):
        assert has(story, "1-day reminder")
        assert has(story, "yes", "Somebody at *** 5678 tapped", "confirm")
        assert has(story, "Our answer")
        assert story.hearing.sentence.startswith("Yes, and they said that they come.")


def test_what_a_child_s_visit_became_from_the_guardian_s_phone_is_said_so(speaking: Practice, pair: Pair) -> None:
    tap(speaking, f"cancel:{pair[1].pk}", bundle(speaking))
    tap(speaking, f"cancel:{pair[0].pk}", bundle(speaking))

    of_ana, of_leo = stories(pair)
    assert has(of_leo, "Cancelled", "from Ana's phone")
    assert has(of_ana, "Cancelled", "by Ana")


def test_what_became_of_a_visit_from_a_phone_of_several_or_on_its_page_names_nobody(
    speaking: Practice, now: datetime
) -> None:
    leo = speaking.add("Leo Ruiz", phone=values.ANA_TYPED, now=now)
    pair = ask_about_both(speaking, leo, now=now)

    tap(speaking, f"cancel:{pair[1].pk}", bundle(speaking))
    cancel_shown([Shown(visit=pair[0], notice_version=1)], reason="", now=LATER)

    of_ana, of_leo = stories(pair)
    assert has(of_leo, "Cancelled", "from a phone that several share")
    assert has(of_ana, "Cancelled", "on Ana's page")


def test_one_persons_yes_is_not_anothers(speaking: Practice, pair: Pair) -> None:
    """Leo's visit moved before the tap: the yes on the message was never for where it is now."""
    there = speaking.slot(TUESDAY, pair[1].local_time.replace(hour=16))
    asked = bundle(speaking)
    reschedule_appointment(speaking.clinic, appointment_id=pair[1].pk, slot=there, actor=DESK, now=EVE)
    run(now=EVE)

    tap(speaking, "confirm", asked)

    of_ana, of_leo = stories(pair)
    assert has(of_ana, "yes", "tapped")
    assert not has(of_leo, "yes", "tapped")
    assert "they come" not in of_leo.hearing.sentence
    assert [row.chip for row in rows(speaking)] == ["", "unconfirmed"]


def test_who_was_confirmed_at_the_desk_does_not_confirm_the_other(speaking: Practice, pair: Pair) -> None:
    confirm_appointment(speaking.clinic, appointment_id=pair[0].pk, actor=DESK, now=LATER)

    ana, leo = rows(speaking)

    assert (ana.chip, leo.chip) == ("", "unconfirmed")
    assert "yes" not in leo.marks


def test_a_wish_to_cancel_one_is_a_wish_about_each_until_it_is_said_which(speaking: Practice, pair: Pair) -> None:
    tap(speaking, "cancel", bundle(speaking))
    before = [row.chip for row in rows(speaking)]
    heard = [story.hearing.sentence for story in stories(pair)]

    tap(speaking, f"cancel:{pair[1].pk}", last_message(speaking.clinic, ANSWER))

    assert before == ["change", "change"]
    assert all("which one, they have not said yet" in sentence for sentence in heard)
    (ana,) = rows(speaking)
    assert ana.chip == "unconfirmed"
    assert "want to cancel" not in told(pair[0], AFTER).hearing.sentence
    assert has(told(pair[1], AFTER), "cancel", "tapped")


def test_a_visit_that_the_message_left_out_did_not_hear_of_it(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    """The first try failed; when it went at last, Leo's visit was too near."""
    leo = speaking.add("Leo Ruiz", phone=values.ANA_TYPED, now=now)
    early, _late = book_early_and_late(speaking, leo, channel, now=now)

    assert has(told(early, AFTER), "skipped", "1-day reminder", "it spoke only of the other visits")


def test_a_task_about_a_message_names_everybody_it_was_about_and_stands_on_each_page(
    speaking: Practice, pair: Pair
) -> None:
    write(speaking, "sí pero Leo no puede", answers=bundle(speaking))

    assert [person.first_name for person in waiting(speaking).people] == ["Ana", "Leo"]
    assert {card.visit.pk for card in beside_it(speaking).cards} == {visit.pk for visit in pair}
    assert all(has(story, "circle-help", "A message that we did not understand") for story in stories(pair))
    assert all("person" in row.flags for row in rows(speaking))


def test_a_task_shows_all_that_was_written_while_it_is_open(speaking: Practice, pair: Pair) -> None:
    for words in ("quién es?", "llego tarde", "10 minutos"):
        write(speaking, words)

    assert left_open(speaking) == ["quién es?", "llego tarde", "10 minutos"]


def test_a_wrong_number_names_everybody_who_was_to_be_reached_there(speaking: Practice, pair: Pair) -> None:
    write(speaking, "número equivocado", answers=bundle(speaking))

    assert {person.first_name for person in waiting(speaking).people} == {"Ana", "Leo"}


def test_what_no_handler_ended_is_a_task_that_says_whose_it_may_be(speaking: Practice, pair: Pair) -> None:
    hear(speaking.clinic, text="sí", now=LATER)
    InboundMessage.objects.for_clinic(speaking.clinic).update(state=InboundState.NEW)

    pass_on_unanswered(now=LATER + timedelta(hours=1))

    assert left_open(speaking) == ["sí"]
    assert {person.first_name for person in waiting(speaking).people} == {"Ana", "Leo"}
