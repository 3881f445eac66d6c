"""Settings of what is measured: a database of its own, as durable as the one that clinics keep."""

from __future__ import annotations

import os
from pathlib import Path

from clinicbot.settings.base import *  # noqa: F403
from clinicbot.settings.database import connection_options

DATABASES = {
    "default": {
        "ENGINE": "clinicbot.embedded.backend",
        "NAME": "clinicbot",
        "EMBEDDED": {"ROOT": str(Path(os.environ["BENCH_FOLDER"]) / "postgres"), "DURABLE": True},
        "CONN_MAX_AGE": None,
        "OPTIONS": connection_options(unhurried=True),
    }
}
LOGGING_CONFIG = None  # Its own words are the figures; what requests log would stand among them.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Plain HTTP to a site without collected files.
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = False
SECURE_HSTS_SECONDS = 0
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
