"""Whether the link to a new password is still to be sent, and what its letter says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User

from clinicbot.forgotten import find_logins, password_link
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing
from messaging.reasons import Reason

LOGIN = "login"
PASSWORD_TEXT = "password_letter"
HOUR_SECONDS = 3600


def standings_of_logins(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """Only while the login is in use. One query."""
    users = find_logins({_user_id(message) for message in messages})
    return {
        message.message_id: STILL_TRUE if _user_id(message) in users else Standing.skipped(Reason.LOGIN_CLOSED)
        for message in messages
    }


def password_letters(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """In the language of whoever asked. One query."""
    users = find_logins({_user_id(message) for message in messages})
    return {
        message.message_id: _letter(message, users[_user_id(message)])
        for message in messages
        if _user_id(message) in users
    }


def _user_id(message: QueuedMessage) -> int:
    return int(message.subjects[0].id)


def _letter(message: QueuedMessage, user: User) -> Context:
    return Context(
        text=PASSWORD_TEXT,
        language=str(message.params["language"]),
        contact_ids=(message.person.id,),
        variables={
            "login": user.get_username(),
            "link": password_link(user),
            "hours": str(settings.PASSWORD_RESET_TIMEOUT // HOUR_SECONDS),
        },
        unkept=frozenset({"link"}),
    )
