"""Stable words of this house as sentences for staff: why something goes or does not, and what may not be done."""

from __future__ import annotations

from datetime import date, time

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from appointments.errors import ClinicClosedError
from appointments.import_reasons import FILE_ERRORS, sentence_of_import
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from messaging.queries.words import sentence_of_reason

_REASONS = {
    # Why a planned message will not go; queries/plans.py.
    "booked_too_late": _("booked too late for it"),
    "too_close_to_another": _("less than 12 hours from another message"),
    "enough_already": _("three reminders are enough"),
    "not_started": _("the clinic has not started its reminders"),
    # Why a planned or queued message did not go; usecases/reminding.py, queries/notices.py.
    "cancelled": _("the visit was cancelled"),
    "moved": _("the visit moved to another time"),
    "planned_again": _("it is planned for another time now"),
    "quiet_hours": _("it goes at the clinic's next sending hours"),
    "closing": _("it is closed then, and what becomes of the visit is not settled"),
    "closure_settled": _("what becomes of the visits was settled otherwise"),
    "rule_changed": _("the clinic changed its reminders"),
    "rule_off": _("the clinic no longer sends this reminder"),
    "too_late": _("too late to be useful"),
    "past": _("the visit has begun or is over"),
    "visit_gone": _("there is no such visit any more"),
    "overtaken": _("a newer message says more"),
    "never_announced": _("the patient had not heard of the visit"),
    "already_told": _("the patient knows this already"),
    "guardian_kept_out": _("the guardian is not to be notified, and the patient has no number of their own"),
    "not_for_guardian": _("the guardian is not to be notified"),
    "not_at_that_number": _("that number is not used for the patient any more"),
    "answered_already": _("the patient has said yes already"),
    "written_since": _("they have written meanwhile"),
    # Why a job ended or waits, in the scheduler's words.
    "transient": _("something was out of order; it is tried again"),
    "permanent": _("it cannot be done"),
    "rate_limited": _("it waits its turn"),
    "unknown_kind": _("this version does not know such work"),
    "bad_args": _("what it was told cannot be read"),
    "crashed": _("it stopped the program three times"),
    "expired": _("too late to be useful"),
    "superseded": _("newer work took its place"),
    "import_over": _("the import was stopped"),
    "cancelled_by_staff": _("cancelled by staff"),
    "retried_by_staff": _("staff had it tried again"),
}

# Why a visit kept its old time when the clocks' rules changed; untangling.py.
_NEEDS_ANOTHER_TIME = {
    "time_skipped_now": _("The clocks go forward over its time now. Move the visit, and tell the patient."),
    "times_overlap_now": _("It overlaps another visit now. Look at the day, and move one of them."),
}

# What somebody who wants no messages must hear from a person; queries/notices.py.
_TO_CALL_ABOUT = {
    "visit_moved": _("The visit was moved."),
    "visit_reassigned": _("The visit is with another practitioner now."),
    "visit_cancelled_by_clinic": _("The visit was cancelled."),
    "visit_restored": _("The visit stands after all."),
    "visits_moved": _("Several visits were moved."),
    "visits_cancelled_by_clinic": _("Several visits were cancelled."),
    "visits_relocated": _("The clinic has another address."),
    "visits_changed_by_clinic": _("Several visits were moved or cancelled."),
}

# What a handler or a job would have done, where the program gave it up: what is missing now, and what to do.
_NOT_DONE = {
    "appointments.tell_of_booking": _("The message about the booking was not made: call the patient."),
    "appointments.tell_of_move": _("The message about the new time was not made: call the patient."),
    "appointments.tell_of_cancellation": _("The message about the cancellation was not made: call the patient."),
    "appointments.tell_of_restoration": _(
        "The message that the visit stands after all was not made: call the patient."
    ),
    "appointments.tell_of_expiry": _("The message that the held time is free again was not made: call the patient."),
    "appointments.tell_of_clinic_move": _(
        "The messages about the clinic's new address were not made: tell your administrator."
    ),
    "appointments.plan_reminders_of_booking": _("The reminders were not planned: remind the patient yourself."),
    "appointments.plan_reminders_of_move": _(
        "The reminders for the new time were not planned: remind the patient yourself."
    ),
    "appointments.plan_reminders_of_restoration": _(
        "The reminders were not planned again: remind the patient yourself."
    ),
    "appointments.answer_inbound": _("Something that a patient wrote was not answered: look at their messages."),
    "appointments.bring_in_lines": _("An import stopped on its way: open it under Import, and let it go on."),
    "appointments.carry_out_closure": _(
        "What becomes of the visits of a closure was not done: look at the closure, and call the patients."
    ),
    "appointments.send_reminder": _("A reminder was not made: remind the patient yourself."),
    "scheduler.carry_out_batch": _(
        "An act on many rows stopped on its way: open it in the admin, and look how far it came."
    ),
    "messaging.apply_receipts": _("News from WhatsApp could not be read: tell your administrator."),
    "messaging.handle_webhook_item": _("News from WhatsApp could not be read: tell your administrator."),
    "messaging.submit_template": _("A template was not handed in to WhatsApp: tell your administrator."),
    "messaging.sync_templates": _("The templates were not compared with WhatsApp's: tell your administrator."),
}

_OUTCOMES = {
    "confirmed": _("Noted as a yes."),
    "confirmed_several": _("Noted as a yes for all of these visits."),
    "confirmed_some": _(
        "Noted as a yes for the visits that still stood as the message said; the others stay as they were."
    ),
    "cancelled_several": _("These visits were cancelled."),
    "cancelled_some": _(
        "The visits that still stood as the message said were cancelled; the others stay as they were."
    ),
    "thanked": _("Thanks: nothing to do."),
    "acknowledged": _("Said to our last message, and nothing was open: nothing to do."),
    "offered_times": _("Answered with free times."),
    "told_state": _("Nothing was changed; answered with how the visit stands."),
    "cancelled": _("The visit was cancelled."),
    "moved": _("The visit was moved."),
    "slot_taken": _("That time was taken meanwhile, so others were offered."),
    "asked_which": _("Answered with the question which visit is meant."),
    "opted_out": _("Noted: no more messages."),
    "opted_out_before": _("Noted before: no messages."),
    "opted_in": _("Noted: messages are welcome again."),
}

# Why a visit of a closure needs a person; usecases/carrying_out.py.
_OF_CLOSURE = {
    "closure_left": _(
        "It was closed over it, and what becomes of the visit was left for later. Move, cancel or keep it."
    ),
    "closure_stuck": _("It was closed over it, and what was decided could not be done. Move or cancel it."),
}

ERRORS = {
    **FILE_ERRORS,
    "time_in_gap": _("That time does not exist at the clinic: the clocks go forward over it."),
    "slot_in_past": _("That time has passed."),
    "slot_taken": _("Somebody else has just taken that time."),
    "outside_hours": _("The practitioner does not work at that time."),
    "clinic_closed": _("The clinic or the practitioner is away then."),
    "not_at_this_clinic": _("The patient, practitioner, room or service is no longer in use here."),
    "service_not_given": _("That practitioner does not give this service."),
    "not_live": _("The visit is cancelled or has expired, so it cannot be changed."),
    "visit_begun": _("The visit has begun or is over, so it cannot be changed."),
    "visit_not_begun": _("The visit is still to come: nobody knows yet who will not."),
    "not_on_the_day": _("The visit is on another day, so nobody is here for it."),
    "not_late": _("There is more than a day to go: cancel the visit instead."),
    "presence_noted": _("Somebody noted that they are here. Say why they were not."),
    "not_undoable": _("This cannot be taken back; it can be changed on the visit's page."),
    "undo_too_late": _("That was more than a day ago. Change it on the visit's page."),
    "already_undone": _("Somebody has taken that back already."),
    "call_not_found": _("This clinic has no such call."),
    "number_not_of_patient": _("The patient is not reached at that number any more. Look at the list again."),
    "changed_meanwhile": _("Somebody changed the visit meanwhile. Look at it again, then decide."),
    "patient_changed": _("Somebody changed the patient meanwhile. Look again, then save."),
    "reason_missing": _("Say why: the reason stays on the visit's page."),
    "plan_not_found": _("This clinic has no such closure."),
    "plan_not_open": _("It is closed already, or was given up: what becomes of its visits is settled."),
    "plan_undo_too_late": _("Patients are being told already, so it cannot be taken back as a whole."),
    "plan_visits_changed": _(
        "Visits came or changed since this list was made. It shows them now: look again, then close."
    ),
    "plan_undecided": _("Some visits have no decision yet. Decide about them, then close."),
    "plan_times_taken": _(
        "Some of the proposed times were taken meanwhile. Decide again about these visits, then close."
    ),
    "keep_note_missing": _("Say why the visit stays: the note stays on its page."),
    "already_left": _("That practitioner does not work here any more."),
    "patient_name_missing": _("A patient needs a name."),
    "consent_missing": _("Ask whether messages may go to this number, and mark the answer. Or leave the number out."),
    "way_not_found": _("The patient is not reached at that number any more."),
    "guardian_missing": _("Say first who the guardian is."),
    "guardian_circle": _("Nobody can be their own guardian, nor the guardian of their guardian."),
    "merge_with_self": _("That is the same patient."),
    "merge_guardian": _("One of the two is the guardian of the other, so they are two people. Nothing was changed."),
    "merge_two_guardians": _("Each of the two has another guardian. Change one of them first, then merge."),
    "consent_reason_missing": _("Say why: the reason stays with the word."),
    "message_still_on_its_way": _("The message has not come to an end yet, so there is nothing to send again."),
    "message_written_by_hand": _("A member of staff wrote this message: write it again in the conversation."),
    "message_already_sent_again": _("Somebody has sent this message again already; the newer one counts."),
    "message_not_found": _("This clinic has no such message."),
    "series_size": _("A series has two visits or more, and not more than can be booked in one go."),
    "contact_not_found": _("This clinic has no such conversation."),
    "not_in_conversation": _("That person is not reached at this number any more. Look at who is."),
    "not_a_member": _("That person does not work at this clinic."),
    "news_meanwhile": _("Something new was said meanwhile. Look at it first."),
    "window_closed": _("The 24 hours after their last message are over, so WhatsApp takes no free text."),
    "never_wrote": _("They have never written, so there is nothing to answer."),
    "window_still_open": _("They have written meanwhile, so you can answer in your own words."),
    "wrong_number": _("This number is marked as somebody else's, so nothing goes there."),
    "answer_too_long": _("WhatsApp takes 4,096 characters at once. Shorten it, or send it in two parts."),
    "form_sent_before": _(
        "This form was sent already, with other words. These have not gone: send them now, or leave it."
    ),
}

# Why staff did something: a stable word stays on the visit, own words as they are.
OTHER = "other"
CANCEL_REASONS = [
    ("patient_called", _("The patient called")),
    ("practitioner_away", _("The practitioner is away")),
    ("clinic_closed", _("The clinic is closed")),
    ("booked_by_mistake", _("Booked by mistake")),
    (OTHER, _("Something else")),
]
SEND_AGAIN_REASONS = [
    ("nothing_arrived", _("They say that nothing arrived")),
    ("deleted", _("They deleted it")),
    ("other_number", _("They have another number now")),
    (OTHER, _("Something else")),
]
# Why a patient cancels on their page, if they care to say.
PATIENT_REASONS = [
    ("time_does_not_suit", _("The time does not suit")),
    ("something_came_up", _("Something came up")),
    ("not_needed", _("It is no longer needed")),
]
IMPORTED = {"imported": _("brought in from elsewhere")}


def why_of(reason: str) -> str:
    """After a colon or "because": "the visit was cancelled". A word of the sender comes as its sentence; none as nothing."""
    of_tasks = _NOT_DONE | _NEEDS_ANOTHER_TIME | _TO_CALL_ABOUT | _OF_CLOSURE
    known = _REASONS.get(reason) or of_tasks.get(reason)
    return str(known) if known else sentence_of_reason(reason)


def outcome_of(word: str) -> str:
    """What was done about something that a patient wrote; nothing for a word that says nothing to staff."""
    return str(_OUTCOMES.get(word, ""))


def sentence_of(error: ClinicBotError) -> str:
    """What staff read when a use case says no. An error without a sentence here speaks for itself."""
    if isinstance(error, ClinicClosedError):
        return _sentence_of_closure(error)
    return sentence_of_import(error) or str(ERRORS.get(error.code, str(error)))


def _sentence_of_closure(error: ClinicClosedError) -> str:
    """ "The clinic is closed on Sat 15 Aug: Assumption Day." """
    first = _edge(error.begins_on, error.begins_at, clinic=error.clinic)
    last = _edge(error.ends_on, error.ends_at, clinic=error.clinic)
    if (error.begins_on, error.begins_at, error.ends_at) == (error.ends_on, None, None):
        text = (
            gettext("The clinic is closed on %(day)s")
            if error.is_of_clinic
            else gettext("The practitioner is away on %(day)s")
        )
    else:
        text = (
            gettext("The clinic is closed from %(day)s to %(last)s")
            if error.is_of_clinic
            else gettext("The practitioner is away from %(day)s to %(last)s")
        )
    said = text % {"day": first, "last": last}
    return f"{said}: {error.reason}." if error.reason else f"{said}."


def _edge(day: date, at: time | None, *, clinic: Clinic) -> str:
    return f"{short_date(day)}, {clock_time(at, clinic)}" if at else short_date(day)


def said_reason(reason: str) -> str:
    """Why somebody did it: a stable word of ours as people say it, own words as they are."""
    known = {**dict(CANCEL_REASONS), **dict(SEND_AGAIN_REASONS), **dict(PATIENT_REASONS), **IMPORTED}
    return str(known.get(reason, reason))
