"""Start-up: one source of time zones, and the modules that houses are found by."""

from __future__ import annotations

import zoneinfo

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules, import_string

from clinicbot.catalogues.default_names import translate_default_names


class ClinicBotConfig(AppConfig):
    name = "clinicbot"
    label = "clinicbot"
    verbose_name = "clinicbot"

    def ready(self) -> None:
        zoneinfo.reset_tzpath(to=())  # Only the pinned tzdata package speaks.
        translate_default_names()
        autodiscover_modules(
            "handlers", "jobs", "message_kinds", "ticks", "nudges", "letters", "leaving", "panels", "bulk_acts"
        )
        post_migrate.connect(import_string("clinicbot.roles.grant_role_permissions"), dispatch_uid="clinicbot.roles")
