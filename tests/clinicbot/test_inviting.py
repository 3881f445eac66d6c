"""Inviting somebody by e-mail: the letter, sent again, taken back, too late."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from clinicbot.actors import Actor, ActorKind
from clinicbot.errors import InvitationOverError, TooOftenError
from clinicbot.inviting import OPEN_FOR, accept, find_invitation, invite, purge_invitations, resend, revoke
from clinicbot.models import AuditEntry, Clinic, Invitation, Membership, Role
from messaging.models import Attempt, Contact, Message, MessageState
from tests.clinicbot.inviting import EMAIL, Mailbox, invite_to, open_mailbox
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.scheduler.bench import at_once

pytestmark = pytest.mark.django_db

STAFF = Actor.system()


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with open_mailbox() as mailbox:
        yield mailbox


def actor_of(membership: Membership) -> Actor:
    return Actor(ActorKind.STAFF, membership.user_id)


def token_of(invitation: Invitation) -> str:
    return str(Invitation.unscoped.get(pk=invitation.pk).token)


def test_an_invitation_is_a_letter_in_the_clinic_s_language(
    clinic: Clinic, mailbox: Mailbox, now: datetime, settings: Settings
) -> None:
    settings.BASE_URL = "https://bot.example"

    invitation = invite_to(clinic, now=now)
    mailbox.collect(now=now)

    [letter], [body] = mailbox.letters, mailbox.bodies
    assert letter.email == EMAIL
    assert f"https://bot.example/invitation/{token_of(invitation)}/" in body
    assert clinic.name in body
    assert "Recepción" in body
    assert User.objects.count() == Membership.objects.count() == 0


def test_the_link_is_kept_nowhere_that_people_look(clinic: Clinic, mailbox: Mailbox, now: datetime) -> None:
    invitation = invite_to(clinic, now=now)
    mailbox.collect(now=now)

    token = token_of(invitation)
    assert [attempt.text.count(token) for attempt in Attempt.unscoped.all()] == [0]
    assert token not in str(list(Message.unscoped.values()) + list(AuditEntry.objects.values()))
    assert EMAIL not in str(list(AuditEntry.objects.values()))
    assert find_invitation(token) == invitation


def test_inviting_the_same_address_again_is_the_same_invitation_with_another_letter(
    clinic: Clinic, mailbox: Mailbox, now: datetime
) -> None:
    first = invite_to(clinic, now=now)
    mailbox.collect(now=now)

    again = invite_to(clinic, now=now + timedelta(days=1), role=Role.PRACTITIONER)
    mailbox.collect(now=now + timedelta(days=1))

    again.refresh_from_db()
    assert (again.pk, again.role, again.letters) == (first.pk, Role.PRACTITIONER, 2)
    assert len(mailbox.letters) == 2
    assert "Profesional" in mailbox.bodies[1]
    assert mailbox.link == f"/invitation/{token_of(first)}/"  # The first letter works as well.


def test_a_letter_that_a_newer_one_overtook_does_not_go(clinic: Clinic, mailbox: Mailbox, now: datetime) -> None:
    invitation = invite_to(clinic, now=now)
    resend(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=now)

    for moment in (now, now + timedelta(seconds=3)):  # The newer waits for what becomes of the older.
        mailbox.collect(now=moment)

    states = list(Message.unscoped.order_by("pk").values_list("state", "reason"))
    assert states == [(MessageState.SKIPPED, "overtaken"), (MessageState.ACCEPTED, "")]


def test_sent_again_it_is_open_for_another_week(clinic: Clinic, mailbox: Mailbox, now: datetime) -> None:
    invitation, later = invite_to(clinic, now=now), now + OPEN_FOR + timedelta(days=3)
    with pytest.raises(InvitationOverError):
        accept(token_of(invitation), user=UserFactory.create(), now=later)

    resend(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=later)
    mailbox.collect(now=later)

    accept(token_of(invitation), user=UserFactory.create(), now=later + timedelta(days=6))
    assert Membership.objects.count() == 1


def test_taken_back_before_it_went_it_does_not_go_and_later_it_does_not_work(
    clinic: Clinic, mailbox: Mailbox, now: datetime
) -> None:
    invitation = invite_to(clinic, now=now)
    token = token_of(invitation)

    taken_back = [revoke(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=now) for _ in range(2)]
    mailbox.collect(now=now)

    assert taken_back == [True, False]
    assert mailbox.letters == []
    assert Message.unscoped.get().reason == "invitation_over"
    assert not resend(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=now)
    with pytest.raises(InvitationOverError):
        accept(token, user=UserFactory.create(), now=now)


@pytest.mark.parametrize("end", ["place", "place among others", "role", "login closed", "login deleted"])
def test_what_somebody_who_left_had_offered_is_over(clinic: Clinic, mailbox: Mailbox, now: datetime, end: str) -> None:
    chief, other = (MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN) for _both in "12")
    invitation, stays = (
        invite(clinic, email=f"{who.pk}@example.org", role=Role.FRONT_DESK, actor=actor_of(who), now=now)
        for who in (chief, other)
    )
    token = token_of(invitation)

    if end == "place":
        chief.delete()
    elif end == "place among others":
        Membership.objects.filter(pk=chief.pk).delete()
    elif end == "role":
        chief.role = Role.FRONT_DESK
        chief.save()
    elif end == "login closed":
        chief.user.is_active = False
        chief.user.save()
    else:
        chief.user.delete()
    mailbox.collect(now=now)

    with pytest.raises(InvitationOverError):
        accept(token, user=UserFactory.create(), now=now)
    assert [letter.email for letter in mailbox.letters] == [stays.email]
    assert AuditEntry.objects.get(action="revoked").subject_id == str(invitation.pk)
    accept(token_of(stays), user=UserFactory.create(), now=now)


def test_a_place_at_another_clinic_that_ends_takes_nothing_back_here(clinic: Clinic, now: datetime) -> None:
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    elsewhere = MembershipFactory.create(user=chief.user, role=Role.CLINIC_ADMIN)
    invitation = invite(clinic, email=EMAIL, role=Role.FRONT_DESK, actor=actor_of(chief), now=now)

    elsewhere.delete()
    chief.user.save()  # As a login does.

    guest = UserFactory.create()
    assert accept(token_of(invitation), user=guest, now=now).user == guest


def test_accepting_gives_the_role_once(clinic: Clinic, now: datetime) -> None:
    invitation = invite_to(clinic, now=now)
    token, user = token_of(invitation), UserFactory.create()

    membership = accept(token, user=user, now=now)

    assert (membership.user, membership.clinic, membership.role) == (user, clinic, Role.FRONT_DESK)
    assert token_of(invitation) == ""
    with pytest.raises(InvitationOverError):
        accept(token, user=UserFactory.create(), now=now)


def test_who_works_here_already_keeps_the_role(clinic: Clinic, now: datetime) -> None:
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    invitation = invite_to(clinic, now=now, role=Role.PRACTITIONER)

    assert accept(token_of(invitation), user=chief.user, now=now) == chief
    assert Membership.objects.get().role == Role.CLINIC_ADMIN


def test_an_address_with_a_login_gets_the_same_letter_and_row(clinic: Clinic, mailbox: Mailbox, now: datetime) -> None:
    known = UserFactory.create(username="known@example.org", email="known@example.org")
    rows = [invite_to(clinic, now=now, email=email) for email in (known.email, "other@example.org")]
    mailbox.collect(now=now)

    shown = [(row.role, row.letters, row.accepted_at, row.accepted_by) for row in rows]
    assert shown[0] == shown[1]
    assert len(mailbox.letters) == 2
    assert not Membership.objects.exists()


def test_another_clinic_neither_resends_nor_takes_back(clinic: Clinic, now: datetime) -> None:
    foreign = ClinicFactory.create()
    invitation = invite_to(clinic, now=now)

    assert not resend(foreign.pk, invitation_id=invitation.pk, actor=STAFF, now=now)
    assert not revoke(foreign.pk, invitation_id=invitation.pk, actor=STAFF, now=now)
    assert invite_to(foreign, now=now).pk != invitation.pk
    assert Contact.objects.for_clinic(foreign).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_invite_one_address_at_once_make_one_invitation(clinic: Clinic, now: datetime) -> None:
    """A double click too."""
    made = at_once(3, lambda: invite_to(clinic, now=now).pk)

    assert len(set(made)) == 1
    assert Invitation.unscoped.get().letters == 3


def test_an_address_gets_three_letters_an_hour_whatever_is_done_in_between(clinic: Clinic, now: datetime) -> None:
    invitation = invite_to(clinic, now=now)
    resend(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=now)
    revoke(clinic.pk, invitation_id=invitation.pk, actor=STAFF, now=now)
    second = invite_to(clinic, now=now + timedelta(minutes=59))

    with pytest.raises(TooOftenError):
        resend(clinic.pk, invitation_id=second.pk, actor=STAFF, now=now + timedelta(minutes=59))
    invite_to(clinic, now=now, email="other@example.org")
    invite_to(ClinicFactory.create(), now=now)

    second.refresh_from_db()
    assert (second.letters, Message.unscoped.count()) == (1, 5)
    assert resend(clinic.pk, invitation_id=second.pk, actor=STAFF, now=now + timedelta(hours=1))


def test_what_is_over_goes_after_a_while_and_what_is_open_stays(clinic: Clinic, now: datetime) -> None:
    accepted, revoked, expired, recent, still_open = (
        invite_to(clinic, now=at, email=f"{number}@example.org")
        for number, at in enumerate([now, now, now, now + timedelta(days=3), now + timedelta(days=9)])
    )
    accept(token_of(accepted), user=UserFactory.create(), now=now)
    revoke(clinic.pk, invitation_id=revoked.pk, actor=STAFF, now=now)
    before = now + OPEN_FOR + timedelta(days=1)

    one_by_one = [purge_invitations(before=before, limit=1) for _ in range(4)]

    assert one_by_one == [1, 1, 1, 0]
    assert set(Invitation.unscoped.all()) == {recent, still_open}
    assert not Invitation.unscoped.filter(pk=expired.pk).exists()
    assert Membership.objects.count() == 1
