"""Where letters are handed in, in Django's own words. `EMAIL_URL` such as smtp+tls://user:password@smtp.example:587."""

from __future__ import annotations

from urllib.parse import urlsplit

from clinicbot.settings.environment import env, is_demo, mailbox_url
from clinicbot.settings.security import BASE_URL

__all__ = [
    "DEFAULT_FROM_EMAIL",
    "EMAIL_HOST",
    "EMAIL_HOST_PASSWORD",
    "EMAIL_HOST_USER",
    "EMAIL_PORT",
    "EMAIL_USE_SSL",
    "EMAIL_USE_TLS",
]

# Empty: no e-mail leaves, and what is to go is held.
_server = env.email_url_config(env.str("EMAIL_URL", default=mailbox_url() if is_demo() else "") or "smtp://")

EMAIL_HOST = _server["EMAIL_HOST"] or ""
EMAIL_PORT = _server["EMAIL_PORT"] or 25
EMAIL_HOST_USER = _server["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = _server["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS = _server.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _server.get("EMAIL_USE_SSL", False)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default=f"clinicbot@{urlsplit(BASE_URL).hostname or 'localhost'}")
