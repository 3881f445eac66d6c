"""Every setting. Safe for production unless the environment says DEBUG or DEMO."""

from __future__ import annotations

import zoneinfo

from django.utils.translation import gettext_lazy as _

from clinicbot.settings.admin import UNFOLD as UNFOLD
from clinicbot.settings.database import default_database
from clinicbot.settings.environment import PROJECT, env, is_demo, is_local, port, simulator_url
from clinicbot.settings.logging import DEFAULT_EXCEPTION_REPORTER as DEFAULT_EXCEPTION_REPORTER
from clinicbot.settings.logging import LOGGING as LOGGING
from clinicbot.settings.mail import *  # noqa: F403
from clinicbot.settings.security import *  # noqa: F403

# Time zones come from the pinned tzdata package alone, whatever this machine has.
zoneinfo.reset_tzpath(to=())

DEBUG = env.bool("DEBUG", default=False)
DEMO = is_demo()
PORT = port()

TICK_SECRET = env.list("TICK_SECRET", default=[])  # Newest first; all are valid.
TICK_BUDGET = env.float("TICK_BUDGET", default=50.0)  # Seconds a tick from cron may take.
MONITOR_TOKEN = env.str("MONITOR_TOKEN", default="")
NUDGE = env.bool("NUDGE", default=True)  # Off where no thread may outlive a request: then the next tick does it all.

WHATSAPP_GRAPH_URL = env.str("WHATSAPP_GRAPH_URL", default=simulator_url() if DEMO else "https://graph.facebook.com")
SIMULATOR_URL = simulator_url() if DEMO else ""  # Its clock moves with the demo's.
WHATSAPP_GRAPH_VERSION = env.str("WHATSAPP_GRAPH_VERSION", default="v26.0")
WHATSAPP_APP_SECRET = env.str("WHATSAPP_APP_SECRET", default="")
WHATSAPP_VERIFY_TOKEN = env.str("WHATSAPP_VERIFY_TOKEN", default="")
SEND_THREADS = env.int("SEND_THREADS", default=8)  # Calls to providers that one process has in progress at a time.
# How long the provider has to tell of a send whose outcome is unknown.
UNKNOWN_GRACE_SECONDS = env.float("UNKNOWN_GRACE_SECONDS", default=600.0)
# Hosts that may be called. Empty is everywhere, which outside production must be said.
OUTBOUND_ALLOWLIST = env.list("OUTBOUND_ALLOWLIST", default=["127.0.0.1", "localhost"] if is_local() else [])

INSTALLED_APPS = [
    "clinicbot",
    "outbox",
    "scheduler",
    "messaging",
    "appointments",
    "retention",
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "clinicbot.admin_config.ClinicAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "encrypted_model_fields",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "clinicbot.access_log.AccessLogMiddleware",
    "clinicbot.content_policy.ContentPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "clinicbot.no_nul.NoNulMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "clinicbot.active_clinic.ActiveClinicMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "clinicbot.urls"
WSGI_APPLICATION = "clinicbot.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": default_database()}
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "clinicbot.auth.ClinicRoleBackend"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

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

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("es", _("Spanish")), ("pt", _("Portuguese"))]
LOCALE_PATHS = [PROJECT / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = PROJECT / "static_root"
STATICFILES_DIRS = [PROJECT / "static"]
# Production serves what collectstatic gathered, under names that change with the content.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = is_local()
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if is_local()
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
