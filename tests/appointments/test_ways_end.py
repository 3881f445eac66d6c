"""Numbers of a patient: which is tried first, whose each is, and one that is not used any more; guardians set, changed, ended."""

from __future__ import annotations

from datetime import datetime, time, timedelta

import pytest
from django.urls import reverse

from appointments.errors import (
    GuardianCircleError,
    GuardianMissingError,
    NotAtThisClinicError,
    WayNotFoundError,
)
from appointments.message_names import ANSWER
from appointments.models import EndedWay, EndReason, Patient, PatientContact
from appointments.models.people import ContactRole
from appointments.queries.reach import short_numbers
from appointments.queries.rule_effects import RuleWish
from appointments.usecases.guardians import set_guardian
from appointments.usecases.people import add_way_to_reach, keep_guardian_out
from appointments.usecases.reaching import end_way, say_whose, try_first
from appointments.usecases.rules import add_rule
from clinicbot import clock
from clinicbot.models import AuditEntry, Role
from messaging.channels.base import Verdict
from messaging.contracts import Category, TaskReason
from messaging.models import InboundState, Message, MessageState, StaffTask
from tests.appointments.chat import run
from tests.appointments.household import EVE, LATER, TUESDAY, tap
from tests.appointments.making import DESK, Practice
from tests.appointments.pages import at_desk, booked
from tests.canary import values
from tests.factories import ClinicFactory
from tests.messaging.sending.fakes import FakeChannel, refused

ANAS, NEW = "+34612345678", "+34612999000"


@pytest.fixture
def leo(speaking: Practice, now: datetime) -> Patient:
    """Ana's child, on her phone."""
    return speaking.add("Leo Ruiz", phone=values.ANA_TYPED, guardian=speaking.ana, now=now)


def give(practice: Practice, patient: Patient, phone: str = NEW) -> int:
    link = add_way_to_reach(
        practice.clinic, patient=patient, phone=phone, agreed_to=[Category.VISITS], actor=DESK, now=clock.now()
    )
    return link.contact_id


def ways(patient: Patient) -> list[PatientContact]:
    return list(PatientContact.objects.for_clinic(patient.clinic_id).filter(patient=patient).order_by("rank"))


def end(practice: Practice, patient: Patient, contact_id: int, reason: EndReason = EndReason.CHANGED) -> None:
    end_way(practice.clinic, patient_id=patient.pk, contact_id=contact_id, reason=reason, actor=DESK, now=clock.now())


def guard(practice: Practice, patient: Patient, guardian: Patient | None, *, at_guardians: bool = True) -> None:
    set_guardian(
        practice.clinic,
        patient_id=patient.pk,
        guardian_id=guardian.pk if guardian else None,
        at_guardians=at_guardians,
        actor=DESK,
        now=clock.now(),
    )
    patient.refresh_from_db()


def queued_reminder(practice: Practice, channel: FakeChannel, now: datetime) -> None:
    """Ana's reminder was refused for a moment, and waits."""
    add_rule(practice.clinic, wish=RuleWish(days_before=1, at_time=time(10)), now=now)
    practice.book(now=now, day=TUESDAY)
    run(now=now)
    channel.script = [refused(Verdict.RETRY)]
    run(now=EVE)
    channel.calls.clear()


def test_what_waits_for_an_ended_number_goes_to_the_other(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    queued_reminder(speaking, channel, now)
    give(speaking, speaking.ana)

    end(speaking, speaking.ana, ways(speaking.ana)[0].contact_id)
    run(now=LATER)

    assert [call.phone for call in channel.calls] == [NEW]
    assert [way.rank for way in ways(speaking.ana)] == [1]


def test_what_waits_for_the_only_number_becomes_a_task_and_the_number_stays_known(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    queued_reminder(speaking, channel, now)
    (way,) = ways(speaking.ana)

    end(speaking, speaking.ana, way.contact_id)
    run(now=LATER)

    assert channel.calls == []
    (task,) = StaffTask.objects.for_clinic(speaking.clinic)
    assert (task.reason, task.person_id) == (TaskReason.NO_REACHABLE_CONTACT, speaking.ana.pk)
    (ended,) = EndedWay.objects.for_clinic(speaking.clinic)
    assert (ended.contact_id, ended.tail, ended.reason) == (way.contact_id, "5678", EndReason.CHANGED)
    assert short_numbers(speaking.clinic.pk, [way.contact_id]) == {way.contact_id: "*** 5678"}
    assert AuditEntry.objects.filter(clinic=speaking.clinic, action="patient.way_ended").count() == 1


def test_nobody_answers_from_an_ended_number_and_an_answer_does_not_go_there_any_more(
    speaking: Practice, channel: FakeChannel, now: datetime
) -> None:
    visit = speaking.book(now=now, day=TUESDAY)
    run(now=now)
    notice = Message.objects.for_clinic(speaking.clinic).get()
    channel.script = [refused(Verdict.RETRY)]
    assert tap(speaking, "change", notice, now=now).state == InboundState.ANSWERED
    count = len(channel.calls)

    end(speaking, speaking.ana, ways(speaking.ana)[0].contact_id, EndReason.NOT_THEIRS)
    run(now=now + timedelta(minutes=10))
    tap(speaking, "cancel", notice, now=now + timedelta(minutes=20))

    answer = Message.objects.for_clinic(speaking.clinic).filter(kind=ANSWER).earliest("pk")
    assert (answer.state, answer.reason) == (MessageState.SKIPPED, "not_at_that_number")
    token = visit.link_token
    visit.refresh_from_db()
    assert visit.is_live
    assert visit.link_token != token
    assert len(channel.calls) <= count + 1  # Who cancels from there is told that nobody knows them.


def test_a_number_that_changed_leaves_the_links_as_they_are(speaking: Practice, now: datetime) -> None:
    visit = speaking.book(now=now, day=TUESDAY)

    end(speaking, speaking.ana, ways(speaking.ana)[0].contact_id)

    token = visit.link_token
    visit.refresh_from_db()
    assert visit.link_token == token


def test_a_guardians_ended_number_is_not_used_for_the_children_either_and_they_follow_to_the_other(
    speaking: Practice, leo: Patient
) -> None:
    new = give(speaking, speaking.ana)

    end(speaking, speaking.ana, ways(leo)[0].contact_id)

    assert [(way.contact_id, way.role) for way in ways(leo)] == [(new, ContactRole.GUARDIAN)]


def test_the_order_and_whose_a_number_is(speaking: Practice, leo: Patient) -> None:
    old, new = ways(leo)[0].contact_id, give(speaking, leo)

    try_first(speaking.clinic, patient_id=leo.pk, contact_id=new, actor=DESK, now=clock.now())
    say_whose(speaking.clinic, patient_id=leo.pk, contact_id=old, role=ContactRole.OWN, actor=DESK, now=clock.now())

    assert [(way.contact_id, way.rank, way.role) for way in ways(leo)] == [(new, 1, "own"), (old, 2, "own")]
    with pytest.raises(GuardianMissingError):
        say_whose(
            speaking.clinic,
            patient_id=speaking.ana.pk,
            contact_id=old,
            role=ContactRole.GUARDIAN,
            actor=DESK,
            now=clock.now(),
        )
    with pytest.raises(WayNotFoundError):
        end(speaking, speaking.ana, new)


def test_another_guardian_takes_over_and_the_one_before_holds_no_link_any_more(
    speaking: Practice, leo: Patient, now: datetime
) -> None:
    father = speaking.add("Iván Ruiz", phone=NEW, now=now)
    visit = speaking.book(now=now, day=TUESDAY, patient=leo)

    guard(speaking, leo, father)

    (way,) = ways(leo)
    assert (way.tail, way.role, leo.guardian_id) == ("9000", ContactRole.GUARDIAN, father.pk)
    token = visit.link_token
    visit.refresh_from_db()
    assert visit.link_token != token

    guard(speaking, leo, None)
    assert (ways(leo), leo.guardian_id) == ([], None)


def test_who_kept_the_guardian_out_does_not_fall_back_to_the_shared_phone(speaking: Practice, leo: Patient) -> None:
    (way,) = ways(leo)
    say_whose(
        speaking.clinic,
        patient_id=leo.pk,
        contact_id=way.contact_id,
        role=ContactRole.OWN,
        actor=DESK,
        now=clock.now(),
    )
    keep_guardian_out(speaking.clinic, patient_id=leo.pk, is_kept_out=True, actor=DESK, now=clock.now())

    guard(speaking, leo, None)

    assert (ways(leo), leo.is_guardian_kept_out) == ([], False)


def test_nobody_is_their_own_guardian_however_far_off_nor_another_clinics(
    speaking: Practice, leo: Patient, now: datetime
) -> None:
    eva = speaking.add("Eva Ruiz", guardian=leo, now=now)
    stranger = Patient.objects.create(
        clinic=ClinicFactory.create(), full_name="X", search_key="x", language="es", created_at=now
    )

    for guardian in (speaking.ana, eva):
        with pytest.raises(GuardianCircleError):
            guard(speaking, speaking.ana, guardian)
    with pytest.raises(NotAtThisClinicError):
        guard(speaking, leo, stranger)


def test_the_page_does_all_of_it(speaking: Practice, leo: Patient) -> None:
    desk, new = at_desk(speaking.clinic), give(speaking, leo)
    old = next(way.contact_id for way in ways(leo) if way.contact_id != new)
    address = reverse("patient", args=[leo.pk])

    text = desk.get(address).content.decode()
    assert "Try first" in text and "It is their own" in text
    assert desk.post(reverse("patient-way-first", args=[leo.pk, new])).status_code == 302
    assert desk.post(reverse("patient-way-whose", args=[leo.pk, old]), {"role": "own"}).status_code == 302
    ending = reverse("patient-way-end", args=[leo.pk, old])
    assert "Messages that wait go to *** 9000." in desk.get(ending).content.decode()
    assert desk.post(ending, {}).status_code == 400
    assert desk.post(ending, {"reason": "changed"}).status_code == 302
    assert desk.post(reverse("patient-note", args=[leo.pk]), {"note": "Needs the lift"}).status_code == 302

    text = desk.get(address).content.decode()
    assert "not used any more" in text and "Needs the lift" in text
    assert "It is the guardian&#x27;s" in text or "It is the guardian's" in text


def test_the_page_sets_changes_and_ends_a_guardian(speaking: Practice, now: datetime) -> None:
    desk, leo = at_desk(speaking.clinic), speaking.add("Leo Ruiz", now=now)
    address = reverse("patient-guardian-choose", args=[leo.pk])

    assert speaking.ana.full_name in desk.get(address, {"q": speaking.ana.full_name[:4]}).content.decode()
    assert desk.post(address, {}).status_code == 400
    assert desk.post(address, {"guardian": leo.pk}).status_code == 400
    assert desk.post(address, {"guardian": speaking.ana.pk, "at_guardians": "on"}).status_code == 302
    leo.refresh_from_db()
    assert (leo.guardian_id, len(ways(leo))) == (speaking.ana.pk, 1)
    assert desk.post(address, {"end": "yes"}).status_code == 302
    leo.refresh_from_db()
    assert (leo.guardian_id, ways(leo)) == (None, [])


def test_a_practitioner_changes_none_of_it(speaking: Practice, leo: Patient) -> None:
    booked(speaking)
    client, (way,) = at_desk(speaking.clinic, role=Role.PRACTITIONER), ways(leo)

    for name, args in (
        ("patient-way-first", [leo.pk, way.contact_id]),
        ("patient-way-whose", [leo.pk, way.contact_id]),
        ("patient-way-end", [leo.pk, way.contact_id]),
        ("patient-guardian-choose", [leo.pk]),
        ("patient-note", [leo.pk]),
    ):
        assert client.post(reverse(name, args=args)).status_code == 403
    assert client.get(reverse("patient", args=[leo.pk])).status_code == 200
