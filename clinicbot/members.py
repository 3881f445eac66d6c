"""Who works at a clinic."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from clinicbot.models import Clinic, Membership


@dataclass(frozen=True, slots=True)
class Member:
    """name: as colleagues know them."""

    user_id: int
    name: str


def members_of(clinic: Clinic) -> list[Member]:
    """By name; without those whose login is closed. One query."""
    members = memberships_open(clinic.pk).select_related("user")
    named = [Member(one.user_id, one.user.get_full_name() or one.user.get_username()) for one in members]
    return sorted(named, key=lambda member: (member.name.casefold(), member.user_id))


def is_member(clinic: Clinic, *, user_id: int) -> bool:
    return memberships_open(clinic.pk).filter(user_id=user_id).exists()


def memberships_open(clinic_id: int) -> QuerySet[Membership]:
    """Of those whose login is not closed."""
    return Membership.objects.filter(clinic_id=clinic_id, user__is_active=True)


def works_at(clinic_id: int | None, *, user_id: int) -> bool:
    """With a login that is not closed, as a member or a superuser. At no one clinic (None) only superusers do."""
    if clinic_id is not None and memberships_open(clinic_id).filter(user_id=user_id).exists():
        return True
    return get_user_model().objects.filter(pk=user_id, is_active=True, is_superuser=True).exists()
