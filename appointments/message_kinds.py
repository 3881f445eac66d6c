"""What this house says to patients. Whether it is still true, and in which words, is decided when it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from appointments.message_names import ANSWER, ANSWER_WAITS, CLINIC_MOVED, NOTICE, REMINDER
from appointments.queries import answer_waits, answers, notices, relocations, reminders
from messaging.contracts import Category, Context, QueuedMessage, Standing, Urgency, message_kind

VISITS_WORDS = ("clinic", "day", "visits", "where", "phone", "link")
DATES_WORDS = ("clinic", "patient", "count", "dates", "where", "practitioner", "phone", "link")
VISIT_WORDS = ("clinic", "patient", "when", "where", "practitioner", "phone", "link")


@message_kind(
    NOTICE,
    category=Category.VISITS,
    urgency=Urgency.CHANGE,
    texts={
        "visit_booked": VISIT_WORDS,
        "visit_booked_ask": VISIT_WORDS,
        "visit_moved": ("clinic", "patient", "old_when", "when", "where", "practitioner", "phone", "link"),
        "visit_reassigned": VISIT_WORDS,
        "visit_restored": VISIT_WORDS,
        "visit_cancelled_by_clinic": ("clinic", "patient", "when", "phone"),
        "visit_cancelled_by_patient": ("clinic", "patient", "when", "phone"),
        "visits_booked": DATES_WORDS,
        "visits_moved": ("clinic", "patient", "count", "old_when", "dates", "where", "practitioner", "phone", "link"),
        "visits_cancelled_by_clinic": ("clinic", "patient", "count", "dates", "phone", "link"),
        "visits_changed_by_clinic": ("clinic", "visits", "phone", "link"),
    },
)
class VisitNotice:
    """Tells what became of a visit: booked, moved from what the patient last heard, cancelled, or standing after all.

    Or of several of one patient, where one act booked, moved or cancelled them.
    Of a closure, one tells what became of all visits of a household.
    """

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Left out: overtaken by a newer version, past, never announced and now cancelled, or known already.

        Held: what a closure hits and nobody has settled; and of a closure, outside the sending hours.
        """
        return notices.standing_of_notices(messages, now=now)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """In the patient's language, to the patient's contacts."""
        return notices.context_of_notices(messages, now=now)


@message_kind(
    REMINDER,
    category=Category.VISITS,
    urgency=Urgency.REMINDER,
    texts={
        "visit_reminder_ask": VISIT_WORDS,
        "visit_reminder": VISIT_WORDS,
        "visits_reminder_ask": VISITS_WORDS,
        "visits_reminder": VISITS_WORDS,
    },
)
class Reminder:
    """Asks the patient, or a household of one day's visits, to confirm, change or cancel; once confirmed, only informs."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Left out: moved, cancelled, begun, the rule is off, too close to another, or it asks what has been answered.

        Held: outside the clinic's sending hours.
        """
        return reminders.standing_of_reminders(messages, now=now)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """In the patients' language, to where all of them are reached."""
        return reminders.context_of_reminders(messages, now=now)


@message_kind(
    CLINIC_MOVED,
    category=Category.VISITS,
    urgency=Urgency.BULK,
    texts={"visits_relocated": ("clinic", "day", "visits", "where", "old_where", "phone", "link")},
)
class Relocation:
    """Tells a patient, or a household, that the clinic is elsewhere now, before all their visits to come."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Left out: past, cancelled, never told of, or told with the new address since.

        Held: outside the clinic's sending hours, unless a visit comes first.
        """
        return relocations.standing_of_relocations(messages, now=now)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """In the patients' language, to where all of them are reached."""
        return relocations.context_of_relocations(messages, now=now)


@message_kind(
    ANSWER,
    category=Category.VISITS,
    urgency=Urgency.ANSWER,
    useful_for=timedelta(hours=12),
    ignores_opt_out=True,
    texts={
        "answer_confirmed": ("patient", "when", "where"),
        "answer_confirmed_several": ("day", "visits", "where"),
        "answer_confirmed_some": ("day", "visits", "others", "phone"),
        "answer_cancelled": ("patient", "when", "phone"),
        "answer_cancelled_several": ("day", "visits", "phone"),
        "answer_cancelled_some": ("day", "visits", "others", "phone"),
        "answer_moved": ("patient", "when", "where", "practitioner"),
        "answer_choose_act": ("patient", "when", "where", "practitioner"),
        "answer_choose_time": ("patient", "practitioner", "when"),
        "answer_no_times": ("patient", "when", "phone"),
        "answer_slot_taken": ("patient", "when"),
        "answer_state_booked": ("patient", "when", "where", "practitioner"),
        "answer_state_confirmed": ("patient", "when", "where", "practitioner"),
        "answer_state_cancelled": ("patient", "when", "phone"),
        "answer_state_past": ("patient", "when", "phone"),
        "answer_state_several": ("visits", "phone"),
        "answer_unclear": ("clinic", "phone"),
        "answer_which": ("clinic",),
        "answer_which_change": ("clinic",),
        "answer_which_cancel": ("clinic",),
    },
)
class Answer:
    """Answers what a person tapped or wrote, with the state of things when it is sent."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """An answer is owed whatever happened since; it says what is true now."""
        return answers.standing_of_answers(messages)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """To the contact that wrote."""
        return answers.context_of_answers(messages, now=now)


@message_kind(
    ANSWER_WAITS,
    category=Category.VISITS,
    urgency=Urgency.ANSWER,
    useful_for=timedelta(hours=12),
    texts={"visit_answer_waits": ("clinic", "patient", "phone")},
)
class AnswerWaits:
    """Asks somebody who wrote more than a day ago to write again, so that staff can answer in their own words."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Left out: they have written since."""
        return answer_waits.standing_of_asking(messages)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """To the contact that wrote."""
        return answer_waits.context_of_asking(messages)
