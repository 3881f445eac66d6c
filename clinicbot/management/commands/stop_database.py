"""Stops the embedded PostgreSQL."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from clinicbot.embedded.configured import configured_server


class Command(BaseCommand):
    help = "Stop the embedded PostgreSQL, which any command starts again when it needs it."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--if-unused", action="store_true", help="Leave it running while somebody is connected.")

    def handle(self, *, if_unused: bool, **options: Any) -> None:
        server = configured_server(connection)
        if server is None:
            raise CommandError("DATABASE_URL names a server of its own, which is not ours to stop.")
        if if_unused and server.is_running() and others_are_connected():
            self.stdout.write("The embedded PostgreSQL is in use and stays up.")
        elif server.stop():
            self.stdout.write("The embedded PostgreSQL has stopped.")


def others_are_connected() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())"
        )
        return bool(cursor.fetchone()[0])
