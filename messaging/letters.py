"""Posts the floor's letters: each becomes a message to an e-mail address."""

from __future__ import annotations

from datetime import datetime

from clinicbot.letters import InvitationLetter, Letter, postman
from messaging.usecases.invitations import post_invitation
from messaging.usecases.passwords import post_password_letter


@postman
def take_letter(letter: Letter, *, now: datetime) -> None:
    if isinstance(letter, InvitationLetter):
        post_invitation(letter, now=now)
    else:
        post_password_letter(letter, now=now)
