"""The messages of this house: each confirms what somebody just asked for in the chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from messaging.contracts import STILL_TRUE, Category, Context, QueuedMessage, Standing, Urgency, message_kind
from messaging.message_names import OPT_IN_CONFIRMATION, OPT_OUT_CONFIRMATION
from messaging.queries.own_notices import contexts_of

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
