"""Clinics, members, the audit trail and users in the admin."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.admin_forms import list_countries, list_zones
from clinicbot.models import AuditEntry, Clinic, Membership, Role
from tests.factories import ClinicFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def chief(clinic: Clinic) -> Membership:
    return MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)


@pytest.fixture
def as_chief(client: Client, chief: Membership) -> Client:
    client.force_login(chief.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


@pytest.fixture
def as_boss() -> Client:
    client = Client()
    boss = UserFactory.create(is_superuser=True, username="boss")
    client.force_login(boss, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def url(name: str, *args: object) -> str:
    return reverse(f"admin:{name}", args=args)


def settings_of(clinic: Clinic, **changes: Any) -> dict[str, Any]:
    names = ("name", "slug", "zone", "country", "language", "phone", "address")
    return {name: getattr(clinic, name) for name in names} | changes


def test_a_clinic_admin_edits_the_own_clinic_but_neither_its_slug_nor_its_suspension(
    as_chief: Client, clinic: Clinic
) -> None:
    slug = clinic.slug
    change = settings_of(clinic, name="New name", slug="stolen", suspended_at_0="2026-01-01", suspended_reason="x")

    response = as_chief.post(url("clinicbot_clinic_change", clinic.pk), change)

    clinic.refresh_from_db()
    assert response.status_code == 302
    assert (clinic.name, clinic.slug, clinic.suspended_at, clinic.suspended_reason) == ("New name", slug, None, "")


def test_a_clinic_admin_sees_no_other_clinic_and_makes_none(as_chief: Client, clinic: Clinic) -> None:
    other = ClinicFactory.create(name="Foreign clinic")

    listed = as_chief.get(url("clinicbot_clinic_changelist"))

    assert list(listed.context["cl"].result_list) == [clinic]
    assert as_chief.get(url("clinicbot_clinic_change", other.pk)).status_code == 302
    assert as_chief.get(url("clinicbot_clinic_add")).status_code == 403


def test_a_clinic_admin_is_not_offered_to_suspend(as_chief: Client, clinic: Clinic) -> None:
    act = {"action": "suspend_selected", "_selected_action": [clinic.pk]}

    as_chief.post(url("clinicbot_clinic_changelist"), act)

    clinic.refresh_from_db()
    assert clinic.suspended_at is None


def test_a_superuser_makes_and_suspends_and_resumes_clinics(as_boss: Client) -> None:
    new = {"name": "N", "slug": "n", "zone": "America/Sao_Paulo", "country": "BR", "language": "pt"}
    as_boss.post(url("clinicbot_clinic_add"), new)
    clinic = Clinic.objects.get(slug="n")
    act = {"_selected_action": [clinic.pk]}

    as_boss.post(url("clinicbot_clinic_changelist"), act | {"action": "suspend_selected"})
    clinic.refresh_from_db()
    since = clinic.suspended_at
    as_boss.post(url("clinicbot_clinic_changelist"), act | {"action": "suspend_selected"})
    clinic.refresh_from_db()
    still_since = clinic.suspended_at
    as_boss.post(url("clinicbot_clinic_changelist"), act | {"action": "resume_selected"})
    clinic.refresh_from_db()

    assert since is not None
    assert still_since == since
    assert clinic.suspended_at is None
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == ["added", "suspended", "resumed"]


@pytest.mark.parametrize("change", [{"zone": "Mars/Olympus"}, {"country": "XX"}, {"language": "xx"}])
def test_an_unknown_zone_country_or_language_is_refused(
    as_chief: Client, clinic: Clinic, change: dict[str, str]
) -> None:
    response = as_chief.post(url("clinicbot_clinic_change", clinic.pk), settings_of(clinic, **change))

    assert response.status_code == 200
    assert Clinic.objects.filter(pk=clinic.pk, **change).count() == 0


def test_zones_and_countries_are_those_we_can_work_with() -> None:
    assert ("Europe/Madrid", "Europe/Madrid") in list_zones()
    assert ("ES", "Spain") in list_countries()


def test_a_role_is_changed_and_taken_away_but_not_one_s_own(as_chief: Client, chief: Membership) -> None:
    colleague = MembershipFactory.create(clinic=chief.clinic)

    as_chief.post(url("clinicbot_membership_change", colleague.pk), {"role": Role.PRACTITIONER})
    own = as_chief.post(url("clinicbot_membership_change", chief.pk), {"role": Role.FRONT_DESK})
    own_delete = as_chief.post(url("clinicbot_membership_delete", chief.pk), {"post": "yes"})
    colleague.refresh_from_db()
    as_chief.post(url("clinicbot_membership_delete", colleague.pk), {"post": "yes"})

    assert colleague.role == Role.PRACTITIONER
    assert (own.status_code, own_delete.status_code) == (403, 403)
    assert list(Membership.objects.values_list("pk", flat=True)) == [chief.pk]


def test_members_of_another_clinic_are_not_seen(as_chief: Client) -> None:
    MembershipFactory.create(user__username="foreigner")

    assert "foreigner" not in as_chief.get(url("clinicbot_membership_changelist")).content.decode()


def test_the_audit_trail_is_the_own_clinic_s_and_only_read(
    as_chief: Client, chief: Membership, clinic: Clinic, now: datetime
) -> None:
    mine = audit.record(Actor.system(), clinic=clinic, action="changed", subject=clinic, now=now)
    foreign = audit.record(Actor.system(), clinic=ClinicFactory.create(), action="changed", subject=clinic, now=now)

    listed = as_chief.get(url("clinicbot_auditentry_changelist")).context["cl"].result_list

    assert list(listed) == [mine]
    assert as_chief.get(url("clinicbot_auditentry_change", mine.pk)).status_code == 200
    assert as_chief.get(url("clinicbot_auditentry_change", foreign.pk)).status_code == 302
    assert as_chief.post(url("clinicbot_auditentry_delete", mine.pk), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("name", ["auth_user", "auth_group"])
def test_users_and_groups_are_a_superuser_s(as_chief: Client, as_boss: Client, name: str) -> None:
    assert as_chief.get(url(f"{name}_changelist")).status_code == 403
    assert as_boss.get(url(f"{name}_changelist")).status_code == 200


def test_a_superuser_makes_and_switches_off_users(as_boss: Client) -> None:
    add = {
        "username": "new",
        "usable_password": "true",
        "password1": "un-secreto-largo",
        "password2": "un-secreto-largo",
    }
    as_boss.post(url("auth_user_add"), add)
    new = User.objects.get(username="new")

    as_boss.post(url("auth_user_change", new.pk), {"username": "new", "first_name": "", "last_name": "", "email": ""})

    new.refresh_from_db()
    assert not new.is_active


def test_what_a_group_may_do_is_changed_by_a_superuser(as_boss: Client) -> None:
    group = Group.objects.get(name="Practitioner")

    as_boss.post(url("auth_group_change", group.pk), {"name": "Practitioner", "permissions": []})

    assert not group.permissions.exists()


def test_the_start_page_shows_what_the_role_may_see(as_chief: Client) -> None:
    text = as_chief.get(url("index")).content.decode()

    assert url("clinicbot_membership_changelist") in text
    assert url("auth_user_changelist") not in text
