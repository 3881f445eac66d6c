"""The messages of this house: it confirms what somebody just asked for in the chat, and brings invitations to colleagues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from messaging.contracts import STILL_TRUE, Category, Context, QueuedMessage, Standing, Urgency, message_kind
from messaging.message_names import (
    MESSAGES_OFF,
    OPT_IN_CONFIRMATION,
    OPT_OUT_CONFIRMATION,
    PASSWORD_LETTER,
    STAFF_INVITATION,
    WRITTEN_ANSWER,
)
from messaging.queries.invitations import TEXT, letters_of, standings_of
from messaging.queries.own_notices import contexts_of
from messaging.queries.passwords import PASSWORD_TEXT, password_letters, standings_of_logins
from messaging.queries.suspensions import MESSAGES_OFF_TEXT, letters_of_suspensions, standings_of_suspensions
from messaging.queries.written import standings_of_written, words_written

VARIABLES = ("clinic", "phone")
IN_THE_WINDOW = timedelta(hours=23)
"""The person has just written; later than this it would need a template, and nobody wonders any more."""


class Confirmation:
    """Said to the contact itself: who of those that share it wrote, nobody knows."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """What was asked for was done when it was asked."""
        return {message.message_id: STILL_TRUE for message in messages}

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        return contexts_of(messages)


@message_kind(
    OPT_OUT_CONFIRMATION,
    category=Category.VISITS,
    texts={"opted_out": VARIABLES, "opted_out_recalls": VARIABLES},
    urgency=Urgency.ANSWER,
    useful_for=IN_THE_WINDOW,
    ignores_opt_out=True,
)
class OptOutConfirmation(Confirmation):
    """The one message that still goes after a stop."""


@message_kind(
    OPT_IN_CONFIRMATION,
    category=Category.VISITS,
    texts={"opted_in": VARIABLES},
    urgency=Urgency.ANSWER,
    useful_for=IN_THE_WINDOW,
)
class OptInConfirmation(Confirmation):
    """Said after a start that ended a stop."""


@message_kind(
    STAFF_INVITATION,
    category=Category.STAFF,
    texts={TEXT: ("clinic", "role", "link", "until")},
    urgency=Urgency.CONFIRMATION,
    rather_twice=True,
)
class StaffInvitation:
    """Asks somebody to work at the clinic. The link opens the page where they accept."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Skipped once it was accepted, taken back or sent again, or its week is over."""
        return standings_of(messages, now=now)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        return letters_of(messages)


@message_kind(
    PASSWORD_LETTER,
    category=Category.STAFF,
    texts={PASSWORD_TEXT: ("login", "link", "hours")},
    urgency=Urgency.ANSWER,
    ignores_suspension=True,
    ignores_opt_out=True,
)
class PasswordLetter:
    """Brings somebody who asked for it the link to a new password. In doubt it is not sent again: they ask again."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Skipped where the login was closed since."""
        return standings_of_logins(messages)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        return password_letters(messages)


@message_kind(
    MESSAGES_OFF,
    category=Category.STAFF,
    texts={MESSAGES_OFF_TEXT: ("clinic", "since", "reason", "waiting")},
    urgency=Urgency.CONFIRMATION,
    useful_for=timedelta(days=7),
    ignores_suspension=True,
    rather_twice=True,
)
class MessagesOff:
    """Reminds who runs a suspended clinic, once a week, that its patients are told nothing."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Skipped once the clinic has resumed."""
        return standings_of_suspensions(messages)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """In the clinic's language."""
        return letters_of_suspensions(messages)


@message_kind(
    WRITTEN_ANSWER,
    category=Category.VISITS,
    texts={},
    urgency=Urgency.ANSWER,
    useful_for=IN_THE_WINDOW,
    ignores_opt_out=True,
    by_hand=True,
)
class Written:
    """What a member of staff writes to somebody who wrote to the clinic. Who wrote is answered, whatever else they want no more."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]:
        """Skipped once its words are gone: they were kept too long."""
        return standings_of_written(messages)

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
        """As it was typed, to the contact of that conversation."""
        return words_written(messages)
