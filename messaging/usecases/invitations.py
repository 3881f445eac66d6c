"""Letters of invitations, on their way through the sender like everything else."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot.letters import InvitationLetter
from messaging.channels.base import EMAIL
from messaging.contracts import Person, Subject
from messaging.message_names import STAFF_INVITATION
from messaging.queries.invitations import INVITATION
from messaging.usecases.contacts import add_contact
from messaging.usecases.sending import queue_message
from messaging.usecases.setting_up import have_email_account

CONTACT = "contact"


@transaction.atomic
def post_invitation(letter: InvitationLetter, *, now: datetime) -> None:
    """Said once per letter: the same number again says nothing new."""
    have_email_account(letter.clinic)
    contact_id = add_contact(letter.clinic, channel=EMAIL, typed=letter.email, now=now)
    queue_message(
        letter.clinic.pk,
        kind=STAFF_INVITATION,
        person=Person(CONTACT, contact_id),
        subjects=[Subject(INVITATION, str(letter.invitation_id), letter.number)],
        expires_at=letter.expires_at,
        now=now,
    )
