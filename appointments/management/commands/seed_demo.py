"""Fill an empty database with the demonstration's clinics, and the simulator with their numbers and phones."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from appointments.demo.cast import CLINICS, PASSWORD, SUPERUSER
from appointments.demo.phones import connect_phones
from appointments.demo.seeding import has_data, seed, until_somebody_works
from appointments.demo.talks import let_people_write
from clinicbot import clock
from clinicbot.demo.refusing import refuse_unless_demo
from clinicbot.errors import HttpError
from clinicbot.http import HttpClient

SECONDS = 10
MAX_BODY_BYTES = 1_000_000


class Command(BaseCommand):
    help = (
        "Sample data: two clinics, their people and a fortnight of visits. Has data already: only connects the phones."
    )

    def handle(self, **options: Any) -> None:
        refuse_unless_demo()
        is_new = not has_data()
        if is_new:
            clock.move_forward(until_somebody_works(clock.now()))
            seed(now=clock.now())
        self.stdout.write("Sample data is in place." if is_new else "There is data already; it stays as it is.")
        self._connect(is_new=is_new)
        for cast in CLINICS:
            self.stdout.write(f"  {cast.name}: desk {cast.desk[0]}, clinic admin {cast.admin[0]}")
        self.stdout.write(f"  All clinics: {SUPERUSER[0]}. Everybody's password: {PASSWORD}")

    def _connect(self, *, is_new: bool) -> None:
        client = HttpClient(
            settings.WHATSAPP_GRAPH_URL,
            connect_timeout_seconds=SECONDS,
            total_timeout_seconds=SECONDS,
            max_body_bytes=MAX_BODY_BYTES,
        )
        try:
            connect_phones(client, now=clock.now())
            if is_new:
                let_people_write(client)
        except HttpError:
            self.stdout.write("The simulator does not answer. Once it runs, say seed_demo again: phones need it.")
