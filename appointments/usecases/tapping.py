"""Taps on the buttons and rows of our messages. A tap carries its message and so the visits, and the version it spoke of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from uuid import UUID

from appointments.chat_actions import CANCEL, CHANGE, CONFIRM, Act, PickedSlot, read_act, read_more, read_slot
from appointments.errors import (
    ChangedMeanwhileError,
    ClinicClosedError,
    NotAtThisClinicError,
    OutsideHoursError,
    ServiceNotGivenError,
    SlotInPastError,
    SlotTakenError,
    TimeInGapError,
)
from appointments.models import Appointment, ChangeKind
from appointments.queries.answers import state_text
from appointments.queries.answers_of_several import CANCELLED_SEVERAL, CONFIRMED_SEVERAL, STATE_OF_SEVERAL
from appointments.queries.free_slots import SlotWish, find_free_slots
from appointments.queries.talk import RELATED, AskedVisit, asked_of
from appointments.slots import Slot, slot_of
from appointments.usecases.booking import cancel_appointment, confirm_appointment, reschedule_appointment
from appointments.usecases.history import record_change
from appointments.usecases.integrity import lock_in_order
from appointments.usecases.replying import reply_about
from clinicbot.actors import Actor
from messaging.contracts import InboundFact, QueuedMessage
from messaging.usecases.answers import note_answer

CANNOT_GO_THERE = (
    SlotTakenError,
    SlotInPastError,
    ClinicClosedError,
    OutsideHoursError,
    TimeInGapError,
    NotAtThisClinicError,
    ServiceNotGivenError,
    ChangedMeanwhileError,
)

TIMES_OF_A_DAY = 200


def follow_tap(fact: InboundFact, message: QueuedMessage, *, now: datetime) -> str | None:
    """Do what was tapped to those visits that still stand as the message said; else answer with how they stand.

    Returns the word for what was done, or None when the tap names nothing that we know.
    """
    tapped = read_act(fact.action)
    asked = _tapped_visits(fact, message, tapped=tapped)
    if not asked:
        return None
    if not any(one.stands(now=now) for one in asked):
        return tell_state(fact, visits=[one.visit for one in asked], now=now)
    if tapped is None:
        return _follow_time(fact, visit=asked[0].visit, now=now)
    _note_what_was_picked(fact, message, now=now)
    return follow_act(fact, tapped, asked=asked, about=message, now=now)


def follow_act(
    fact: InboundFact, tapped: Act, *, asked: Sequence[AskedVisit], about: QueuedMessage | None, now: datetime
) -> str:
    """At least one of the visits stands. A wish about several that does not say which is asked back; so is a cancellation where
    one alone is left of them: the person may mean the one that is gone.

    about: the message that a choice of one of its visits would answer.
    """
    visits = [one.visit for one in asked if one.stands(now=now)]
    if tapped.act == CONFIRM:
        return confirm(fact, asked=asked, now=now)
    if tapped.act == CANCEL and (tapped.is_all or len(asked) == 1):
        return _cancel(fact, asked=asked, now=now)
    if len(visits) > 1:
        return ask_which(fact, act=tapped.act, visits=visits, about=about, now=now)
    if tapped.act == CHANGE:
        return offer_times(fact, visit=visits[0], now=now)
    return offer_acts(fact, visit=visits[0], now=now)


def confirm(fact: InboundFact, *, asked: Sequence[AskedVisit], now: datetime) -> str:
    """The patients of those that still stand come. The others stay as they are, and the answer says how."""
    held = _held(asked)
    coming = [one for one in held if one.stands(now=now)]
    if not coming:
        return tell_state(fact, visits=[one.visit for one in held], now=now)
    for one in coming:
        confirm_appointment(
            one.visit.clinic,
            appointment_id=one.visit.pk,
            actor=Actor.patient(one.visit.patient_id),
            notice_version=one.version,
            inbound_id=fact.inbound_id,
            now=now,
        )
    text = "answer_confirmed" if len(held) == 1 else CONFIRMED_SEVERAL
    reply_about(fact, text=text, visits=[one.visit for one in held], done=_ids(coming), now=now)
    return _outcome("confirmed", done=len(coming), asked=len(held))


def ask_which(
    fact: InboundFact, *, act: str, visits: Sequence[Appointment], about: QueuedMessage | None = None, now: datetime
) -> str:
    """A list of these; what a row does to its visit is `act`."""
    text = {CHANGE: "answer_which_change", CANCEL: "answer_which_cancel"}.get(act, "answer_which")
    params = {"act": act, "about": about.message_id.hex} if about else {"act": act}
    reply_about(fact, text=text, visits=visits, now=now, **params)
    return "asked_which"


def offer_acts(fact: InboundFact, *, visit: Appointment, now: datetime) -> str:
    """How it stands, and the buttons: nothing is changed before one is tapped."""
    reply_about(fact, text="answer_choose_act", visits=[visit], now=now)
    return "told_state"


def offer_times(
    fact: InboundFact,
    *,
    visit: Appointment,
    now: datetime,
    from_day: date | None = None,
    text: str = "answer_choose_time",
) -> str:
    """A list of free times, as they will be when the answer goes."""
    if from_day is None and text == "answer_choose_time":
        record_change(
            visit,
            kind=ChangeKind.ASKED_TO_MOVE,
            actor=Actor.patient(visit.patient_id),
            inbound_id=fact.inbound_id,
            now=now,
        )
    params = {"from_day": from_day.isoformat()} if from_day else {}
    reply_about(fact, text=text, visits=[visit], now=now, **params)
    return "offered_times"


def tell_state(fact: InboundFact, *, visits: Sequence[Appointment], now: datetime) -> str:
    """Change nothing; say how they stand."""
    text = state_text(visits[0], now=now) if len(visits) == 1 else STATE_OF_SEVERAL
    reply_about(fact, text=text, visits=visits, now=now)
    return "told_state"


def _tapped_visits(fact: InboundFact, message: QueuedMessage, *, tapped: Act | None) -> list[AskedVisit]:
    """Of a row of a list the row's own. Only what the message spoke of can be tapped, whatever an action names."""
    asked = asked_of(fact, message)
    if tapped is None or tapped.visit_id is None:
        return asked
    return [one for one in asked if one.visit.pk == tapped.visit_id]


def _note_what_was_picked(fact: InboundFact, message: QueuedMessage, *, now: datetime) -> None:
    """The message that the list was about is answered by the choice: what it means for which visit is known from now on."""
    about = message.params.get("about")
    if about:
        note_answer(fact.clinic_id, message_id=UUID(hex=str(about)), action=fact.action, now=now)


def _held(asked: Sequence[AskedVisit]) -> list[AskedVisit]:
    """As they are once nobody else can change them: their practitioners and rooms are locked in one order, then they are read."""
    clinic = asked[0].visit.clinic
    lock_in_order(clinic, slots=[slot_of(one.visit) for one in asked])
    found = Appointment.objects.for_clinic(clinic).filter(pk__in=[one.visit.pk for one in asked])
    fresh = {visit.pk: visit for visit in found.select_related(*RELATED)}
    return [replace(one, visit=fresh[one.visit.pk]) for one in asked]


def _ids(asked: Sequence[AskedVisit]) -> list[int]:
    return [one.visit.pk for one in asked]


def _outcome(word: str, *, done: int, asked: int) -> str:
    """ "confirmed", "confirmed_several", or "confirmed_some" where others no longer stood."""
    if asked == 1:
        return word
    return f"{word}_several" if done == asked else f"{word}_some"


def _follow_time(fact: InboundFact, *, visit: Appointment, now: datetime) -> str | None:
    """A row of a list of free times."""
    if (picked := read_slot(fact.action)) is not None:
        return _move(fact, visit=visit, picked=picked, now=now)
    if (from_day := read_more(fact.action)) is not None:
        return offer_times(fact, visit=visit, from_day=from_day, now=now)
    return None


def _cancel(fact: InboundFact, *, asked: Sequence[AskedVisit], now: datetime) -> str:
    held = _held(asked)
    going = [one for one in held if one.stands(now=now)]
    if not going:
        return tell_state(fact, visits=[one.visit for one in held], now=now)
    cancelled = {
        one.visit.pk: cancel_appointment(
            one.visit.clinic,
            appointment_id=one.visit.pk,
            actor=Actor.patient(one.visit.patient_id),
            inbound_id=fact.inbound_id,
            now=now,
        )
        for one in going
    }
    spoken_of = held if len(going) > 1 else going
    text = "answer_cancelled" if len(spoken_of) == 1 else CANCELLED_SEVERAL
    visits = [cancelled.get(one.visit.pk, one.visit) for one in spoken_of]
    reply_about(fact, text=text, visits=visits, done=_ids(going), now=now)
    return _outcome("cancelled", done=len(going), asked=len(spoken_of))


def _move(fact: InboundFact, *, visit: Appointment, picked: PickedSlot, now: datetime) -> str:
    slot = _slot_of(visit, picked=picked, now=now)
    try:
        moved = reschedule_appointment(
            visit.clinic,
            appointment_id=visit.pk,
            slot=slot,
            actor=Actor.patient(visit.patient_id),
            inbound_id=fact.inbound_id,
            now=now,
        )
    except CANNOT_GO_THERE:
        offer_times(fact, visit=visit, text="answer_slot_taken", now=now)
        return "slot_taken"
    reply_about(fact, text="answer_moved", visits=[moved], now=now)
    return "moved"


def _slot_of(visit: Appointment, *, picked: PickedSlot, now: datetime) -> Slot:
    """The picked time in a room that is free then; if none is, in the visit's own, and the database says no."""
    service = visit.service
    wanted = Slot(
        practitioner_id=picked.practitioner_id,
        room_id=visit.room_id,
        local_date=picked.local_date,
        local_time=picked.local_time,
        zone=visit.clinic.zone,
        duration_minutes=service.duration_minutes,
        buffer_before_minutes=service.buffer_before_minutes,
        buffer_after_minutes=service.buffer_after_minutes,
    )
    wish = SlotWish(
        service=service,
        from_day=picked.local_date,
        days=1,
        practitioner_id=picked.practitioner_id,
        without_visit_id=visit.pk,
    )
    free = find_free_slots(visit.clinic, wish=wish, now=now, limit=TIMES_OF_A_DAY)
    rooms = [one.slot.room_id for one in free if one.slot.local_time == picked.local_time]
    return replace(wanted, room_id=rooms[0]) if rooms else wanted
