"""What keeps a clinic's messages from going out, for the banners on every page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import CharField, DateTimeField, F, Q, QuerySet, Value
from django.db.models.functions import Cast

from messaging.models import AccountState, KillSwitch, SendingAccount

ALL, CLINIC, ACCOUNT = "all", "clinic", "account"
BY_STAFF = "by_staff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """`what`: ALL (the switch of everybody), CLINIC (this clinic's switch) or ACCOUNT (a number or address is paused).

    reason: what a person wrote, or of an account paused by the provider the provider's own words.
    resume_at: when it goes on by itself, if anybody said so.
    """

    what: str
    id: int
    since: datetime
    by_staff: bool
    reason: str
    resume_at: datetime | None


def list_stops(clinic_id: int) -> list[Stop]:
    """Longest first. One query."""
    return stops_of(stop_rows(clinic_id))


def stop_rows(clinic_id: int) -> QuerySet[KillSwitch, tuple[Any, ...]]:
    """What `stops_of` reads, for a page that asks for it together with other things."""
    switches = KillSwitch.objects.filter(Q(clinic=None) | Q(clinic_id=clinic_id), released_at=None).values_list(
        Cast("clinic_id", CharField()),
        "pk",
        "thrown_at",
        Value(BY_STAFF, CharField()),
        "reason",
        Value(None, DateTimeField()),
    )
    accounts = (
        SendingAccount.objects.for_clinic(clinic_id)
        .filter(state=AccountState.PAUSED)
        .values_list(
            Value(ACCOUNT, CharField()),
            "pk",
            Cast("paused_at", DateTimeField()),
            Cast("paused_reason", CharField()),
            F("paused_detail"),
            "resume_at",
        )
    )
    return switches.union(accounts, all=True)


def stops_of(rows: Iterable[tuple[Any, ...]]) -> list[Stop]:
    """Longest first."""
    stops = [
        Stop(
            what=ACCOUNT if whose == ACCOUNT else CLINIC if whose else ALL,
            id=pk,
            since=since,
            by_staff=why == BY_STAFF,
            reason=detail,
            resume_at=resume_at,
        )
        for whose, pk, since, why, detail, resume_at in rows
    ]
    return sorted(stops, key=lambda stop: stop.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastStop:
    """A switch that was thrown, by whom and until when. `is_of_all`: of every clinic."""

    id: int
    is_of_all: bool
    reason: str
    thrown_at: datetime
    thrown_by: int | None
    released_at: datetime | None
    released_by: int | None


def list_past_stops(clinic_id: int, *, most: int) -> list[PastStop]:
    """The latest switches that held this clinic's messages, the newest first. One query."""
    switches = KillSwitch.objects.filter(Q(clinic=None) | Q(clinic_id=clinic_id)).order_by("-pk")[:most]
    return [
        PastStop(
            id=switch.pk,
            is_of_all=switch.clinic_id is None,
            reason=switch.reason,
            thrown_at=switch.thrown_at,
            thrown_by=switch.thrown_by,
            released_at=switch.released_at,
            released_by=switch.released_by,
        )
        for switch in switches
    ]
