"""Who may look, from where, and what a page may load. Hardened unless the site is only on this machine."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlsplit

from csp.constants import NONE, SELF, UNSAFE_INLINE

from clinicbot.settings.environment import env, is_local, local_url

BASE_URL = env.str("BASE_URL", default=local_url() if is_local() else "").rstrip("/")
ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS",
    default=["localhost", "127.0.0.1", "[::1]"] if is_local() else list(filter(None, [urlsplit(BASE_URL).hostname])),
)
CSRF_TRUSTED_ORIGINS = [BASE_URL] if BASE_URL.startswith("https://") else []

SECRET_KEY = env.str("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
FIELD_ENCRYPTION_KEY = env.list("FIELD_ENCRYPTION_KEY")  # Newest first; the others still decrypt.

SECURE_SSL_REDIRECT = not is_local()
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # Probes come from beside the proxy, without TLS.
SECURE_PROXY_SSL_HEADER = None if is_local() else ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_HSTS_SECONDS = 0 if is_local() else 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not is_local()
SESSION_COOKIE_AGE = 16 * 3600  # A long day at the desk.
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024  # Meta's webhooks may have 3 MB.
# Files have people's names in them: none is put on the disk on its way in, and a larger one is not kept at all.
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

PASSWORD_RESET_TIMEOUT = 2 * 3600  # Seconds for which the link of a letter works; pages say "two hours".

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
] + [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
]

AXES_FAILURE_LIMIT = 8
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False  # Its log lines name people.
AXES_ENABLE_ADMIN = False

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        # Widths and places of visits are attributes; scripts and style sheets are files.
        "style-src-attr": [UNSAFE_INLINE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
