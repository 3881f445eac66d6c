"""Settings of the test suite: its own server and fixed secrets, whatever the environment says."""

from __future__ import annotations

import os

os.environ.update(
    DEMO="0",
    DEBUG="0",
    NUDGE="0",
    BASE_URL="http://testserver",
    ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
    SECRET_KEY="tests-only",
    FIELD_ENCRYPTION_KEY="dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    TICK_SECRET="tick-new,tick-old",
    MONITOR_TOKEN="monitor",
    WHATSAPP_APP_SECRET="app-secret",
    WHATSAPP_VERIFY_TOKEN="verify-token",
    EMAIL_URL="",
    OUTBOUND_ALLOWLIST="127.0.0.1,localhost",
)

from clinicbot.settings.base import *  # noqa: F403
from clinicbot.settings.database import connection_options, embedded_database

if not os.environ.get("DATABASE_URL"):
    # A power cut may cost this data. For measuring: TEST_DURABLE=1.
    _durable = os.environ.get("TEST_DURABLE") == "1"
    DATABASES = {
        "default": {
            **embedded_database("postgres-test-durable" if _durable else "postgres-test", durable=_durable),
            "OPTIONS": connection_options(unhurried=False),
        }
    }
# Several people may run the suite at once.
if _suffix := os.environ.get("PYTEST_DB_SUFFIX", ""):
    DATABASES["default"]["TEST"] = {"NAME": f"test_clinicbot_{_suffix}"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# The browser tests speak plain HTTP to a server without collected files.
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = False
SECURE_HSTS_SECONDS = 0
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
