"""Whether an invitation is still to be sent, and what its letter says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils.translation import override

from clinicbot.clinic_time import long_date
from clinicbot.inviting import list_invitations
from clinicbot.models import Invitation, InvitationState, Role
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing
from messaging.reasons import Reason

INVITATION = "invitation"
TEXT = "staff_invitation"


def standings_of(messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
    """Only the last letter of an open invitation. One query."""
    invitations = list_invitations({_pair(message) for message in messages})
    return {message.message_id: _standing(message, invitations.get(_pair(message)), now=now) for message in messages}


def letters_of(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """In the clinic's language; what the person speaks is not known yet. One query."""
    invitations = list_invitations({_pair(message) for message in messages})
    return {
        message.message_id: _letter(message, invitation)
        for message in messages
        if (invitation := invitations.get(_pair(message))) and invitation.token
    }


def _pair(message: QueuedMessage) -> tuple[int, int]:
    return message.clinic_id, int(message.subjects[0].id)


def _standing(message: QueuedMessage, invitation: Invitation | None, *, now: datetime) -> Standing:
    if invitation is None or invitation.state_at(now) != InvitationState.OPEN:
        return Standing.skipped(Reason.INVITATION_OVER)
    is_last = message.subjects[0].version == invitation.letters
    return STILL_TRUE if is_last else Standing.skipped(Reason.OVERTAKEN)


def _letter(message: QueuedMessage, invitation: Invitation) -> Context:
    clinic = invitation.clinic
    language = message.language or clinic.language
    with override(language):
        role = str(Role(invitation.role).label)
    link = f"{settings.BASE_URL}{reverse('invitation', args=[invitation.token])}"
    return Context(
        text=TEXT,
        language=language,
        contact_ids=(message.person.id,),
        variables={
            "clinic": clinic.name,
            "role": role,
            "link": link,
            "until": long_date(invitation.expires_at, clinic, language=language),
        },
        unkept=frozenset({"link"}),
    )
