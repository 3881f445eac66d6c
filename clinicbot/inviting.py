"""Offers a role at a clinic to whoever reads an e-mail address, and gives it to them once they accept.

Nobody who invites learns whether the address has a login: that is not looked at before somebody accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q

from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.errors import InvitationOverError, TooOftenError
from clinicbot.letters import InvitationLetter, post
from clinicbot.limits import count_one, has_room
from clinicbot.models import Clinic, Invitation, InvitationState, Membership, Role
from clinicbot.secret_links import hash_of, new_token

OPEN_FOR = timedelta(days=7)
LETTERS = "invitation"
MOST_AN_HOUR = 3
"""Letters to one address by one clinic, however often it is invited or taken back."""

PENDING = {"accepted_at__isnull": True, "revoked_at__isnull": True}


@transaction.atomic
def invite(clinic: Clinic, *, email: str, role: Role, actor: Actor, now: datetime) -> Invitation:
    """Write to the address. One that has been invited and has not answered gets another letter, with the role as it is now.

    Raises:
        TooOftenError: it got as many letters as it may within the hour.
    """
    Clinic.objects.select_for_update(no_key=True).get(pk=clinic.pk)  # Two who invite the same person come one by one.
    waiting = Invitation.objects.for_clinic(clinic).select_for_update().filter(email=email, **PENDING).first()
    if waiting is not None:
        Invitation.objects.for_clinic(clinic).filter(pk=waiting.pk).update(role=role)
        return _write_again(waiting, actor=actor, now=now)
    token = new_token()
    invitation = Invitation.objects.create(
        clinic=clinic,
        email=email,
        role=role,
        token=token,
        token_hash=hash_of(token),
        invited_by_id=actor.id,
        created_at=now,
        sent_at=now,
        expires_at=now + OPEN_FOR,
    )
    _record(actor, invitation, "invited", now=now)
    _post(invitation, now=now)
    return invitation


@transaction.atomic
def resend(clinic_id: int, *, invitation_id: int, actor: Actor, now: datetime) -> bool:
    """Another letter with the same link, and a week more. False when it was accepted or taken back.

    Raises:
        TooOftenError: it got as many letters as it may within the hour.
    """
    pending = Invitation.objects.for_clinic(clinic_id).select_for_update(of=("self",)).select_related("clinic")
    invitation = pending.filter(pk=invitation_id, **PENDING).first()
    if invitation is None:
        return False
    _write_again(invitation, actor=actor, now=now)
    return True


@transaction.atomic
def revoke(clinic_id: int, *, invitation_id: int, actor: Actor, now: datetime) -> bool:
    """The link no longer works. False when it was accepted, or taken back before."""
    pending = Invitation.objects.for_clinic(clinic_id).filter(pk=invitation_id, **PENDING)
    if not pending.update(revoked_at=now, token=""):
        return False
    _record(actor, _get(clinic_id, invitation_id), "revoked", now=now)
    return True


@transaction.atomic
def end_invitations_of(user_id: int, *, clinic_id: int | None = None, now: datetime) -> int:
    """What somebody who may no longer invite has offered and nobody accepted is over; None: at every clinic. Says how many."""
    pending = Invitation.unscoped.select_for_update(of=("self",)).select_related("clinic").order_by("pk")
    theirs = pending.filter(invited_by_id=user_id, **PENDING)
    ending = list(theirs if clinic_id is None else theirs.filter(clinic_id=clinic_id))
    for invitation in ending:
        invitation.revoked_at, invitation.token = now, ""
        invitation.save(update_fields=["revoked_at", "token"])
        _record(Actor.system(), invitation, "revoked", now=now)
    return len(ending)


def find_invitation(token: str) -> Invitation | None:
    """However it stands; its clinic comes along."""
    return Invitation.unscoped.select_related("clinic").filter(token_hash=hash_of(token)).first()


def hold_open(token: str, *, now: datetime) -> Invitation:
    """The open invitation, which nobody else accepts or takes back until the transaction ends.

    Raises:
        InvitationOverError
    """
    found = Invitation.unscoped.select_for_update(of=("self",)).select_related("clinic")
    invitation = found.filter(token_hash=hash_of(token)).first()
    if invitation is None or invitation.state_at(now) != InvitationState.OPEN:
        raise InvitationOverError
    return invitation


@transaction.atomic
def accept(token: str, *, user: User, now: datetime) -> Membership:
    """The reader of the letter works at the clinic from now on. Who works there already keeps their role.

    Raises:
        InvitationOverError
    """
    invitation = hold_open(token, now=now)
    membership, _is_new = Membership.objects.get_or_create(
        user=user, clinic=invitation.clinic, defaults={"role": invitation.role}
    )
    invitation.accepted_at, invitation.accepted_by, invitation.token = now, user, ""
    invitation.save(update_fields=["accepted_at", "accepted_by", "token"])
    _record(Actor(ActorKind.STAFF, user.pk), invitation, "accepted", now=now)
    return membership


def list_invitations(pairs: Iterable[tuple[int, int]]) -> Mapping[tuple[int, int], Invitation]:
    """By (clinic id, id), with their tokens: for whoever writes the letters."""
    found = Invitation.objects.for_pairs(pairs).select_related("clinic")
    return {(invitation.clinic_id, invitation.pk): invitation for invitation in found}


def _write_again(invitation: Invitation, *, actor: Actor, now: datetime) -> Invitation:
    Invitation.objects.for_clinic(invitation.clinic_id).filter(pk=invitation.pk).update(
        letters=F("letters") + 1, sent_at=now, expires_at=now + OPEN_FOR
    )
    again = _get(invitation.clinic_id, invitation.pk)
    _record(actor, again, "invited again", now=now)
    _post(again, now=now)
    return again


def _get(clinic_id: int, invitation_id: int) -> Invitation:
    return Invitation.objects.for_clinic(clinic_id).select_related("clinic").get(pk=invitation_id)


def may_write(clinic: Clinic, *, email: str, now: datetime) -> bool:
    """Whether the address may get one more letter within the hour; so it stays until the transaction ends."""
    return has_room(LETTERS, key=_key_of(clinic, email), most=MOST_AN_HOUR, now=now)


def purge_invitations(*, before: datetime, limit: int) -> int:
    """Remove at most `limit` that were accepted, taken back or over before that moment, the oldest first. Says how many."""
    over = Q(accepted_at__lt=before) | Q(revoked_at__lt=before) | Q(expires_at__lt=before, **PENDING)
    old = Invitation.unscoped.filter(over).order_by("pk").values_list("pk", flat=True)[:limit]
    return Invitation.unscoped.filter(pk__in=list(old)).delete()[0]


def _key_of(clinic: Clinic, email: str) -> str:
    return f"{clinic.pk} {email}"


def _post(invitation: Invitation, *, now: datetime) -> None:
    key = _key_of(invitation.clinic, invitation.email)
    if not count_one(LETTERS, key=key, most=MOST_AN_HOUR, now=now):
        raise TooOftenError
    letter = InvitationLetter(
        clinic=invitation.clinic,
        invitation_id=invitation.pk,
        number=invitation.letters,
        email=invitation.email,
        expires_at=invitation.expires_at,
    )
    post(letter, now=now)


def _record(actor: Actor, invitation: Invitation, action: str, *, now: datetime) -> None:
    detail = {"role": invitation.role, "letters": invitation.letters}
    audit.record(actor, clinic=invitation.clinic, action=action, subject=invitation, detail=detail, now=now)
