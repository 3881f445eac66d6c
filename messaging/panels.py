"""What the admin's first page tells of messages that somebody should know of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clinicbot.panels import Ask, Trouble, trouble_source
from messaging.models import MessageState
from messaging.queries.recent import Cause, list_causes
from messaging.queries.words import sentence_of_reason

LOOKS_BACK = timedelta(days=7)
CAUSES_SHOWN = 6

_WORDS = {
    MessageState.FAILED: ("failed", gettext_lazy("Did not arrive.")),
    MessageState.UNKNOWN: ("unknown", gettext_lazy("Not known whether it went out.")),
    MessageState.HELD: ("held", gettext_lazy("Held.")),
}
_NEXT = {
    MessageState.FAILED: gettext_lazy(
        "The front desk sees it on the call list. Sending again helps once the cause is gone."
    ),
    MessageState.UNKNOWN: gettext_lazy(
        "It is sent once more when others prove that this one was lost; else a person decides."
    ),
    MessageState.HELD: gettext_lazy("It goes by itself when the cause is gone, if it is still useful then."),
}


@trouble_source(order=10, permission="messaging.view_message")
def messages_that_did_not_arrive(ask: Ask) -> Sequence[Trouble]:
    causes = list_causes(clinic=ask.clinic, since=ask.now - LOOKS_BACK, limit=CAUSES_SHOWN)
    return [_trouble(cause) for cause in causes]


def _trouble(cause: Cause) -> Trouble:
    mark, title = _WORDS[cause.state]
    query = {"state__exact": cause.state, "reason": cause.reason} if cause.reason else {"state__exact": cause.state}
    return Trouble(
        mark=mark,
        title=sentence_of_reason(cause.reason) or str(title),
        count=cause.cases,
        what_now=_("Messages.") + " " + str(_NEXT[cause.state]),
        url=f"{reverse('admin:messaging_message_changelist')}?{urlencode(query)}",
        since=cause.latest_at,
    )
