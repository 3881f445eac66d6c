"""What can go wrong with retention."""

from __future__ import annotations

from clinicbot.errors import ClinicBotError


class PurgeFailedError(ClinicBotError):
    """Some of what is old could not be removed; the rest was."""

    code = "purge_failed"
