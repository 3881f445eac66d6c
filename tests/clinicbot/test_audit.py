"""The audit trail."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import AuditEntry
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db


def test_a_change_is_kept_with_who_where_what_why_and_when() -> None:
    membership = MembershipFactory.create()
    now = datetime(2026, 4, 14, 9, 0, tzinfo=UTC)

    audit.record(
        Actor(ActorKind.STAFF, membership.user_id),
        clinic=membership.clinic,
        action="changed",
        subject=membership,
        detail={"fields": ["role"]},
        reason="New duties",
        now=now,
    )

    entry = AuditEntry.objects.get()
    assert (entry.actor_kind, entry.actor_id, entry.clinic) == ("staff", membership.user_id, membership.clinic)
    assert (entry.subject_type, entry.subject_id) == ("clinicbot.membership", str(membership.pk))
    assert (entry.action, entry.detail, entry.reason, entry.happened_at) == (
        "changed",
        {"fields": ["role"]},
        "New duties",
        now,
    )
