"""The server that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clinicbot.embedded.server import EmbeddedServer


def configured_server(connection: Any) -> EmbeddedServer | None:
    """None where `DATABASE_URL` names a server that is not ours."""
    embedded = connection.settings_dict.get("EMBEDDED")
    return EmbeddedServer(Path(embedded["ROOT"]), durable=embedded["DURABLE"]) if embedded else None
