"""A forgotten password: a letter to the address of the login, and nothing said to whoever asks of whether there is one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from clinicbot.emails import is_same_address, one_spelling
from clinicbot.errors import TooOftenError
from clinicbot.letters import PasswordLetter, post
from clinicbot.limits import count_one
from clinicbot.models import Clinic

ASKED_FOR = "password"
MOST_AN_HOUR = 3


@transaction.atomic
def send_password_letters(*, email: str, language: str, real: datetime, now: datetime) -> None:
    """One letter to each login with that address, at the address that stands there. Nobody hears from here whether there is any.

    real: for counting. language: of whoever asks.

    Raises:
        MalformedEmailError: it is no address.
        TooOftenError: it was asked for that address so many times within the hour, be there a login or not.
    """
    if not count_one(ASKED_FOR, key=one_spelling(email), most=MOST_AN_HOUR, now=real):
        raise TooOftenError
    for user in _logins_at(email):
        clinic = _clinic_of(user)
        if clinic is not None:
            letter = PasswordLetter(
                clinic=clinic,
                user_id=user.pk,
                email=user.email,
                language=language,
                asked_at=now,
                expires_at=now + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT),
            )
            post(letter, now=now)


def find_logins(user_ids: Collection[int]) -> Mapping[int, User]:
    """Those that still may log in, by id."""
    return {user.pk: user for user in _logins().filter(pk__in=user_ids)}


def password_link(user: User) -> str:
    """Works once: it hangs on the password and on the last login as they are. It must not be kept."""
    where = [urlsafe_base64_encode(force_bytes(user.pk)), default_token_generator.make_token(user)]
    return f"{settings.BASE_URL}{reverse('password-new', args=where)}"


def _logins() -> QuerySet[User]:
    return User.objects.filter(is_active=True)


def _logins_at(email: str) -> list[User]:
    """The database narrows them down; whether it is the same address is not its to say (CVE-2019-19844)."""
    local, _at, _domain = email.rpartition("@")
    alike = _logins().filter(email__istartswith=f"{local}@").order_by("pk")
    return [user for user in alike if is_same_address(user.email, email)]


def _clinic_of(user: User) -> Clinic | None:
    """Whose post takes the letter: where they work; else where they were asked to; else, since the post is the
    installation's own, the first clinic's. None: nothing is set up yet, and whoever runs the server sets passwords there.
    """
    clinics = Clinic.objects.order_by("pk")
    return (
        clinics.filter(memberships__user=user).first()
        or clinics.filter(pk__in=user.accepted_invitations.values("clinic")).first()
        or clinics.first()
    )
