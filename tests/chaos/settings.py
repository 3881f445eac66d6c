"""Settings of the processes that are about to be killed: everything comes from the environment that `world` makes."""

from __future__ import annotations

import os
from pathlib import Path

from clinicbot.settings.base import *  # noqa: F403
from clinicbot.settings.database import connection_options

DATABASES = {
    "default": {
        "ENGINE": "clinicbot.embedded.backend",
        "NAME": "clinicbot",
        "EMBEDDED": {"ROOT": str(Path(os.environ["CHAOS_FOLDER"]) / "postgres"), "DURABLE": True},
        "OPTIONS": connection_options(unhurried=False),
    }
}
# An hour's story in a minute: leases, grace and patience are short, and still longer than what they must outlast.
SEND_LEASE_SECONDS = 12
SEND_CALL_SECONDS = 3
WHATSAPP_CALL_SECONDS = 2
UNKNOWN_GRACE_SECONDS = float(os.environ["CHAOS_GRACE_SECONDS"])
UNKNOWN_PATIENCE_SECONDS = float(os.environ["CHAOS_PATIENCE_SECONDS"])
# Longer than any call of the webhook takes, its patience with the database included.
WEBHOOK_CALL_SECONDS = 12
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
