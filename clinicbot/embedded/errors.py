from __future__ import annotations

from clinicbot.errors import ClinicBotError


class EmbeddedServerError(ClinicBotError):
    """The embedded PostgreSQL cannot serve."""

    code = "embedded_server"
