"""What the admin's first page tells of events that somebody did not hear of."""

from __future__ import annotations

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from clinicbot.panels import Ask, Trouble, trouble_source
from outbox.queries import list_dead_groups

GROUPS_SHOWN = 4


@trouble_source(order=30, permission="outbox.view_outboxdelivery")
def events_that_were_given_up(ask: Ask) -> Sequence[Trouble]:
    return [
        Trouble(
            mark="failed",
            title=_("What follows from an event was not done: %(why)s") % {"why": group.why or group.handler},
            count=group.cases,
            what_now=_("%(handler)s failed each time. Try again once the cause is gone.") % {"handler": group.handler},
            url=f"{reverse('admin:outbox_outboxdelivery_changelist')}?state__exact=dead",
            since=group.latest_at,
        )
        for group in list_dead_groups(clinic=ask.clinic, limit=GROUPS_SHOWN)
    ]
