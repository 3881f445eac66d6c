"""Invitations in the admin: made, sent again, taken back; never changed."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot import clock
from clinicbot.inviting import OPEN_FOR
from clinicbot.models import Clinic, Invitation, InvitationState, Role
from clinicbot.redaction import mask_address
from tests.appointments.admin.conftest import sign_in
from tests.clinicbot.inviting import EMAIL, invite_to
from tests.factories import ClinicFactory, UserFactory

pytestmark = pytest.mark.django_db

LIST, ADD = "admin:clinicbot_invitation_changelist", "admin:clinicbot_invitation_add"


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.CLINIC_ADMIN)


def act(client: Client, action: str, invitation: Invitation) -> None:
    client.post(reverse(LIST), {"action": action, "_selected_action": [invitation.pk]})


def test_to_add_a_member_is_to_invite(chief: Client, clinic: Clinic) -> None:
    form = chief.get(reverse("admin:clinicbot_membership_add"), follow=True)

    response = chief.post(reverse(ADD), {"email": " Nueva@Example.org", "role": Role.PRACTITIONER}, follow=True)

    invitation = Invitation.objects.for_clinic(clinic).get()
    assert form.redirect_chain[-1][0] == reverse(ADD)
    assert (invitation.email, invitation.role, invitation.state_at(clock.now())) == (EMAIL, "practitioner", "open")
    assert invitation.token not in response.content.decode()


def test_the_answer_is_the_same_whether_or_not_the_address_has_a_login(chief: Client) -> None:
    UserFactory.create(username="known@example.org", email="known@example.org")
    answers = [
        chief.post(reverse(ADD), {"email": email, "role": Role.FRONT_DESK}, follow=True).content.decode()
        for email in ("known@example.org", "nobody@example.org")
    ]

    said = [answer.count("was added successfully") for answer in answers]
    assert said == [1, 1]


@pytest.mark.parametrize("wrong", [{"email": "nobody"}, {"email": "a@localhost"}, {"role": "owner"}])
def test_what_is_no_address_or_role_is_refused(chief: Client, wrong: dict[str, str]) -> None:
    response = chief.post(reverse(ADD), {"email": EMAIL, "role": Role.FRONT_DESK} | wrong)

    assert response.status_code == 200
    assert not Invitation.unscoped.exists()


def test_inviting_twice_is_no_error_and_one_row(chief: Client) -> None:
    for role in (Role.FRONT_DESK, Role.PRACTITIONER):
        assert chief.post(reverse(ADD), {"email": EMAIL, "role": role}).status_code == 302

    assert Invitation.unscoped.get().letters == 2


def test_it_is_sent_again_and_taken_back_from_the_list(chief: Client, clinic: Clinic) -> None:
    invitation = invite_to(clinic, now=clock.now() - OPEN_FOR)

    act(chief, "resend_selected", invitation)
    again = Invitation.unscoped.get()
    act(chief, "revoke_selected", invitation)

    assert (again.letters, again.state_at(clock.now())) == (2, InvitationState.OPEN)
    assert Invitation.unscoped.get().state_at(clock.now()) == InvitationState.REVOKED


def test_no_page_shows_the_token(chief: Client, clinic: Clinic) -> None:
    invitation = invite_to(clinic, now=clock.now())

    pages = [reverse(LIST), reverse("admin:clinicbot_invitation_change", args=[invitation.pk])]
    texts = [chief.get(page).content.decode() for page in pages]

    assert [EMAIL in text for text in texts] == [False, True]
    assert mask_address(EMAIL) in texts[0]
    assert [invitation.token in text or invitation.token_hash in text for text in texts] == [False, False]


def test_another_clinic_s_invitations_are_neither_seen_nor_acted_on(chief: Client) -> None:
    foreign = invite_to(ClinicFactory.create(), now=clock.now())

    act(chief, "revoke_selected", foreign)
    act(chief, "resend_selected", foreign)

    kept = Invitation.unscoped.get()
    assert mask_address(EMAIL) not in chief.get(reverse(LIST)).content.decode()
    assert (kept.letters, kept.revoked_at) == (1, None)


@pytest.mark.parametrize("role", [Role.FRONT_DESK, Role.PRACTITIONER])
def test_inviting_is_the_clinic_admin_s(clinic: Clinic, role: Role) -> None:
    assert sign_in(clinic, role).get(reverse(ADD)).status_code == 403


def test_too_many_letters_are_refused_in_words(clinic: Clinic) -> None:
    chief = sign_in(clinic, Role.CLINIC_ADMIN)
    chief.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    form = {"email": EMAIL, "role": Role.FRONT_DESK}
    for _thrice in range(3):
        chief.post(reverse(ADD), form)
    invitation = Invitation.unscoped.get()

    by_form = chief.post(reverse(ADD), form).content.decode()
    act(chief, "resend_selected", invitation)
    by_action = chief.get(reverse(LIST)).content.decode()

    assert Invitation.unscoped.get().letters == 3
    for said in (by_form, by_action):
        assert "That address got 3 letters within the hour. Try again in an hour." in said
    assert "No letter was sent." in by_action
