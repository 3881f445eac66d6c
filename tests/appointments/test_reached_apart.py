"""A household's message when one of them is reached elsewhere before it goes: each visit is told once, and none is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta

import pytest

from appointments.message_names import REMINDER
from appointments.models import Patient, PatientContact
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.people import add_way_to_reach, link_contact
from appointments.usecases.reminding import plan_clinic_again
from appointments.usecases.rules import add_rule
from clinicbot import clock
from messaging.channels.base import Verdict
from messaging.contracts import Category, TaskReason
from messaging.models import Attempt, AttemptState, Message, MessageSubject, StaffTask
from messaging.usecases.foreseeing import Fate, foresee_waiting
from tests.appointments.chat import run, said
from tests.appointments.household import EVE, MORNING, TUESDAY, tap
from tests.appointments.making import DESK, Practice
from tests.canary import values
from tests.drive import deliver_all_again
from tests.messaging.sending.fakes import FakeChannel, refused

ANAS, NEW, OTHER = "+34612345678", "+34612999000", "+34612777000"
LATER = EVE + timedelta(minutes=10)


@pytest.fixture
def family(speaking: Practice, now: datetime) -> dict[str, Patient]:
    """Ana, Leo and Eva, all on Ana's phone, with a visit each on Tuesday; asked about in one message on the eve."""
    people = {"Ana": speaking.ana}
    for name in ("Leo", "Eva"):
        people[name] = speaking.add(f"{name} Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)
    add_rule(speaking.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    for (_name, one), at in zip(people.items(), (time(9, 30), time(11), time(12)), strict=True):
        speaking.book(now=now, day=TUESDAY, at=at, patient=one)
    run(now=now)
    return people


def links_of(patient: Patient) -> list[PatientContact]:
    return list(PatientContact.objects.for_clinic(patient.clinic_id).filter(patient=patient))


def give_up(practice: Practice, patient: Patient) -> None:
    for link in links_of(patient):
        link.delete()


def give_number(practice: Practice, patient: Patient, phone: str = NEW) -> None:
    give_up(practice, patient)
    add_way_to_reach(
        practice.clinic, patient=patient, phone=phone, agreed_to=[Category.VISITS], actor=DESK, now=clock.now()
    )


def hold_until_changed(practice: Practice, channel: FakeChannel, change: Callable[[], None]) -> None:
    """It is queued and refused for a moment; then somebody changes, and it goes."""
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    channel.calls.clear()
    change()
    for _round in range(3):
        run(now=LATER)


def told(channel: FakeChannel) -> dict[str, list[str]]:
    """By phone, whom the messages there name."""
    found: dict[str, list[str]] = {}
    for call, text in zip(channel.calls, said(channel), strict=True):
        found.setdefault(call.phone, []).append("+".join(name for name in ("Ana", "Leo", "Eva") if f" {name}" in text))
    return found


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        ("Ana", {NEW: ["Ana"], ANAS: ["Leo+Eva"]}),
        ("Leo", {ANAS: ["Ana+Eva"], NEW: ["Leo"]}),
        ("Eva", {ANAS: ["Ana+Leo"], NEW: ["Eva"]}),
    ],
)
def test_who_has_another_number_hears_there_and_the_others_hear_together(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient], who: str, expected: dict[str, list[str]]
) -> None:
    hold_until_changed(speaking, channel, lambda: give_number(speaking, family[who]))

    assert told(channel) == expected
    assert not StaffTask.objects.for_clinic(speaking.clinic).exists()


def test_who_has_another_guardian_is_told_of_at_that_guardians_phone(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient], now: datetime
) -> None:
    father = speaking.add("Iván Ruiz", phone=OTHER, now=now)

    def change_guardian() -> None:
        give_up(speaking, family["Leo"])
        family["Leo"].guardian = father
        family["Leo"].save()
        (link,) = links_of(father)
        link_contact(speaking.clinic, patient=family["Leo"], contact_id=link.contact_id, phone=OTHER)

    hold_until_changed(speaking, channel, change_guardian)

    assert told(channel) == {ANAS: ["Ana+Eva"], OTHER: ["Leo"]}


def test_two_who_leave_together_hear_together(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    def leave() -> None:
        give_number(speaking, family["Leo"])
        give_number(speaking, family["Eva"])

    hold_until_changed(speaking, channel, leave)

    assert told(channel) == {ANAS: ["Ana"], NEW: ["Leo+Eva"]}


def test_who_is_left_without_a_number_is_a_task_and_the_others_hear(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    hold_until_changed(speaking, channel, lambda: give_up(speaking, family["Leo"]))

    assert told(channel) == {ANAS: ["Ana+Eva"]}
    (task,) = StaffTask.objects.for_clinic(speaking.clinic)
    assert (task.reason, task.person_id) == (TaskReason.NO_REACHABLE_CONTACT, family["Leo"].pk)


def test_however_often_it_is_looked_at_each_visit_is_told_once(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    """The keys go along with the visits: events, jobs and rounds again say nothing again."""
    hold_until_changed(speaking, channel, lambda: give_number(speaking, family["Leo"]))
    count = len(channel.calls)

    give_number(speaking, family["Eva"], phone=OTHER)
    deliver_all_again(now=LATER)
    plan_clinic_again(speaking.clinic.pk, now=EVE - timedelta(minutes=5))  # The jobs are there once more.
    run(now=MORNING)

    assert len(channel.calls) == count
    keys = MessageSubject.objects.for_clinic(speaking.clinic).filter(kind=REMINDER)
    assert sorted(keys.values_list("person_id", flat=True)) == sorted(one.pk for one in family.values())


def test_a_yes_of_the_one_is_none_of_the_other(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    hold_until_changed(speaking, channel, lambda: give_number(speaking, family["Leo"]))
    (anas,) = Message.objects.for_clinic(speaking.clinic).filter(kind=REMINDER, person_id=speaking.ana.pk)

    tap(speaking, "confirm", anas, now=LATER)

    confirmed = {visit.patient_id for one in family.values() for visit in one.visits.filter(status="confirmed")}
    assert confirmed == {family["Ana"].pk, family["Eva"].pk}


def test_a_message_in_doubt_goes_once_more_in_parts_that_say_so(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    message = Message.objects.for_clinic(speaking.clinic).filter(kind=REMINDER).get()
    Attempt.objects.for_clinic(speaking.clinic).filter(message=message).update(state=AttemptState.UNKNOWN)
    give_number(speaking, family["Leo"])

    run(now=LATER)
    run(now=LATER)

    attempts = Attempt.objects.for_clinic(speaking.clinic).filter(message__kind=REMINDER, state=AttemptState.ACCEPTED)
    assert [one.possibly_twice for one in attempts] == [True, True]
    assert set(
        Message.objects.for_clinic(speaking.clinic).filter(kind=REMINDER).values_list("was_sent_once_more", flat=True)
    ) == {True}


def test_a_forecast_says_that_it_will_go_as_several(
    speaking: Practice, channel: FakeChannel, family: dict[str, Patient]
) -> None:
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    give_number(speaking, family["Leo"])

    (waiting,) = foresee_waiting(speaking.clinic.pk, real=clock.real(), now=LATER)

    assert (waiting.foreseen.fate, waiting.foreseen.reason) == (Fate.DIVIDE, "apart")
