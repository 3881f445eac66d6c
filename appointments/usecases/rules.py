"""Changing when a clinic reminds. Jobs planned by the rule as it was leave themselves out; coming visits are planned again."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from appointments.errors import NotAtThisClinicError
from appointments.models import ReminderRule, SendHours, Service
from appointments.queries.rule_effects import RuleWish, SendHoursWish
from appointments.usecases.reminding import plan_clinic_again
from clinicbot.models import Clinic


@transaction.atomic
def add_rule(clinic: Clinic, *, wish: RuleWish, sends_due: bool = False, now: datetime) -> ReminderRule:
    """One more reminder for every visit that is far enough ahead, those booked already included.

    sends_due: whether those that would have been due already go now.

    Raises:
        NotAtThisClinicError: another clinic's service.
    """
    _check_service(clinic, wish=wish)
    rule = ReminderRule.objects.create(clinic=clinic, **asdict(wish))
    plan_clinic_again(clinic.pk, sends_due_of=rule.pk if sends_due else None, now=now)
    return rule


@transaction.atomic
def change_rule(
    clinic: Clinic, *, rule_id: int, wish: RuleWish, sends_due: bool = False, now: datetime
) -> ReminderRule:
    """The rule as wished, one version on. As it was already: nothing changes. What it reminded of is not said again.

    Raises:
        NotAtThisClinicError: another clinic's rule or service.
    """
    rule = ReminderRule.objects.for_clinic(clinic).filter(pk=rule_id).select_for_update().first()
    if rule is None:
        raise NotAtThisClinicError
    wanted = asdict(wish)
    if all(getattr(rule, name) == value for name, value in wanted.items()):
        return rule
    _check_service(clinic, wish=wish)
    for name, value in wanted.items():
        setattr(rule, name, value)
    rule.version += 1
    rule.save(update_fields=[*wanted, "version"])
    plan_clinic_again(clinic.pk, sends_due_of=rule.pk if sends_due else None, now=now)
    return rule


@transaction.atomic
def set_send_hours(clinic: Clinic, *, wish: SendHoursWish, now: datetime) -> SendHours:
    """From now on nothing that can wait goes at other hours; what was planned for them is planned earlier."""
    row, _is_new = SendHours.objects.for_clinic(clinic).update_or_create(clinic=clinic, defaults=asdict(wish))
    plan_clinic_again(clinic.pk, now=now)
    return row


def _check_service(clinic: Clinic, *, wish: RuleWish) -> None:
    if wish.service_id is not None and not Service.objects.for_clinic(clinic).filter(pk=wish.service_id).exists():
        raise NotAtThisClinicError
