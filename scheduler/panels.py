"""What the admin's first page tells of queues, ticks and jobs that were given up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from clinicbot.panels import Ask, Trouble, dashboard_panel, trouble_source
from scheduler import queries
from scheduler.contracts import title_of_kind
from scheduler.reason_words import words_of_cause
from scheduler.tick_chart import chart_of

GROUPS_SHOWN = 4
TICKS_FOR = timedelta(hours=1)


@dashboard_panel(order=40, template="scheduler/panel_queues.html", permission="scheduler.view_scheduledjob")
def queues(ask: Ask) -> Mapping[str, Any]:
    return {"depths": queries.list_queue_depths(clinic=ask.clinic, now=ask.now), "count_limit": queries.COUNT_LIMIT}


@dashboard_panel(order=30, template="scheduler/panel_ticks.html", permission="scheduler.view_scheduledjob")
def ticks(ask: Ask) -> Mapping[str, Any]:
    """That time goes on is everybody's to know; what ticks did, over all clinics, is not."""
    newest = queries.list_newest_ticks()
    found = [tick for tick in newest if tick.started_at > ask.real - TICKS_FOR]
    return {
        "last": newest[-1] if newest else None,
        "count": len(found),
        "failed": sum(bool(tick.errors) for tick in found),
        "wide": chart_of(found, ask=ask, is_narrow=False),
        "narrow": chart_of(found, ask=ask, is_narrow=True),
    }


@trouble_source(order=20, permission="scheduler.view_scheduledjob")
def jobs_that_were_given_up(ask: Ask) -> Sequence[Trouble]:
    return [
        Trouble(
            mark="failed",
            title=_("%(what)s: given up. %(why)s")
            % {"what": title_of_kind(group.kind), "why": words_of_cause(group.why)},
            count=group.cases,
            what_now=_("Try again once the cause is gone, or cancel: dead jobs stay until somebody decides."),
            url=f"{reverse('admin:scheduler_scheduledjob_changelist')}?"
            + urlencode({"state__exact": "dead", "kind": group.kind}),
            since=group.latest_at,
        )
        for group in queries.list_dead_groups(clinic=ask.clinic, limit=GROUPS_SHOWN)
    ]
