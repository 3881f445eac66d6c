from __future__ import annotations

from django.apps import AppConfig


class AppointmentsConfig(AppConfig):
    name = "appointments"
