"""The way from an empty clinic to its first reminder, step by step. Each step is read off the present state; nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from appointments.message_names import REMINDER
from appointments.queries.practice_facts import PracticeFacts, practice_annotations, practice_facts
from clinicbot.models import Clinic
from clinicbot.people_counts import PeopleCounts, people_annotations, people_counts
from messaging.queries.set_up import SendingSetUp, sending_set_up
from scheduler.queries import last_tick

TICKS_WITHIN = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """missing: what is not there yet, in words; "" once it is done. route: where it is done; "" where only a superuser can.

    is_keepers: for whoever runs the installation.
    """

    title: Promise | str
    missing: str
    why: Promise | str
    act: Promise | str = ""
    route: str = ""
    is_keepers: bool = False

    @property
    def is_done(self) -> bool:
        return not self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What the steps were read off comes along, for pages that say more."""

    steps: tuple[Step, ...]
    practice: PracticeFacts
    sending: SendingSetUp
    people: PeopleCounts

    @property
    def done(self) -> int:
        return sum(step.is_done for step in self.steps)

    @property
    def is_complete(self) -> bool:
        return self.done == len(self.steps)

    @property
    def next_step(self) -> Step | None:
        """The first that a clinic admin can do, else the first at all."""
        left = [step for step in self.steps if not step.is_done]
        return next((step for step in left if not step.is_keepers), left[0] if left else None)


def set_up_of(clinic: Clinic, *, real: datetime) -> SetUp:
    """Five queries."""
    asked = practice_annotations(clinic) | people_annotations(clinic)
    found = Clinic.objects.filter(pk=clinic.pk).annotate(**asked).values(*asked).get()
    practice, people = practice_facts(clinic, found), people_counts(found)
    sending = sending_set_up(clinic, kind=REMINDER)
    tick = last_tick()
    ticks = tick is not None and real - tick.started_at < TICKS_WITHIN
    steps = (
        _clinic_step(clinic),
        *_practice_steps(practice),
        *_number_steps(sending, ticks=ticks),
        _template_step(sending, clinic=clinic),
        *_last_steps(practice, sending, people),
    )
    return SetUp(steps=steps, practice=practice, sending=sending, people=people)


def _clinic_step(clinic: Clinic) -> Step:
    return Step(
        title=gettext_lazy("The clinic's address and phone"),
        why=gettext_lazy("Every message says where the visit is and where to call."),
        missing=_("The address or the phone is missing.") if not (clinic.address and clinic.phone) else "",
        act=gettext_lazy("Enter them"),
        route="admin:clinicbot_clinic_change",
    )


def _practice_steps(practice: PracticeFacts) -> list[Step]:
    return [
        Step(
            title=gettext_lazy("A service"),
            why=gettext_lazy("What a visit is for, and how long it takes."),
            missing="" if practice.has_service else _("There is no service yet."),
            act=gettext_lazy("Add a service"),
            route="admin:appointments_service_add",
        ),
        Step(
            title=gettext_lazy("Somebody who treats, with working hours"),
            why=gettext_lazy(
                "Times are offered when somebody works, and reminders go on days when the clinic is open."
            ),
            missing=_missing_of_practitioner(practice),
            act=gettext_lazy("Change practitioners")
            if practice.has_practitioner
            else gettext_lazy("Add a practitioner"),
            route="admin:appointments_practitioner_changelist"
            if practice.has_practitioner
            else "admin:appointments_practitioner_add",
        ),
    ]


def _missing_of_practitioner(practice: PracticeFacts) -> str:
    if not practice.has_practitioner:
        return _("There is no practitioner yet.")
    if not practice.has_hours:
        return _("No practitioner has working hours.")
    return "" if practice.is_bookable else _("Nobody who has working hours gives a service.")


def _number_steps(sending: SendingSetUp, *, ticks: bool) -> list[Step]:
    account = sending.account
    missing = "" if sending.can_send else _("The number is paused.") if account else _("No number is connected.")
    if account is not None and not account.parent_id:
        missing = _("The business account's id is missing, so no templates can be asked for.")
    return [
        Step(
            title=gettext_lazy("A WhatsApp number"),
            why=gettext_lazy("Its ids and its access token stand in Meta's app, under WhatsApp, API set-up."),
            missing=missing,
            act=gettext_lazy("Change the number") if account else gettext_lazy("Connect a number"),
            route="admin:messaging_sendingaccount_changelist" if account else "admin:messaging_sendingaccount_add",
        ),
        Step(
            title=gettext_lazy("WhatsApp reaches us"),
            why=gettext_lazy(
                "Answers and receipts come by a webhook. Write a word to the number to see whether it is heard."
            ),
            missing="" if sending.is_heard else _("Nothing has been heard from WhatsApp about this number yet."),
            is_keepers=True,
        ),
        Step(
            title=gettext_lazy("The clock that sends"),
            why=gettext_lazy("Cron starts a tick every minute; without it no reminder goes."),
            missing="" if ticks else _("No tick has run in the last five minutes."),
            is_keepers=True,
        ),
    ]


def _template_step(sending: SendingSetUp, *, clinic: Clinic) -> Step:
    left = sending.wanted - sending.in_use[clinic.language] if sending.account else sending.wanted
    text = ngettext(
        "%(count)d template in %(language)s is not approved yet.",
        "%(count)d templates in %(language)s are not approved yet.",
        left,
    )
    said = {"count": left, "language": clinic.get_language_display()}
    return Step(
        title=gettext_lazy("Templates that WhatsApp has approved"),
        why=gettext_lazy(
            "They are asked for by themselves once a number is connected; WhatsApp mostly answers within a day."
        ),
        missing=text % said if left else "",
        act=gettext_lazy("See how they stand"),
        route="settings-templates",
    )


def _last_steps(practice: PracticeFacts, sending: SendingSetUp, people: PeopleCounts) -> list[Step]:
    alone = people.members < 2 and not people.ever_invited
    return [
        Step(
            title=gettext_lazy("A reminder rule"),
            why=gettext_lazy("When patients are reminded. A new clinic begins with three."),
            missing="" if practice.has_rule else _("No reminder is switched on."),
            act=gettext_lazy("Look at the reminders"),
            route="settings-reminders",
        ),
        Step(
            title=gettext_lazy("A message on your own phone"),
            why=gettext_lazy(
                "Add yourself as a patient with your own number, and book yourself a visit: the confirmation comes."
            ),
            missing="" if sending.has_arrived else _("No message has arrived on a phone yet."),
            act=gettext_lazy("Book a visit"),
            route="book",
        ),
        Step(
            title=gettext_lazy("The first reminder"),
            why=gettext_lazy("Book yourself a visit far enough ahead. Its page says when the reminder comes."),
            missing="" if sending.has_sent else _("No reminder has gone out yet."),
            act=gettext_lazy("Book a visit"),
            route="book",
        ),
        Step(
            title=gettext_lazy("Colleagues"),
            why=gettext_lazy("Each with a login and a role of their own, so that it is known who did what."),
            missing=_("Nobody else has been invited.") if alone else "",
            act=gettext_lazy("Invite somebody"),
            route="admin:clinicbot_invitation_add",
        ),
    ]
