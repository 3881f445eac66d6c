"""Settings of the test suite: its own server, no help from the environment."""

from __future__ import annotations

import os

os.environ.update(
    DEMO="0",
    DEBUG="0",
    BASE_URL="http://testserver",
    ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
    SECRET_KEY="tests-only",
    FIELD_ENCRYPTION_KEY="dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    TICK_SECRET="tick-new,tick-old",
    MONITOR_TOKEN="monitor",
    WHATSAPP_APP_SECRET="app-secret",
    WHATSAPP_VERIFY_TOKEN="verify-token",
    OUTBOUND_ALLOWLIST="127.0.0.1,localhost",
)

from clinicbot.settings.base import *  # noqa: E402, F403
from clinicbot.settings.database import connection_options, embedded_database  # noqa: E402

if not os.environ.get("DATABASE_URL"):
    # A power cut may cost this data; TEST_DURABLE=1 is for measuring.
    _durable = os.environ.get("TEST_DURABLE") == "1"
    DATABASES = {
        "default": {
            **embedded_database("postgres-durable-test" if _durable else "postgres-test", durable=_durable),
            "OPTIONS": connection_options(unhurried=False),
        }
    }

# Several people may run their suites at once.
if _suffix := os.environ.get("PYTEST_DB_SUFFIX", ""):
    DATABASES["default"]["TEST"] = {"NAME": f"test_clinicbot_{_suffix}"}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
