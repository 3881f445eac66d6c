"""Django's admin with our site. Apart, because it is read before any model is."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class ClinicAdminConfig(AdminConfig):
    default_site = "clinicbot.admin_site.ClinicAdminSite"
