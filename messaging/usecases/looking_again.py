"""Each tick looks at what is held. A release moves nothing itself, so whoever wrote `held` a moment after it is found too."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from clinicbot.ticks import Deadline, StepReport
from messaging.contracts import list_kinds
from messaging.models import AccountState, KillSwitch, Message, MessageState
from messaging.usecases.changing import lock_entries, move, save
from messaging.usecases.committing import write_down
from messaging.usecases.deciding import Decision, Fate
from messaging.usecases.judging import judge

PAGE = 200
FIRST = UUID(int=0)

# How far each tick has come; a tick is known by its deadline.
_seen: WeakKeyDictionary[Deadline, UUID] = WeakKeyDictionary()


def look_at_held(*, real: datetime, now: datetime, deadline: Deadline) -> StepReport:
    """One page of what is held, once a tick each. Judged as in a wave, but what would still be held is not written at all."""
    page = list(_may_move(now=now).filter(pk__gt=_seen.get(deadline, FIRST)).values_list("pk", flat=True)[:PAGE])
    if not page:
        return StepReport()
    _seen[deadline] = page[-1]
    moved = _write_down(page, judge(page, real=real, now=now), now=now)
    return StepReport(counts={"messages_let_go": moved}, more=True)


def _may_move(*, now: datetime) -> QuerySet[Message]:
    """Without the thousands that a switch, a suspension or a paused account holds and will still hold; too late is too late."""
    thrown = KillSwitch.objects.filter(Q(clinic__isnull=True) | Q(clinic=OuterRef("clinic")), released_at__isnull=True)
    told_all_the_same = [kind.name for kind in list_kinds() if kind.ignores_suspension]
    suspended = Q(clinic__suspended_at__isnull=False) & ~Q(kind__in=told_all_the_same)
    stopped = Exists(thrown) | suspended | Q(waits_for_account__state=AccountState.PAUSED)
    return Message.unscoped.filter(~stopped | Q(expires_at__lte=now), state=MessageState.HELD).order_by("pk")


@transaction.atomic
def _write_down(page: list[UUID], decisions: Mapping[UUID, Decision], *, now: datetime) -> int:
    """Compare-and-swap on `held`. Who may go is queued, and judged again by the wave that takes it."""
    moved = []
    for pk, entry in lock_entries(page).items():
        decision, message = decisions[pk], entry.message
        if message.state != MessageState.HELD or _is_as_before(message, decision):
            continue
        if decision.fate in (Fate.SEND, Fate.WAIT, Fate.LET_GO):
            move(message, MessageState.QUEUED, now=now)
        else:
            write_down(entry, decision, now=now)
        moved.append(message)
    save(moved)
    return sum(message.state != MessageState.HELD for message in moved)


def _is_as_before(message: Message, decision: Decision) -> bool:
    held = (message.reason, message.waits_for_account_id)
    return decision.fate == Fate.HOLD and held == (decision.reason, decision.account_id)
