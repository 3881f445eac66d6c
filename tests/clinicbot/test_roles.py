"""The groups that come with the product."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission

from clinicbot.roles import GROUPS, PERMISSIONS, grant_role_permissions

pytestmark = pytest.mark.django_db


def codenames_of(group_name: str) -> set[str]:
    permissions = Permission.objects.filter(group__name=group_name).select_related("content_type")
    return {f"{one.content_type.app_label}.{one.codename}" for one in permissions}


def grant_all() -> None:
    for app_config in apps.get_app_configs():
        grant_role_permissions(app_config, using="default")


def test_each_role_has_its_group_after_a_migration() -> None:
    assert {"clinicbot.change_clinic", "clinicbot.add_membership", "clinicbot.view_auditentry"} <= codenames_of(
        "Clinic admin"
    )
    assert "clinicbot.change_clinic" not in codenames_of("Front desk")
    assert not [one for one in codenames_of("Practitioner") if ".add_" in one or ".delete_" in one]


def test_granting_again_changes_nothing_and_keeps_what_a_superuser_added() -> None:
    added = Permission.objects.get(codename="view_session")
    Group.objects.get(name="Front desk").permissions.add(added)
    before = {name: codenames_of(name) for name in GROUPS.values()}

    grant_all()

    assert {name: codenames_of(name) for name in GROUPS.values()} == before
    assert "sessions.view_session" in before["Front desk"]


def test_no_role_gets_what_is_a_superuser_s() -> None:
    granted = set().union(*(codenames_of(name) for name in GROUPS.values()))

    assert not [one for one in granted if one.startswith(("auth.", "axes.", "admin.", "sessions."))]
    assert not granted & {
        "clinicbot.add_clinic",
        "clinicbot.delete_clinic",
        "scheduler.pause_queue",
        "scheduler.change_queue",
    }


@pytest.mark.parametrize("pattern", sorted({one for patterns in PERMISSIONS.values() for one in patterns}))
def test_each_pattern_means_some_permission(pattern: str) -> None:
    app, codename = pattern.split(".")
    granted = set().union(*(codenames_of(name) for name in GROUPS.values()))

    beginning, _, end = codename.partition("*")
    assert [one for one in granted if one.startswith(f"{app}.{beginning}") and one.endswith(end)]
