"""Writes down what a person changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import models

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic


def record(
    actor: Actor,
    *,
    clinic: Clinic | int | None,
    action: str,
    subject: models.Model,
    detail: Mapping[str, Any] | None = None,
    reason: str = "",
    now: datetime,
) -> AuditEntry:
    """Call it in the transaction of the change. `detail` holds ids and field names, never names, numbers or texts.

    before, after in it: values by the name of their column, where they are not personal: times, ids, yes and no, one of some
    words.
    """
    return AuditEntry.objects.create(
        clinic_id=clinic.pk if isinstance(clinic, Clinic) else clinic,
        actor_kind=actor.kind,
        actor_id=actor.id,
        action=action,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        detail=dict(detail or {}),
        reason=reason,
        happened_at=now,
    )


def last_change_of(model: type[models.Model], *, clinic: Clinic) -> datetime | None:
    """When anything of that kind at the clinic was last changed by a person; None: never."""
    entries = AuditEntry.objects.filter(clinic=clinic, subject_type=model._meta.label_lower)
    return entries.order_by("-pk").values_list("happened_at", flat=True).first()
