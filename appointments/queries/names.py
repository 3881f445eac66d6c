"""Names of those who did something."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User


def staff_names(ids: Iterable[int | None]) -> dict[int, str]:
    """By user id, the name colleagues know them by. One query."""
    users = User.objects.filter(pk__in={pk for pk in ids if pk is not None})
    return {user.pk: user.get_full_name() or user.get_username() for user in users}
