"""At which clinic somebody works, and what they may do there."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission, User
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from clinicbot.access import SESSION_KEY, ClinicRequest, clinic_required, list_clinics, permission_required_here
from clinicbot.active_clinic import ActiveClinicMiddleware
from clinicbot.models import Clinic, Membership, Role
from tests.factories import ClinicFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


def request_of(user: User, *, chosen: Clinic | None = None) -> Any:
    """A request of a fresh process: the user is read from the database again."""
    request = RequestFactory().get("/")
    request.user = User.objects.get(pk=user.pk)
    request.session = SessionStore()
    if chosen is not None:
        request.session[SESSION_KEY] = chosen.pk
    ActiveClinicMiddleware(lambda _: HttpResponse())(request)
    return request


@clinic_required
def name_of_clinic(request: ClinicRequest) -> HttpResponse:
    return HttpResponse(request.clinic.name)


@permission_required_here("clinicbot.change_clinic")
def change_clinic(request: ClinicRequest) -> HttpResponse:
    return HttpResponse("changed")


def text_of(answer: HttpResponseBase) -> str:
    assert isinstance(answer, HttpResponse)
    return answer.content.decode()


def test_the_only_membership_is_active_by_itself() -> None:
    membership = MembershipFactory.create()

    request = request_of(membership.user)

    assert (request.clinic, request.membership) == (membership.clinic, membership)
    assert text_of(name_of_clinic(request)) == membership.clinic.name


def test_somebody_with_two_memberships_chooses_first() -> None:
    first = MembershipFactory.create()
    second = MembershipFactory.create(user=first.user)

    undecided = request_of(first.user)
    decided = request_of(first.user, chosen=second.clinic)

    assert undecided.clinic is None
    assert name_of_clinic(undecided)["Location"] == "/clinic/"
    assert decided.clinic == second.clinic


def test_a_clinic_one_does_not_belong_to_cannot_be_active() -> None:
    membership = MembershipFactory.create()

    request = request_of(membership.user, chosen=ClinicFactory.create())

    assert request.clinic == membership.clinic


def test_a_superuser_may_choose_any_clinic_and_is_at_none_before() -> None:
    boss = UserFactory.create(is_superuser=True)
    clinic = ClinicFactory.create()

    assert request_of(boss).clinic is None
    assert request_of(boss, chosen=clinic).clinic == clinic
    assert clinic in list_clinics(boss)


def test_a_role_gives_its_permissions_at_the_active_clinic_only() -> None:
    admin_here = MembershipFactory.create(role=Role.CLINIC_ADMIN)
    desk_there = MembershipFactory.create(user=admin_here.user, role=Role.FRONT_DESK)

    here = request_of(admin_here.user, chosen=admin_here.clinic)
    there = request_of(admin_here.user, chosen=desk_there.clinic)

    assert text_of(change_clinic(here)) == "changed"
    with pytest.raises(PermissionDenied):
        change_clinic(there)
    assert not request_of(admin_here.user).user.has_perm("clinicbot.change_clinic")


def test_a_group_or_a_permission_of_the_user_gives_nothing() -> None:
    membership = MembershipFactory.create(role=Role.PRACTITIONER)
    membership.user.groups.add(Group.objects.get(name="Clinic admin"))
    membership.user.user_permissions.add(Permission.objects.get(codename="change_clinic"))

    assert not request_of(membership.user).user.has_perm("clinicbot.change_clinic")


def test_a_membership_taken_away_ends_at_once(client: Client) -> None:
    membership = MembershipFactory.create(role=Role.CLINIC_ADMIN)
    client.force_login(membership.user, backend="clinicbot.auth.ClinicRoleBackend")
    assert request_of(membership.user).user.has_perm("clinicbot.change_clinic")

    Membership.objects.all().delete()

    request = request_of(membership.user, chosen=membership.clinic)
    assert request.clinic is None
    assert not request.user.has_perm("clinicbot.change_clinic")


def test_a_user_switched_off_is_a_stranger_at_once(client: Client) -> None:
    membership = MembershipFactory.create(role=Role.CLINIC_ADMIN)
    client.force_login(membership.user, backend="clinicbot.auth.ClinicRoleBackend")
    User.objects.update(is_active=False)

    assert client.post("/clinic/", {"clinic": membership.clinic_id})["Location"] == "/login/?next=/clinic/"
    assert request_of(membership.user).clinic is None


def test_choosing_a_clinic_lasts_for_the_session(client: Client) -> None:
    first = MembershipFactory.create()
    second = MembershipFactory.create(user=first.user)
    client.force_login(first.user, backend="clinicbot.auth.ClinicRoleBackend")

    response = client.post("/clinic/", {"clinic": second.clinic_id, "next": "/patients/"})

    assert response["Location"] == "/patients/"
    assert client.session[SESSION_KEY] == second.clinic_id


def test_choosing_leads_nowhere_else(client: Client) -> None:
    membership = MembershipFactory.create()
    client.force_login(membership.user, backend="clinicbot.auth.ClinicRoleBackend")

    assert client.post("/clinic/", {"clinic": membership.clinic_id, "next": "//evil.example"})["Location"] == "/"
    assert client.post("/clinic/", {"clinic": ClinicFactory.create().pk}).status_code == 403
    assert client.post("/clinic/", {"clinic": "x"}).status_code == 403


def test_every_page_asks_who_you_are_unless_it_says_otherwise(client: Client) -> None:
    assert client.get("/clinic/")["Location"] == "/login/?next=/clinic/"
    assert client.post("/language/", {"language": "es", "next": "/login/"})["Location"] == "/login/"


def test_a_request_reads_the_memberships_once(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    membership = MembershipFactory.create()
    request = request_of(membership.user)

    with django_assert_num_queries(1):
        ActiveClinicMiddleware(lambda _: HttpResponse())(request)


def test_requests_of_strangers_read_nothing(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        Client().get("/nowhere/")


def test_a_page_s_times_are_the_clinic_s() -> None:
    membership = MembershipFactory.create(clinic__zone="America/Sao_Paulo")
    zones: list[str] = []

    def view(request: HttpRequest) -> HttpResponse:
        zones.append(timezone.get_current_timezone_name())
        return HttpResponse()

    request = request_of(membership.user)
    ActiveClinicMiddleware(view)(request)
    request.user = AnonymousUser()
    ActiveClinicMiddleware(view)(request)

    assert zones == ["America/Sao_Paulo", "UTC"]
    assert timezone.get_current_timezone_name() == "UTC"


def test_the_page_offers_the_clinics_one_may_work_at(client: Client) -> None:
    membership = MembershipFactory.create(clinic__name="Own clinic")
    ClinicFactory.create(name="Foreign clinic")
    client.force_login(membership.user, backend="clinicbot.auth.ClinicRoleBackend")

    text = " ".join(client.get("/clinic/").content.decode().split())

    assert f'name="clinic" value="{membership.clinic_id}"' in text
    assert "Own clinic" in text
    assert "Foreign clinic" not in text


def test_the_page_tells_somebody_without_a_clinic_what_to_do(client: Client) -> None:
    client.force_login(UserFactory.create(), backend="clinicbot.auth.ClinicRoleBackend")

    assert "Ask the person who runs it" in client.get("/clinic/").content.decode()
