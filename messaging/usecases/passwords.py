"""Letters with the link to a new password, on their way through the sender like everything else."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot.letters import PasswordLetter
from messaging.channels.base import EMAIL
from messaging.contracts import Person, Subject
from messaging.message_names import PASSWORD_LETTER
from messaging.queries.passwords import LOGIN
from messaging.usecases.contacts import add_contact
from messaging.usecases.sending import queue_message
from messaging.usecases.setting_up import have_email_account

CONTACT = "contact"
MINUTE_SECONDS = 60


@transaction.atomic
def post_password_letter(letter: PasswordLetter, *, now: datetime) -> None:
    """Asked for twice within a minute it is one letter."""
    have_email_account(letter.clinic)
    contact_id = add_contact(letter.clinic, channel=EMAIL, typed=letter.email, now=now)
    queue_message(
        letter.clinic.pk,
        kind=PASSWORD_LETTER,
        person=Person(CONTACT, contact_id),
        subjects=[Subject(LOGIN, str(letter.user_id), int(letter.asked_at.timestamp()) // MINUTE_SECONDS)],
        params={"language": letter.language},
        expires_at=letter.expires_at,
        now=now,
    )
