"""One line an event, to standard error: a fixed sentence and ids."""

from __future__ import annotations

from typing import Any

from clinicbot.settings.environment import env

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"routes": {"()": "clinicbot.logs.RoutesNotPaths"}},
    "formatters": {"lines": {"()": "clinicbot.logs.JsonLines"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "lines", "filters": ["routes"]},
    },
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        # Django's own handlers would write paths and tracebacks beside ours.
        "django": {"handlers": [], "propagate": True},
        # The access log says the same without paths.
        "django.server": {"handlers": [], "level": "CRITICAL"},
        # Its warnings quote addresses.
        "urllib3": {"level": "ERROR"},
    },
}

# Reports without DEBUG: lines of code, no data.
DEFAULT_EXCEPTION_REPORTER = "clinicbot.error_reports.CodeOnlyReporter"
