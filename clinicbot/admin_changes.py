"""What a form of the admin changed, as far as it is nobody's own: yes and no, numbers, times of day, one of some words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models

PLAIN = (models.BooleanField, models.IntegerField, models.FloatField, models.TimeField)


def plain_changes(form: Any) -> Mapping[str, Mapping[str, Any]]:
    """As `before` and `after` of the audit trail; of names, numbers of phones, dates and texts the trail keeps the field alone."""
    before, after = {}, {}
    for name in getattr(form, "changed_data", ()):
        if _is_plain(form.instance, name):
            before[name], after[name] = form.initial.get(name), form.cleaned_data.get(name)
    return {"before": before, "after": after} if before else {}


def _is_plain(row: models.Model, name: str) -> bool:
    try:
        field = row._meta.get_field(name)
    except FieldDoesNotExist:
        return False
    return isinstance(field, PLAIN) or bool(getattr(field, "choices", None))
