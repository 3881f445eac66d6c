"""Changing when a clinic reminds. Jobs planned by the rule as it was leave themselves out; coming visits are planned again."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, time

from django.db import transaction

from appointments.errors import NotAtThisClinicError
from appointments.models import ReminderRule
from appointments.usecases.reminding import plan_clinic_again
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWish:
    """Days (in wall-clock time, at a set time or the visit's own) or hours (elapsed), not both."""

    days_before: int | None = None
    at_time: time | None = None
    hours_before: int | None = None
    only_if_unconfirmed: bool = False
    is_active: bool = True


@transaction.atomic
def add_rule(clinic: Clinic, *, wish: RuleWish, now: datetime) -> ReminderRule:
    """One more reminder for every visit that is far enough ahead, those booked already included."""
    rule = ReminderRule.objects.create(clinic=clinic, **asdict(wish))
    plan_clinic_again(clinic.pk, now=now)
    return rule


@transaction.atomic
def change_rule(clinic: Clinic, *, rule_id: int, wish: RuleWish, now: datetime) -> ReminderRule:
    """The rule as wished, one version on. As it was already: nothing changes.

    Raises:
        NotAtThisClinicError: another clinic's rule.
    """
    rule = ReminderRule.objects.for_clinic(clinic).filter(pk=rule_id).select_for_update().first()
    if rule is None:
        raise NotAtThisClinicError
    wanted = asdict(wish)
    if all(getattr(rule, name) == value for name, value in wanted.items()):
        return rule
    for name, value in wanted.items():
        setattr(rule, name, value)
    rule.version += 1
    rule.save(update_fields=[*wanted, "version"])
    plan_clinic_again(clinic.pk, now=now)
    return rule
