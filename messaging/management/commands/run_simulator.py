"""Starts the WhatsApp simulator in this process."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from messaging.simulator.command import add_arguments, options_from
from messaging.simulator.serving import run


class Command(BaseCommand):
    help = "Serve the WhatsApp simulator: patients' phones, and a strict stand-in for Meta's Cloud API."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments(parser)

    def handle(self, **options: Any) -> None:
        run(options_from(options))
