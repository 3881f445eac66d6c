"""Posts the floor's letters: each becomes a message to an e-mail address."""

from __future__ import annotations

from datetime import datetime

from clinicbot.letters import InvitationLetter, postman
from messaging.usecases.invitations import post_invitation


@postman
def take_letter(letter: InvitationLetter, *, now: datetime) -> None:
    post_invitation(letter, now=now)
