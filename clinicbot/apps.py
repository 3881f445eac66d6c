"""Start-up: one source of time zones, and the modules that houses are found by."""

from __future__ import annotations

import zoneinfo

from django.apps import AppConfig, apps
from django.conf import settings
from django.db.models.signals import post_migrate, post_save, pre_delete
from django.utils.module_loading import autodiscover_modules, import_string

from clinicbot.catalogues.default_names import translate_default_names


class ClinicBotConfig(AppConfig):
    name = "clinicbot"
    label = "clinicbot"
    verbose_name = "clinicbot"

    def ready(self) -> None:
        zoneinfo.reset_tzpath(to=())  # Only the pinned tzdata package speaks.
        translate_default_names()
        autodiscover_modules("handlers", "jobs", "message_kinds", "ticks", "nudges", "letters")
        post_migrate.connect(import_string("clinicbot.roles.grant_role_permissions"), dispatch_uid="clinicbot.roles")
        for signal, name, sender in (
            (pre_delete, "when_a_place_ends", "clinicbot.Membership"),
            (post_save, "when_a_role_changes", "clinicbot.Membership"),
            (post_save, "when_a_login_closes", settings.AUTH_USER_MODEL),
        ):
            receiver = import_string(f"clinicbot.leaving.{name}")
            signal.connect(receiver, sender=apps.get_model(sender), dispatch_uid=f"clinicbot.{name}")
