"""What the absence of a receipt is worth: nothing, unless everything else says that it would have come. Real time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from itertools import pairwise

from django.db.models import Max, Q

from messaging import conf
from messaging.models import Attempt, WebhookCall, WebhookItem, WebhookProbe


class Finding(Enum):
    """Of one attempt: it did not go out as far as anybody can tell; that may still show; that can no longer show."""

    DID_NOT_GO = auto()
    NOT_YET = auto()
    NEVER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Read once for all attempts in doubt.

    last_receipted: when the latest attempt of each account that has its receipt began.
    unhandled: accounts with a stored item that nobody has read yet.
    last_refused_at, last_under_way_at: when the latest such call began. What has been under way for too long was cut off.
    """

    last_receipted: Mapping[int, datetime]
    unhandled: frozenset[int]
    probes: Sequence[tuple[datetime, bool]]
    last_refused_at: datetime | None
    last_under_way_at: datetime | None
    real: datetime

    @classmethod
    def gather(cls, attempts: Iterable[Attempt], *, real: datetime) -> Evidence:
        """Four queries."""
        account_ids = {attempt.account_id for attempt in attempts}
        since = min((attempt.started_at for attempt in attempts), default=real)
        # Before the items: a call that is stored while we read has gone from here, and is found among them.
        calls = _calls(since=since, real=real)
        receipted = (
            Attempt.unscoped.filter(account__in=account_ids, has_receipt=True, started_at__gt=since)
            .values("account_id")
            .annotate(last=Max("started_at"))
        )
        unhandled = WebhookItem.objects.filter(account__in=account_ids, handled_at__isnull=True)
        probes = WebhookProbe.objects.filter(probed_at__gte=since).order_by("probed_at")
        return cls(
            last_receipted={row["account_id"]: row["last"] for row in receipted},
            unhandled=frozenset(pk for pk in unhandled.values_list("account_id", flat=True).distinct() if pk),
            probes=list(probes.values_list("probed_at", "was_up")),
            last_refused_at=calls["refused"],
            last_under_way_at=calls["under_way"],
            real=real,
        )

    def of(self, attempt: Attempt) -> Finding:
        """Once its grace is over."""
        if not self._webhook_was_up_since(attempt.started_at):
            return Finding.NEVER
        if self.last_refused_at is not None and self.last_refused_at >= attempt.started_at:
            return Finding.NOT_YET  # It comes again, and may bring the very receipt.
        later = self.last_receipted.get(attempt.account_id)
        if later is None or later <= attempt.started_at or attempt.account_id in self.unhandled:
            return Finding.NOT_YET
        if self.last_under_way_at is not None and self.last_under_way_at >= attempt.started_at:
            return Finding.NOT_YET  # It may bring the very receipt.
        return Finding.DID_NOT_GO

    def _webhook_was_up_since(self, began_at: datetime) -> bool:
        """Every fetch of our own handshake worked, and none is missing."""
        since = [(at, was_up) for at, was_up in self.probes if at >= began_at]
        times = [began_at, *(at for at, _was_up in since), self.real]
        longest = max(later - earlier for earlier, later in pairwise(times))
        return all(was_up for _at, was_up in since) and longest <= timedelta(seconds=conf.probe_gap_seconds())


def _calls(*, since: datetime, real: datetime) -> Mapping[str, datetime | None]:
    is_under_way = Q(status=None, begun_at__gt=real - timedelta(seconds=conf.webhook_call_seconds()))
    return WebhookCall.objects.filter(begun_at__gte=since).aggregate(
        refused=Max("begun_at", filter=~is_under_way), under_way=Max("begun_at", filter=is_under_way)
    )
