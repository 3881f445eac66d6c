"""A practitioner works here no more: not to be booked, no login here, no calendar address. Their name and their visits stay."""

from __future__ import annotations

from datetime import datetime

from appointments.models import ClosurePlan, Practitioner
from appointments.usecases.feeds import end_feeds_of_practitioner
from clinicbot.models import Membership


def let_go(plan: ClosurePlan, *, now: datetime) -> None:
    """At once, in the transaction of whoever asks. What their login was stays with the plan, for an undo."""
    practitioner = _get(plan)
    practitioner.is_active = False
    practitioner.save(update_fields=["is_active"])
    end_feeds_of_practitioner(practitioner, now=now)
    if not plan.takes_login or practitioner.user_id is None:
        return
    membership = Membership.objects.filter(clinic_id=plan.clinic_id, user_id=practitioner.user_id).first()
    if membership is not None:
        plan.login_id, plan.login_role = membership.user_id, membership.role
        membership.delete()


def come_back(plan: ClosurePlan) -> None:
    """Taken back within the ten minutes. A calendar's address stays over: somebody opens a new one."""
    practitioner = _get(plan)
    practitioner.is_active = True
    practitioner.save(update_fields=["is_active"])
    if plan.login_id is not None:
        Membership.objects.get_or_create(
            clinic_id=plan.clinic_id, user_id=plan.login_id, defaults={"role": plan.login_role}
        )


def _get(plan: ClosurePlan) -> Practitioner:
    people = Practitioner.objects.for_clinic(plan.clinic_id).filter(pk__in=[plan.practitioner_id])
    return people.select_for_update(no_key=True).get()
