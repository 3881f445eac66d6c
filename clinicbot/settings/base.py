"""Every setting. Safe for production unless the environment says DEBUG or DEMO."""

from __future__ import annotations

import zoneinfo
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from clinicbot.settings.database import default_database
from clinicbot.settings.environment import PROJECT, env, is_demo, read_environment

# Time zones come from the pinned tzdata package alone, whatever this machine has.
zoneinfo.reset_tzpath(to=())

read_environment()

DEBUG = env.bool("DEBUG", default=False)
DEMO = is_demo()
PORT = env.int("PORT", default=8000)
BASE_URL = env.str("BASE_URL", default=f"http://localhost:{PORT}" if DEMO or DEBUG else "")

SECRET_KEY = env.str("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
FIELD_ENCRYPTION_KEY = env.list("FIELD_ENCRYPTION_KEY")  # Newest first; the others still decrypt.
TICK_SECRET = env.list("TICK_SECRET", default=[])  # Newest first; all are valid.
MONITOR_TOKEN = env.str("MONITOR_TOKEN", default="")
TICK_BUDGET = env.float("TICK_BUDGET", default=50.0)  # Seconds one tick from cron may take.

WHATSAPP_GRAPH_URL = env.str(
    "WHATSAPP_GRAPH_URL", default=f"http://127.0.0.1:{PORT + 1}" if DEMO else "https://graph.facebook.com"
)
WHATSAPP_GRAPH_VERSION = env.str("WHATSAPP_GRAPH_VERSION", default="v23.0")
WHATSAPP_APP_SECRET = env.str("WHATSAPP_APP_SECRET", default="")
WHATSAPP_VERIFY_TOKEN = env.str("WHATSAPP_VERIFY_TOKEN", default="")
# Hosts that may be called; empty: all, but in a demo or while debugging only this machine.
OUTBOUND_ALLOWLIST = env.list("OUTBOUND_ALLOWLIST", default=["127.0.0.1", "localhost"] if DEMO or DEBUG else [])

ALLOWED_HOSTS = env.list(
    "ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEMO or DEBUG else [urlsplit(BASE_URL).hostname or ""]
)
CSRF_TRUSTED_ORIGINS = [BASE_URL] if BASE_URL.startswith("https://") else []

INSTALLED_APPS = [
    "clinicbot",
    "outbox",
    "scheduler",
    "messaging",
    "appointments",
    "retention",
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "encrypted_model_fields",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "clinicbot.urls"
WSGI_APPLICATION = "clinicbot.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": default_database()}

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("es", _("Spanish")), ("pt", _("Portuguese"))]
LOCALE_PATHS = [PROJECT / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = PROJECT / "static_root"
STATICFILES_DIRS = [PROJECT / "static"]
