"""A demo writes sample data, and only ever into its own database."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection


def refuse_unless_demo() -> None:
    """Reads settings only: a database that is not ours is not even spoken to."""
    if "EMBEDDED" not in connection.settings_dict:
        raise CommandError(
            "The demo writes sample data, and brings its own database for it: unset DATABASE_URL and DATABASE_OWNER_URL,"
            " in the environment and in .env."
        )
    if not settings.DEMO:
        raise CommandError("This is not a demo, for DEMO=0 says so.")
