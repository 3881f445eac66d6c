"""Gives a person a role at a clinic; a person we do not know yet gets a login, and sets the password through a link."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.errors import AlreadyMemberError
from clinicbot.models import Clinic, Membership, Role


@transaction.atomic
def invite(clinic: Clinic, *, username: str, role: Role, actor: Actor, now: datetime) -> Membership:
    """Make the membership, and the login where there is none of that name.

    Raises:
        AlreadyMemberError: change the role of the membership instead.
    """
    user = User.objects.filter(username__iexact=username).first() or User.objects.create_user(username)
    if Membership.objects.filter(user=user, clinic=clinic).exists():
        raise AlreadyMemberError
    membership = Membership.objects.create(user=user, clinic=clinic, role=role)
    audit.record(actor, clinic=clinic, action="invited", subject=membership, detail={"role": role}, now=now)
    return membership


def find_password_path(membership: Membership) -> str | None:
    """Where the invited sets a password: only for a login that never had one and works nowhere else, or it would hand over
    somebody else's."""
    user = membership.user
    if user.has_usable_password() or user.is_superuser or user.memberships.count() != 1:
        return None
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("password_reset_confirm", kwargs={"uidb64": uid, "token": default_token_generator.make_token(user)})
