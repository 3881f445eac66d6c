"""Who may do what: a role's permissions, at the clinic one is working at, and nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission
from django.db.models import QuerySet

from clinicbot.access import active_membership
from clinicbot.models import Role
from clinicbot.roles import GROUPS


class ClinicRoleBackend(ModelBackend):
    """Passwords as Django checks them. Groups and permissions of a user do not count, for they would hold at every clinic."""

    def _get_user_permissions(self, user_obj: Any) -> QuerySet[Permission]:
        return Permission.objects.none()

    def _get_group_permissions(self, user_obj: Any) -> QuerySet[Permission]:
        membership = active_membership(user_obj)
        if membership is None:
            return Permission.objects.none()
        return Permission.objects.filter(group__name=GROUPS[Role(membership.role)])
