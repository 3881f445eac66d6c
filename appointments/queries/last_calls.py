"""The last call about each visit, read with the visit itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import JSONObject

from appointments.models import CallAttempt, CallOutcome
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCall:
    """Not taken back. by: the name that colleagues know them by. notice_version: of the visit as it was spoken of."""

    call_id: int
    outcome: CallOutcome
    notice_version: int
    at: datetime
    by: str

    @classmethod
    def of(cls, read: dict[str, Any] | None) -> Self | None:
        """Of what `last_call_of` found."""
        if read is None:
            return None
        return cls(
            call_id=read["pk"],
            outcome=CallOutcome(read["outcome"]),
            notice_version=read["version"],
            at=datetime.fromisoformat(read["at"]),
            by=f"{read['first']} {read['last']}".strip() or read["login"],
        )


def last_call_of(clinic: Clinic, *, visit: OuterRef) -> Subquery:
    """For `LastCall.of`; None where nobody called."""
    calls = CallAttempt.objects.for_clinic(clinic).filter(appointment_id=visit, taken_back_at=None)
    read = JSONObject(
        pk=F("pk"),
        outcome=F("outcome"),
        version=F("notice_version"),
        at=F("at"),
        first=F("by__first_name"),
        last=F("by__last_name"),
        login=F("by__username"),
    )
    return Subquery(calls.order_by("-pk").values(read=read)[:1])
