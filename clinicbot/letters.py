"""Letters that the floor writes and cannot post: a house above, which has the channels, takes them. Its `letters.py` says how."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from clinicbot.errors import NoPostmanError
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationLetter:
    """One letter of an invitation; `number` counts them, and only the last is worth sending."""

    clinic: Clinic
    invitation_id: int
    number: int
    email: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordLetter:
    """Brings somebody the link to a new password. One a minute is worth sending, however often it was asked for.

    clinic: whose post takes it. language: of whoever asked.
    """

    clinic: Clinic
    user_id: int
    email: str = field(repr=False)
    language: str
    asked_at: datetime
    expires_at: datetime


Letter: TypeAlias = InvitationLetter | PasswordLetter


class Postman(Protocol):
    def __call__(self, letter: Letter, *, now: datetime) -> None: ...


_postmen: list[Postman] = []


def postman(take: Postman) -> Postman:
    """Register who takes letters. It only writes rows: it runs in the transaction of whoever posts."""
    _postmen[:] = [take]
    return take


def post(letter: Letter, *, now: datetime) -> None:
    if not _postmen:
        raise NoPostmanError
    _postmen[0](letter, now=now)
