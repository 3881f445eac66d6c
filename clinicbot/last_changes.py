"""Who changed something last: told to whoever wanted to change the same from a page that was older."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import models
from django.utils import translation
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from clinicbot.actors import ActorKind
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import AuditEntry, Clinic

LOOKED_AT = 500
"""So many of the clinic's newest changes of that kind of row are looked through: a page does not stand open for longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastChange:
    who: str
    at: datetime
    clinic: Clinic


def find_last_change(row: models.Model, *, clinic: Clinic, column: str, label: str = "") -> LastChange | None:
    """By the audit trail; None where that names nobody. label: what the admin calls the column, if not as the model does."""
    labels = {label, _label_of(row, column)}
    newest = AuditEntry.objects.filter(clinic=clinic, subject_type=row._meta.label_lower).order_by("-pk")[:LOOKED_AT]
    for entry in newest:
        if entry.subject_id == str(row.pk) and _is_of(entry.detail, column=column, labels=labels):
            who = name_of(entry.actor_kind, entry.actor_id)
            return LastChange(who=who, at=entry.happened_at, clinic=clinic) if who else None
    return None


def name_of(actor_kind: str, actor_id: int | None) -> str:
    """ "" where it was a machine, or somebody who is gone."""
    if actor_kind == ActorKind.PATIENT:
        return _("The patient")
    if actor_kind != ActorKind.STAFF or actor_id is None:
        return ""
    user = User.objects.filter(pk=actor_id).first()
    return (user.get_full_name() or user.get_username()) if user else ""


def said_of(change: LastChange | None, *, row: models.Model, column: str) -> str:
    """Why nothing was saved, and how it stands now."""
    present = getattr(row, f"get_{column}_display", lambda: getattr(row, column))()
    words = {"now": "–" if present in (None, "") else present}
    if change is None:
        return (
            _("Nothing was saved: somebody changed this meanwhile. Look again, then save. It is now: %(now)s") % words
        )
    words |= {
        "who": change.who,
        "day": short_date(change.at, change.clinic),
        "at": clock_time(change.at, change.clinic),
    }
    return (
        _("Nothing was saved: %(who)s changed this on %(day)s at %(at)s. Look again, then save. It is now: %(now)s")
        % words
    )


def _label_of(row: models.Model, column: str) -> str:
    """As the admin writes it down, in the language of the code."""
    with translation.override(None):
        field: Any = row._meta.get_field(column)
        return capfirst(str(field.verbose_name))


def _is_of(detail: dict[str, Any], *, column: str, labels: set[str]) -> bool:
    """Our own entries name columns; those of admin pages hold Django's message, in which rows of inlines are named `object`."""
    parts = [part.get("changed", {}) for part in detail.get("message") or [] if isinstance(part, dict)]
    named = {name for part in parts if "object" not in part for name in part.get("fields", ())}
    return column in detail.get("fields", ()) or bool(named & labels)
