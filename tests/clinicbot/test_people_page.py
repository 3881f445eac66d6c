from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot import clock
from clinicbot.actors import Actor, ActorKind
from clinicbot.inviting import accept, invite
from clinicbot.models import Clinic, Invitation, Membership, Role
from tests.factories import ClinicFactory, MembershipFactory, UserFactory

MOST_QUERIES = 12
PAGE = reverse("settings-people")
LONG = "María de las Mercedes Fernández de Córdoba y Álvarez de Tol"


@pytest.fixture
def boss(clinic: Clinic) -> Membership:
    member: Membership = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    return member


@pytest.fixture
def chief(boss: Membership) -> Client:
    client = Client()
    client.force_login(boss.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


def invited(clinic: Clinic, boss: Membership, email: str = "eva@clinic.example") -> Invitation:
    return invite(
        clinic, email=email, role=Role.FRONT_DESK, actor=Actor(ActorKind.STAFF, boss.user_id), now=clock.now()
    )


def test_each_member_stands_below_their_role_with_since_when_and_by_whom(
    chief: Client, clinic: Clinic, boss: Membership
) -> None:
    newcomer = UserFactory.create(first_name=LONG, last_name="")
    accept(invited(clinic, boss).token, user=newcomer, now=clock.now())

    page = chief.get(PAGE)

    roles = {str(label): [one.name for one in members] for label, _may, members in page.context["roles"]}
    assert roles["Front desk"] == [LONG]
    assert f"invited by {boss.user.get_full_name() or boss.user.username}" in page.content.decode()
    assert "The only clinic admin." in page.content.decode()


def test_nobody_is_offered_to_change_or_remove_themselves(chief: Client, clinic: Clinic, boss: Membership) -> None:
    other = MembershipFactory.create(clinic=clinic, role=Role.PRACTITIONER)

    page = chief.get(PAGE).content.decode()

    assert reverse("admin:clinicbot_membership_change", args=[other.pk]) in page
    assert reverse("admin:clinicbot_membership_change", args=[boss.pk]) not in page


def test_an_invitation_is_sent_again_and_taken_back(chief: Client, clinic: Clinic, boss: Membership) -> None:
    waiting = invited(clinic, boss)
    assert "eva@clinic.example" not in chief.get(PAGE).content.decode()  # Masked, as in every list.

    chief.post(reverse("settings-invitation-again", args=[waiting.pk]))
    waiting.refresh_from_db()
    assert waiting.letters == 2

    chief.post(reverse("settings-invitation-back", args=[waiting.pk]))
    waiting.refresh_from_db()
    assert waiting.revoked_at is not None
    assert "already" in chief.post(reverse("settings-invitation-back", args=[waiting.pk]), follow=True).content.decode()


def test_too_many_letters_are_refused_in_words(chief: Client, clinic: Clinic, boss: Membership) -> None:
    waiting = invited(clinic, boss)
    address = reverse("settings-invitation-again", args=[waiting.pk])

    answers = [chief.post(address, follow=True).content.decode() for _ in range(3)]

    assert "Try again in an hour" in answers[-1]


def test_an_invitation_whose_week_is_over_says_so(chief: Client, clinic: Clinic, boss: Membership) -> None:
    waiting = invited(clinic, boss)
    Invitation.objects.for_clinic(clinic).filter(pk=waiting.pk).update(expires_at=clock.now() - timedelta(days=1))

    assert "its week is over" in chief.get(PAGE).content.decode()


def test_another_clinics_people_are_out_of_sight_and_reach(chief: Client) -> None:
    other = ClinicFactory.create()
    stranger = MembershipFactory.create(clinic=other, role=Role.CLINIC_ADMIN, user__first_name="Fremd")
    theirs = invited(other, stranger)

    assert "Fremd" not in chief.get(PAGE).content.decode()
    for name in ("settings-invitation-again", "settings-invitation-back"):
        assert chief.post(reverse(name, args=[theirs.pk])).status_code == 404
    theirs.refresh_from_db()
    assert (theirs.letters, theirs.revoked_at) == (1, None)


def test_ten_members_ask_no_more_than_one(chief: Client, clinic: Clinic, boss: Membership) -> None:
    for number in range(10):
        MembershipFactory.create(clinic=clinic, role=Role.FRONT_DESK)
        invited(clinic, boss, email=f"eva{number}@clinic.example")

    with CaptureQueriesContext(connection) as queries:
        chief.get(PAGE)

    assert len(queries) <= MOST_QUERIES
