"""A suspended clinic is not forgotten: its admins get an e-mail a week while its messages are off."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction

from clinicbot.errors import MalformedEmailError
from clinicbot.models import Clinic, Membership, Role
from messaging.channels.base import EMAIL
from messaging.contracts import Person
from messaging.message_names import MESSAGES_OFF
from messaging.queries.suspensions import suspension_subject
from messaging.usecases.contacts import add_contact
from messaging.usecases.sending import NewMessage, queue_messages
from messaging.usecases.setting_up import have_email_account

WEEK = timedelta(days=7)
CONTACT = "contact"


def remind_of_suspensions(*, now: datetime) -> int:
    """Once for each week that is over, to each admin; whoever was told of that week is not told again. Returns how many."""
    off_for_a_week = Clinic.objects.filter(suspended_at__lte=now - WEEK).order_by("pk")
    return sum(_remind(clinic, since=clinic.suspended_at, now=now) for clinic in off_for_a_week if clinic.suspended_at)


@transaction.atomic
def _remind(clinic: Clinic, *, since: datetime, now: datetime) -> int:
    weeks = (now - since) // WEEK
    subject = suspension_subject(clinic, since=since, week=weeks)
    messages = [
        NewMessage(
            clinic_id=clinic.pk,
            kind=MESSAGES_OFF,
            person=Person(CONTACT, contact_id),
            subjects=(subject,),
            expires_at=since + WEEK * (weeks + 1),
        )
        for contact_id in _contacts_of_admins(clinic, now=now)
    ]
    return sum(queued.is_new for queued in queue_messages(messages, now=now))


def _contacts_of_admins(clinic: Clinic, *, now: datetime) -> Iterable[int]:
    admins = Membership.objects.filter(clinic=clinic, role=Role.CLINIC_ADMIN, user__is_active=True)
    emails = list(admins.exclude(user__email="").order_by("pk").values_list("user__email", flat=True))
    if emails:
        have_email_account(clinic)
    contact_ids: dict[int, None] = {}
    for email in emails:
        try:
            contact_ids[add_contact(clinic, channel=EMAIL, typed=email, now=now)] = None
        except MalformedEmailError:  # Of one admin; the others hear of it.
            continue
    return contact_ids
