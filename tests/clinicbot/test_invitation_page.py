"""What the link of an invitation shows, and what a POST there does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from clinicbot import clock
from clinicbot.access import SESSION_KEY
from clinicbot.actors import Actor
from clinicbot.inviting import revoke
from clinicbot.models import Clinic, Invitation, Membership, Role
from tests.clinicbot.inviting import EMAIL, invite_to
from tests.factories import MembershipFactory, UserFactory
from tests.scheduler.bench import at_once

pytestmark = pytest.mark.django_db

PASSWORD = "un-secreto-largo"
NEW = {"username": EMAIL, "password1": PASSWORD, "password2": PASSWORD}


@pytest.fixture
def invitation(clinic: Clinic) -> Invitation:
    return invite_to(clinic, now=clock.now())


@pytest.fixture
def page(invitation: Invitation) -> str:
    return f"/invitation/{invitation.token}/"


def test_looking_changes_nothing_however_often(client: Client, page: str, clinic: Clinic) -> None:
    """Mail scanners open every link."""
    shown = [client.get(page), client.head(page), client.get(page)]

    assert [response.status_code for response in shown] == [200] * 3
    assert clinic.name in shown[0].content.decode()
    assert f'value="{EMAIL}"' in shown[0].content.decode()
    assert shown[0]["Cache-Control"].startswith("max-age=0")
    assert not User.objects.exists()
    assert Invitation.unscoped.get().accepted_at is None


def test_somebody_new_chooses_name_and_password_and_is_at_the_clinic(client: Client, page: str, clinic: Clinic) -> None:
    response = client.post(page, NEW)

    user = User.objects.get()
    assert (response.status_code, response["Location"]) == (302, "/")
    assert (user.username, user.email, user.check_password(PASSWORD)) == (EMAIL, EMAIL, True)
    assert Membership.objects.get().role == Role.FRONT_DESK
    assert client.session[SESSION_KEY] == clinic.pk
    assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"password1": "12345678901", "password2": "12345678901"},
        {"password1": "short", "password2": "short"},
        {"password2": "another-long-one"},
        {"username": "a b"},
        {"username": ""},
        {"username": "\0"},
    ],
)
def test_what_is_no_name_or_password_makes_no_login(client: Client, page: str, wrong: dict[str, str]) -> None:
    response = client.post(page, NEW | wrong)

    assert response.status_code in (200, 400)
    assert not User.objects.exists()
    assert Invitation.unscoped.get().accepted_at is None


def test_a_name_that_is_taken_is_not_taken_over(client: Client, page: str) -> None:
    owner = UserFactory.create(username=EMAIL.upper())

    response = client.post(page, NEW)

    assert response.status_code == 200
    assert User.objects.get() == owner
    assert not owner.check_password(PASSWORD)


def test_who_has_a_login_works_there_only_after_saying_yes(client: Client, page: str, clinic: Clinic) -> None:
    elsewhere = MembershipFactory.create(role=Role.CLINIC_ADMIN)
    user = elsewhere.user
    user.set_password(PASSWORD)
    user.save()

    login = client.post(f"/login/?next={page}", {"username": user.username, "password": PASSWORD, "next": page})
    shown = client.get(login["Location"])
    before = Membership.objects.filter(clinic=clinic).exists()
    client.post(page)

    assert user.username in shown.content.decode()
    assert not before
    assert Membership.objects.get(clinic=clinic).user == user
    assert client.session[SESSION_KEY] == clinic.pk


def test_a_stranger_who_only_posts_gets_nothing(client: Client, page: str) -> None:
    assert client.post(page).status_code == 200
    assert not User.objects.exists()


def test_without_the_forms_own_token_nothing_is_accepted(page: str) -> None:
    assert Client(enforce_csrf_checks=True).post(page, NEW).status_code == 403


def take_back(invitation: Invitation) -> None:
    revoke(invitation.clinic_id, invitation_id=invitation.pk, actor=Actor.system(), now=clock.now())


def let_it_expire(invitation: Invitation) -> None:
    Invitation.unscoped.filter(pk=invitation.pk).update(expires_at=clock.now())


@pytest.mark.parametrize(
    ("end", "says"), [(take_back, "taken this invitation back"), (let_it_expire, "time of this invitation is over")]
)
def test_what_is_over_says_so_and_what_to_do(
    client: Client, invitation: Invitation, page: str, end: Callable[[Invitation], None], says: str
) -> None:
    end(invitation)

    for response in (client.get(page), client.post(page, NEW)):
        text = response.content.decode()
        assert response.status_code == 410
        assert says in text
        assert "sk the person who invited you" in text
    assert not User.objects.exists()


def test_an_accepted_or_unknown_link_says_so(client: Client, page: str) -> None:
    client.post(page, NEW)

    stranger = Client()
    assert "was accepted" in stranger.get(page).content.decode()
    assert stranger.get("/invitation/nonsense/").status_code == 404
    assert stranger.get("/invitation/a%00b/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_form_sent_twice_at_once_makes_one_login_and_no_error(page: str) -> None:
    """A double click: whoever comes second is shown how it stands."""
    statuses = at_once(4, lambda: Client().post(page, NEW)["Location"])

    assert sorted(statuses) == ["/", page, page, page]
    assert Membership.objects.get().user == User.objects.get()
