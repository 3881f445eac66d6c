"""Translations: `update` collects texts, `check` names what is missing, `compile` makes them usable."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.catalogues.default_names import list_default_names
from clinicbot.catalogues.upkeep import list_faults, update_catalogue
from clinicbot.settings.environment import PROJECT


class Command(BaseCommand):
    help = "Update, check or compile the catalogues of translations."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("act", choices=["update", "check", "compile"])

    def handle(self, *, act: str, **options: Any) -> None:
        locales = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
        names = list(list_default_names())
        if act == "compile":
            self.stdout.write(f"{compile_catalogues(PROJECT / 'locale')} compiled.")
        elif act == "update":
            for locale in locales:
                self.stdout.write(f"{locale}: {update_catalogue(PROJECT, locale=locale, more=names)} to translate.")
        elif faults := [fault for locale in locales for fault in list_faults(PROJECT, locale=locale, more=names)]:
            raise CommandError("\n".join(faults))
