"""The inbox as the desk works through it: what needs a person first, and nothing falls out."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from appointments.message_names import ANSWER_WAITS
from appointments.models import Appointment, AppointmentStatus
from appointments.queries.desk_tasks import desk_tasks
from appointments.queries.inbox_list import InboxWish, inbox_of
from clinicbot import clock
from clinicbot.batches import Chunk
from clinicbot.models import AuditEntry, Role
from clinicbot.ticks import Deadline
from messaging.bulk_acts import resend
from messaging.contracts import Category, ConsentSource, Person, TaskReason
from messaging.errors import WrittenByHandError
from messaging.message_names import WRITTEN_ANSWER
from messaging.models import (
    Contact,
    Conversation,
    InboundMessage,
    Message,
    MessageState,
    MessageTemplate,
    SavedText,
    StaffTask,
    TaskState,
)
from messaging.queries.tasks import count_waiting
from messaging.usecases.consents import withdraw
from messaging.usecases.looking_again import look_at_held
from messaging.usecases.sending import cancel_messages, send_again
from messaging.usecases.switches import throw_switch
from messaging.usecases.tasks import open_task
from scheduler.models import TickRun
from tests.appointments.chat import hear, run, said
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, booked
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.rows import make_contact
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


def words_of(answer: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode())))


def show(desk: Client, name: str = "inbox", *args: object, **query: object) -> str:
    answer = desk.get(reverse(name, args=args or None, query=query or None))
    assert answer.status_code == 200
    return words_of(answer)


def fields(page: str, *names: str) -> dict[str, str]:
    found = {name: re.search(rf'name="{name}" value="([^"]*)"', page) for name in names}
    return {name: match[1] for name, match in found.items() if match}


def form_of(desk: Client, contact: Contact) -> dict[str, str]:
    return fields(desk.get(reverse("inbox-talk", args=[contact.pk])).content.decode(), "token", "seen")


def answer(desk: Client, contact: Contact, text: str, **rest: str) -> Any:
    given = {**form_of(desk, contact), "text": text, **rest}
    return desk.post(reverse("inbox-answer", args=[contact.pk]), given)


def done(desk: Client, contact: Contact) -> Any:
    page = desk.get(reverse("inbox-talk", args=[contact.pk])).content.decode()
    return desk.post(reverse("inbox-done", args=[contact.pk]), fields(page, "seen", "tasks"))


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


def test_two_people_at_once_the_second_sees_the_first_answer_before_sending(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    drawn = form_of(desk, ana)
    marta = MembershipFactory.create(clinic=speaking.clinic, role=Role.FRONT_DESK, user__first_name="Marta").user
    other = Client(headers={"accept-language": "en"})
    other.force_login(marta, backend="clinicbot.auth.ClinicRoleBackend")
    answer(other, ana, "I told her")

    refused = desk.post(reverse("inbox-answer", args=[ana.pk]), {**drawn, "text": "So did I"})

    assert refused.status_code == 409
    page = refused.content.decode()
    assert "answered a moment ago." in page and "Marta" in page
    assert "I told her" in page and "So did I</textarea>" in page
    again = fields(page, "token", "seen")
    assert desk.post(reverse("inbox-answer", args=[ana.pk]), {**again, "text": "So did I"}).status_code == 302
    for wait in (0, 3):  # One after the other.
        run(now=clock.now() + timedelta(seconds=wait))
    assert [text for text in said(channel) if text in ("I told her", "So did I")] == ["I told her", "So did I"]


@pytest.mark.parametrize("state", [MessageState.QUEUED, MessageState.HELD, MessageState.SENDING])
def test_answers_to_one_person_are_read_in_the_order_in_which_they_were_written(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel, state: MessageState
) -> None:
    other = make_contact(speaking.clinic, now=clock.now(), address="+34699000003")
    hear(speaking.clinic, now=clock.now(), contact=other)
    for contact, text in ((ana, "First"), (ana, "Second"), (other, "Elsewhere")):
        assert answer(desk, contact, text).status_code == 302
    first = Message.objects.for_clinic(speaking.clinic).filter(kind=WRITTEN_ANSWER).order_by("pk")[:1].get()
    later = clock.now() + timedelta(minutes=5)  # As after a try that did not get through.
    Message.objects.for_clinic(speaking.clinic).filter(pk=first.pk).update(
        state=state, due_at=later, leased_until=clock.real() + timedelta(minutes=5) if state == "sending" else None
    )

    run(now=clock.now())

    assert [text for text in said(channel) if text in ("First", "Second", "Elsewhere")] == ["Elsewhere"]
    Message.objects.for_clinic(speaking.clinic).filter(pk=first.pk).update(
        state=MessageState.QUEUED, due_at=clock.now(), leased_until=None
    )
    for wait in (0, 3):
        run(now=later + timedelta(seconds=wait))
    assert [text for text in said(channel) if text in ("First", "Second")] == ["First", "Second"]


def test_what_they_write_meanwhile_is_seen_before_an_answer_or_an_end(
    desk: Client, ana: Contact, speaking: Practice
) -> None:
    drawn = form_of(desk, ana)
    page = desk.get(reverse("inbox-talk", args=[ana.pk])).content.decode()
    tasks = fields(page, "tasks")["tasks"]
    hear(speaking.clinic, now=clock.now(), text="and bring my son?")
    run(now=clock.now())

    refused = desk.post(reverse("inbox-answer", args=[ana.pk]), {**drawn, "text": "Fine"})
    desk.post(reverse("inbox-done", args=[ana.pk]), {"seen": drawn["seen"], "tasks": tasks})

    assert "They have written meanwhile." in words_of(refused)
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]
    assert "Something new was said meanwhile." in show(desk)


def test_a_form_that_went_before_loses_no_other_words(desk: Client, ana: Contact, channel: FakeChannel) -> None:
    form = form_of(desk, ana)
    desk.post(reverse("inbox-answer", args=[ana.pk]), {**form, "text": "First"})

    refused = desk.post(reverse("inbox-answer", args=[ana.pk]), {**form, "text": "Second"})

    assert refused.status_code == 409
    assert "Second</textarea>" in refused.content.decode()
    assert form["token"] not in refused.content.decode()


@pytest.mark.parametrize("text", ["", " \u200b\n ", "\u3164"])
def test_nothing_is_sent_where_nothing_is_written(desk: Client, ana: Contact, speaking: Practice, text: str) -> None:
    refused = answer(desk, ana, text)

    assert refused.status_code == 400
    assert "Write something first." in words_of(refused)
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]


def test_what_whatsapp_would_not_take_stays_in_the_box(desk: Client, ana: Contact) -> None:
    refused = answer(desk, ana, "x" * 4097)

    assert refused.status_code == 409
    assert "4,096 characters" in words_of(refused)
    assert "x" * 4097 in refused.content.decode()


def test_what_staff_write_goes_as_it_stands_also_with_braces_and_tags(
    desk: Client, ana: Contact, channel: FakeChannel
) -> None:
    odd = "{{ patient }} <b>hola</b> & \U0001f469\u200d\U0001f467 " + "ü" * 2000

    answer(desk, ana, odd)
    run(now=clock.now())

    assert odd in said(channel)
    assert "&lt;b&gt;hola" in desk.get(reverse("inbox-talk", args=[ana.pk])).content.decode()


def test_done_ends_it_with_undo_and_a_new_word_opens_it_again(desk: Client, ana: Contact, speaking: Practice) -> None:
    ended = done(desk, ana)
    text = show(desk)
    assert ended.headers["Location"] == reverse("inbox")
    assert "Done." in text and "Undo" in text
    assert "Needs a person" not in text.replace("Needs a person:", "")
    assert "Ana Núñez" in show(desk, show="done")

    desk.post(reverse("inbox-reopen", args=[ana.pk]))
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]

    done(desk, ana)
    hear(speaking.clinic, now=clock.now(), text="y otra cosa, puedo ir con mi hijo?")
    run(now=clock.now())
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]
    acts = AuditEntry.objects.filter(clinic=speaking.clinic, subject_type="messaging.conversation")
    assert sorted(acts.values_list("action", flat=True)) == [
        "conversation.finished",
        "conversation.finished",
        "conversation.reopened",
    ]


def test_an_answered_conversation_can_be_left_open(desk: Client, speaking: Practice) -> None:
    contact = contact_of(speaking)

    desk.post(reverse("inbox-reopen", args=[contact.pk]))

    assert open_tasks(speaking) == [TaskReason.LEFT_OPEN]
    assert "left open" in show(desk)


def test_a_conversation_is_given_to_somebody_who_works_here_and_back(
    desk: Client, ana: Contact, speaking: Practice
) -> None:
    marta = MembershipFactory.create(clinic=speaking.clinic, user__first_name="Marta", user__last_name="Sol").user
    stranger = MembershipFactory.create(clinic=ClinicFactory.create()).user
    give = reverse("inbox-assign", args=[ana.pk])

    assert "Marta Sol" in show(desk, "inbox-members", ana.pk)
    desk.post(give, {"to": marta.pk})
    assert "Marta Sol" in show(desk) and "Ana Núñez" not in show(desk, show="unassigned")
    desk.post(give, {"to": stranger.pk})
    assert "does not work at this clinic" in show(desk)
    assert Conversation.objects.for_clinic(speaking.clinic).get().assigned_to_id == marta.pk
    desk.post(f"{give}?to=")
    assert Conversation.objects.for_clinic(speaking.clinic).get().assigned_to_id is None
    assert desk.post(give).status_code == 400


@pytest.mark.parametrize("is_gone", [True, False])
def test_whose_colleague_works_here_no_more_is_unassigned(
    desk: Client, ana: Contact, speaking: Practice, is_gone: bool
) -> None:
    marta = MembershipFactory.create(clinic=speaking.clinic)
    MembershipFactory.create(clinic=ClinicFactory.create(), user=marta.user)
    desk.post(reverse("inbox-assign", args=[ana.pk]), {"to": marta.user.pk})
    assert "Ana Núñez" not in show(desk, show="unassigned")

    if is_gone:
        marta.delete()
    else:
        type(marta.user).objects.filter(pk=marta.user.pk).update(is_active=False)

    assert "Ana Núñez" in show(desk, show="unassigned")


def test_mine_are_those_that_are_mine(desk: Client, ana: Contact, speaking: Practice) -> None:
    me = int(desk.session["_auth_user_id"])
    assert "Ana Núñez" not in show(desk, show="mine")

    desk.post(reverse("inbox-assign", args=[ana.pk]), {"to": me})

    assert "Ana Núñez" in show(desk, show="mine")


def test_unread_is_what_nobody_has_opened_since(desk: Client, ana: Contact, speaking: Practice) -> None:
    assert "New: Ana" in show(desk)
    until = InboundMessage.objects.for_clinic(speaking.clinic).get().received_at

    seen = reverse("inbox-seen", args=[ana.pk])
    assert desk.post(seen, {"until": until.isoformat()}).status_code == 204

    assert "New: Ana" not in show(desk)
    for wrong in ("", "yesterday", "2026-01-01T10:00:00", (until + timedelta(days=1)).isoformat()):
        assert desk.post(seen, {"until": wrong}).status_code == 400


def test_outside_the_window_the_template_is_shown_and_sent(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    wrote(speaking, ana, hours=30)

    page = show(desk, "inbox-talk", ana.pk)
    offer = desk.get(reverse("inbox-offer", args=[ana.pk])).content.decode()
    assert "Only a template now" in page and 'name="text"' not in page
    assert "tenemos una respuesta a su mensaje" in offer
    form = fields(offer, "token", "seen")
    for _click in range(2):
        desk.post(reverse("inbox-ask", args=[ana.pk]), form)
    run(now=clock.now())

    assert [text for text in said(channel) if text.startswith("visit_answer_waits")] == [
        f"visit_answer_waits/es: {speaking.clinic.name}, Ana, {speaking.clinic.phone or 'número de la clínica'}"
    ]
    assert "It was sent already." in show(desk)


def test_two_colleagues_who_ask_them_to_write_send_it_once(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    wrote(speaking, ana, hours=30)
    offer, ask = reverse("inbox-offer", args=[ana.pk]), reverse("inbox-ask", args=[ana.pk])
    both = [desk, at_desk(speaking.clinic)]
    forms = [fields(one.get(offer).content.decode(), "token", "seen") for one in both]
    assert forms[0]["token"] != forms[1]["token"]

    for one, form in zip(both, forms, strict=True):
        one.post(ask, form)
    run(now=clock.now())

    asked = [text for text in said(channel) if text.startswith("visit_answer_waits")]
    assert len(asked) == 1


def test_what_came_to_nothing_can_be_asked_again(desk: Client, ana: Contact, speaking: Practice) -> None:
    wrote(speaking, ana, hours=30)
    offer = desk.get(reverse("inbox-offer", args=[ana.pk])).content.decode()
    form = fields(offer, "token", "seen")
    asked = Message.objects.for_clinic(speaking.clinic).filter(kind=ANSWER_WAITS)

    for generation in (1, 2, 3):
        desk.post(reverse("inbox-ask", args=[ana.pk]), form)
        assert asked.filter(state="queued").get().generation == generation
        asked.filter(state="queued").update(state="failed")


def test_free_text_typed_before_the_window_closed_is_kept(desk: Client, ana: Contact, speaking: Practice) -> None:
    form = form_of(desk, ana)
    wrote(speaking, ana, hours=30)

    refused = desk.post(reverse("inbox-answer", args=[ana.pk]), {**form, "text": "Too late for this"})

    assert refused.status_code == 409
    assert "Too late for this</textarea>" in refused.content.decode()
    assert "takes no free text" in words_of(refused)


def test_where_no_template_can_go_it_says_why_and_whom_to_call(desk: Client, ana: Contact, speaking: Practice) -> None:
    wrote(speaking, ana, hours=30)
    MessageTemplate.objects.for_clinic(speaking.clinic).filter(name="visit_answer_waits").update(status="REJECTED")

    offer = desk.get(reverse("inbox-offer", args=[ana.pk])).content.decode()

    assert "No template can go." in offer and "The template was rejected." in offer
    assert 'href="tel:+34612345678"' in offer


def test_an_answer_held_until_its_window_is_over_asks_whoever_wrote_it(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    throw_switch(speaking.clinic, reason="exercise", actor=DESK, now=clock.now())
    answer(desk, ana, "Fine, come at 11")
    run(now=clock.now())
    assert "Is held: Sending is stopped" in show(desk, "inbox-talk", ana.pk)
    assert open_tasks(speaking) == []

    later = clock.now() + timedelta(days=2)
    look_at_held(real=clock.real(), now=later, deadline=Deadline(60))

    assert "Fine, come at 11" not in said(channel)
    assert open_tasks(speaking) == [TaskReason.NOT_DELIVERED]
    page = show(desk, "inbox-talk", ana.pk)
    assert "Was not sent:" in page and "Write it again" in page
    message = Message.objects.for_clinic(speaking.clinic).get(kind=WRITTEN_ANSWER)
    wrote(speaking, ana, hours=0)
    again = desk.get(reverse("inbox-talk", args=[ana.pk], query={"again": message.pk})).content.decode()
    assert "Fine, come at 11</textarea>" in again


def test_an_answer_that_did_not_go_is_not_sent_again_without_its_words(
    desk: Client, ana: Contact, speaking: Practice
) -> None:
    answer(desk, ana, "Fine, come at 11")
    message = Message.objects.for_clinic(speaking.clinic).get(kind=WRITTEN_ANSWER)
    cancel_messages(speaking.clinic.pk, message_ids=[message.pk], actor=DESK, now=clock.now())
    chunk = Chunk(ids=[str(message.pk)], actor=DESK, reason="once more", now=clock.now())

    with pytest.raises(WrittenByHandError):
        send_again(speaking.clinic.pk, message_id=message.pk, reason="once more", actor=DESK, now=clock.now())

    assert resend(chunk) == 0
    assert Message.objects.for_clinic(speaking.clinic).filter(kind=WRITTEN_ANSWER).count() == 1
    assert open_tasks(speaking) == [TaskReason.NOT_DELIVERED]


def test_an_answer_that_staff_take_back_is_asked_about(desk: Client, ana: Contact, speaking: Practice) -> None:
    answer(desk, ana, "Fine, come at 11")
    message = Message.objects.for_clinic(speaking.clinic).get(kind=WRITTEN_ANSWER)
    assert open_tasks(speaking) == []

    cancel_messages(speaking.clinic.pk, message_ids=[message.pk], actor=DESK, now=clock.now())

    assert open_tasks(speaking) == [TaskReason.NOT_DELIVERED]
    page = show(desk, "inbox-talk", ana.pk)
    assert "Was not sent:" in page and "Write it again" in page


def test_who_wants_no_messages_is_answered_all_the_same_and_staff_are_told(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    withdraw(
        speaking.clinic.pk,
        contact_id=ana.pk,
        categories=list(Category),
        source=ConsentSource.KEYWORD,
        actor=DESK,
        now=clock.now(),
    )

    assert "They want no messages of ours." in show(desk, "inbox-talk", ana.pk)
    answer(desk, ana, "Understood")
    run(now=clock.now())
    assert "Understood" in said(channel)

    wrote(speaking, ana, hours=30)
    assert "No template can go." in show(desk, "inbox-offer", ana.pk)


def test_a_bare_yes_to_what_staff_wrote_confirms_nothing(
    desk: Client, ana: Contact, speaking: Practice, channel: FakeChannel
) -> None:
    answer(desk, ana, "¿Quiere venir a las 17:45?")
    run(now=clock.now())

    hear(speaking.clinic, now=clock.now(), text="sí")
    run(now=clock.now())

    visit = Appointment.objects.for_clinic(speaking.clinic).get()
    assert visit.status == AppointmentStatus.BOOKED
    assert open_tasks(speaking) == [TaskReason.UNCLEAR_ANSWER]
    passed_on = [text for text in said(channel) if "leerá su mensaje" in text]
    assert len(passed_on) == 1  # For the first word; who has been answered by a person knows that somebody reads.


def test_what_is_no_text_is_said_in_words(desk: Client, speaking: Practice) -> None:
    hear(speaking.clinic, now=clock.now(), type="audio")
    run(now=clock.now())

    assert "a recording" in show(desk)
    assert "a recording" in show(desk, "inbox-talk", contact_of(speaking).pk)


def test_on_a_shared_phone_each_message_says_whom_it_concerns(desk: Client, speaking: Practice) -> None:
    leo = speaking.add("Leo Lu", phone="612 345 678", now=clock.now())
    booked(speaking, patient=leo)
    run(now=clock.now())
    hear(speaking.clinic, now=clock.now(), text="para los dos o solo uno?")
    run(now=clock.now())
    contact = contact_of(speaking)

    assert "Ana, Leo" in show(desk)
    page = show(desk, "inbox-talk", contact.pk)
    assert "Leo · " in page and "everybody at this number" in page
    sent = answer(desk, contact, "Solo Leo", about=str(leo.pk))
    assert sent.status_code == 302, words_of(sent)
    written = Message.objects.for_clinic(speaking.clinic).get(kind=WRITTEN_ANSWER)
    assert (written.person_kind, written.person_id) == ("patient", leo.pk)


def test_saved_texts_come_filled_and_without_what_is_not_known(desk: Client, ana: Contact, speaking: Practice) -> None:
    for title, body in (("Hi", "Hola {{ patient }}, el {{ when }}"), ("Odd", "No {{ visits }}")):
        SavedText.objects.create(clinic=speaking.clinic, title=title, language="es", body=body)
    SavedText.objects.create(clinic=speaking.clinic, title="Hello", language="en", body="Hello")
    SavedText.objects.create(clinic=ClinicFactory.create(), title="Theirs", language="es", body="Hola")

    beside = desk.get(reverse("inbox-beside", args=[ana.pk])).content.decode()

    assert 'data-fill="Hola Ana, el ' in beside
    assert not any(word in beside for word in ("Odd", "Hello", "Theirs"))


@pytest.mark.parametrize("text", ["núñ", "nun", "5678", "Ana"])
def test_a_conversation_is_found_by_name_or_number(desk: Client, ana: Contact, speaking: Practice, text: str) -> None:
    done(desk, ana)

    assert "Ana Núñez" in show(desk, "inbox-list", q=text)
    assert "Ana Núñez" not in show(desk, "inbox-list", q="zzz")


def test_nothing_falls_out_each_open_task_waits_in_one_place(desk: Client, ana: Contact, speaking: Practice) -> None:
    for reason in TaskReason:
        open_task(speaking.clinic.pk, reason=reason, unique_key=f"bare:{reason}", now=clock.now())
        open_task(
            speaking.clinic.pk,
            reason=reason,
            unique_key=f"there:{reason}",
            person=Person("contact", ana.pk),
            now=clock.now(),
        )

    tasks = StaffTask.objects.for_clinic(speaking.clinic).filter(state=TaskState.OPEN)
    listed = {task.task.task_id for task in desk_tasks(speaking.clinic)}
    inbox = inbox_of(speaking.clinic, wish=InboxWish(user_id=0), now=clock.now())
    waiting = {task.task_id for row in inbox.waiting for task in row.fact.tasks}
    assert listed & waiting == set()
    assert listed | waiting == set(tasks.values_list("pk", flat=True))
    assert count_waiting(speaking.clinic.pk).total == 1 + len(listed)


def test_whoever_writes_last_of_a_thousand_waits_and_is_reached_by_more(desk: Client, speaking: Practice) -> None:
    now = clock.now()
    clinic = speaking.clinic
    contacts = Contact.objects.bulk_create(
        Contact(clinic=clinic, channel="whatsapp", address=f"+346990{number:05}", created_at=now, last_inbound_at=now)
        for number in range(1_002)
    )
    StaffTask.objects.bulk_create(
        StaffTask(
            clinic=clinic,
            reason=TaskReason.UNCLEAR_ANSWER,
            unique_key=f"k:{contact.pk}",
            contact=contact,
            opened_at=now + timedelta(seconds=number),
        )
        for number, contact in enumerate(contacts)
    )

    assert "952 more" in show(desk, "inbox-list")
    whole = show(desk, "inbox-list", shown=1_050)
    assert "Number ending in 1001" in whole and " more" not in whole
    assert "Answered by themselves" not in whole


def test_whose_visit_is_soonest_comes_first_and_nobodys_last(desk: Client, speaking: Practice) -> None:
    now = clock.now()
    for name, phone, days in (("Late Lu", "622 000 001", 9), ("Soon Sol", "622 000 002", 2)):
        patient = speaking.add(name, phone=phone, now=now)
        booked(speaking, patient=patient, days=days)
        asks(speaking, Contact.objects.for_clinic(speaking.clinic).get(address=f"+34{phone.replace(' ', '')}"))
    asks(speaking, make_contact(speaking.clinic, now=now, address="+34699000003"))

    text = show(desk, "inbox-list")

    assert text.index("Soon Sol") < text.index("Late Lu") < text.index("Number ending in 0003")


def test_practitioners_read_and_do_not_write(ana: Contact, speaking: Practice) -> None:
    client = at_desk(speaking.clinic, role=Role.PRACTITIONER)

    page = client.get(reverse("inbox-talk", args=[ana.pk])).content.decode()
    assert WROTE in page and 'name="text"' not in page and 'name="tasks"' not in page
    for name in ("inbox-answer", "inbox-ask", "inbox-assign", "inbox-done", "inbox-reopen"):
        assert client.post(reverse(name, args=[ana.pk])).status_code == 403


def test_another_clinic_sees_and_does_nothing(ana: Contact, speaking: Practice) -> None:
    client = at_desk(ClinicFactory.create())

    assert "Ana" not in show(client)
    for name in ("inbox-talk", "inbox-live", "inbox-beside", "inbox-offer", "inbox-members"):
        assert client.get(reverse(name, args=[ana.pk])).status_code == 404
    given = {"to": "", "until": "2026-01-01T10:00:00+00:00", "text": "x", "token": str(uuid4()), "seen": "9.9"}
    for name in ("inbox-answer", "inbox-ask", "inbox-assign", "inbox-done", "inbox-reopen", "inbox-seen"):
        assert client.post(reverse(name, args=[ana.pk]), given).status_code == 404
    assert not Conversation.unscoped.exists()


@pytest.mark.parametrize("many", [3, 120])
def test_a_page_asks_the_same_of_the_database_however_many_conversations(
    speaking: Practice, ana: Contact, many: int, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    now = clock.now()
    for number in range(many):
        contact = make_contact(speaking.clinic, now=now, address=f"+346990{number:05}")
        asks(speaking, contact)
    for _word in range(many):
        hear(speaking.clinic, now=now, text="y esto?", contact=ana)
    TickRun.objects.create(started_at=clock.real(), budget_seconds=50, source="cron")  # Silence would be asked about.
    desk = at_desk(speaking.clinic)

    for name, args in (
        ("inbox", ()),
        ("inbox-list", ()),
        ("inbox-talk", (ana.pk,)),
        ("inbox-live", (ana.pk,)),
        ("inbox-beside", (ana.pk,)),
        ("inbox-members", (ana.pk,)),
    ):
        with django_assert_max_num_queries(A_PAGE):
            show(desk, name, *args)
    with django_assert_max_num_queries(A_PAGE):
        show(desk, "inbox", q="ana")


def wrote(practice: Practice, contact: Contact, *, hours: float) -> None:
    """So long ago, the last time."""
    Contact.objects.for_clinic(practice.clinic).filter(pk=contact.pk).update(
        last_inbound_at=clock.now() - timedelta(hours=hours)
    )


def asks(practice: Practice, contact: Contact) -> None:
    """Something that needs a person."""
    inbound = hear(practice.clinic, now=clock.now(), text="?", contact=contact)
    open_task(
        practice.clinic.pk,
        reason=TaskReason.UNKNOWN_PERSON,
        unique_key=f"contact:{contact.pk}",
        inbound_id=inbound.pk,
        now=clock.now(),
    )
