"""Names of those who did something."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User
from django.db.models import QuerySet


def staff_names(ids: Iterable[int | None]) -> dict[int, str]:
    """By user id, the name colleagues know them by. One query."""
    return names_of(staff_rows(ids))


def staff_rows(ids: Iterable[int | None]) -> QuerySet[User]:
    """What `names_of` reads."""
    return User.objects.filter(pk__in={pk for pk in ids if pk is not None})


def names_of(users: Iterable[User]) -> dict[int, str]:
    return {user.pk: user.get_full_name() or user.get_username() for user in users}
