"""What each role may do, as Django groups. A superuser may add to them; what stands here comes back with each migration."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

from clinicbot.models import Role

GROUPS = {Role.CLINIC_ADMIN: "Clinic admin", Role.FRONT_DESK: "Front desk", Role.PRACTITIONER: "Practitioner"}

# Patterns of "<house>.<permission>". Queues, raw webhooks, ticks, users and groups are a superuser's.
PERMISSIONS: dict[Role, tuple[str, ...]] = {
    Role.CLINIC_ADMIN: (
        "appointments.*",
        "clinicbot.view_clinic",
        "clinicbot.change_clinic",
        "clinicbot.view_numbers",
        "clinicbot.export_data",
        "clinicbot.*_membership",
        "clinicbot.*_invitation",
        "clinicbot.view_auditentry",
        "clinicbot.view_bulkbatch",
        "messaging.*_sendingaccount",
        "messaging.*_killswitch",
        "messaging.*_message",
        "messaging.*_messagetemplate",
        "messaging.*_textoverride",
        "messaging.*_stafftask",
        "messaging.*_savedtext",
        "messaging.add_writtenanswer",
        "messaging.*_consent",
        "messaging.view_contact",
        "messaging.view_attempt",
        "messaging.view_inboundmessage",
        "outbox.view_*",
        "outbox.retry_outboxdelivery",
        "scheduler.view_scheduledjob",
        "scheduler.retry_scheduledjob",
        "scheduler.cancel_scheduledjob",
        "scheduler.reschedule_scheduledjob",
        "scheduler.view_schedule",
        "scheduler.view_schedulerun",
    ),
    Role.FRONT_DESK: (
        "appointments.view_*",
        "appointments.add_appointment",
        "appointments.change_appointment",
        "appointments.mark_attendance",
        "appointments.add_callattempt",
        "appointments.plan_closure",
        "appointments.add_patient",
        "appointments.change_patient",
        "appointments.*_patientcontact",
        "messaging.view_message",
        "messaging.view_attempt",
        "messaging.view_inboundmessage",
        "messaging.view_contact",
        "messaging.view_consent",
        "messaging.add_consent",
        "messaging.view_stafftask",
        "messaging.finish_stafftask",
        "messaging.add_writtenanswer",
        "messaging.view_savedtext",
        "messaging.resend_message",
        "messaging.cancel_message",
    ),
    Role.PRACTITIONER: (
        "appointments.view_*",
        "appointments.mark_attendance",
        "messaging.view_message",
        "messaging.view_stafftask",
    ),
}


def grant_role_permissions(app_config: AppConfig, using: str, **kwargs: Any) -> None:
    """After each migration: make the groups and give them this house's permissions. Takes nothing away."""
    if not _speaks_of(app_config.label):
        return
    create_permissions(app_config, using=using, verbosity=0)  # Ours may run before Django's own.
    permissions = list(Permission.objects.using(using).filter(content_type__app_label=app_config.label))
    for role, patterns in PERMISSIONS.items():
        group, _ = Group.objects.using(using).get_or_create(name=GROUPS[role])
        group.permissions.add(*[one for one in permissions if _is_granted(app_config.label, one.codename, patterns)])


def _speaks_of(label: str) -> bool:
    return any(pattern.startswith(f"{label}.") for patterns in PERMISSIONS.values() for pattern in patterns)


def _is_granted(label: str, codename: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(f"{label}.{codename}", pattern) for pattern in patterns)
