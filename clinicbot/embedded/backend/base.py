"""Django's PostgreSQL backend on the embedded server, which a first connection starts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.backends.postgresql import base
from django.db.utils import OperationalError

from clinicbot.embedded.errors import EmbeddedServerError
from clinicbot.embedded.server import EmbeddedServer


class DatabaseWrapper(base.DatabaseWrapper):
    """`DATABASES[...]["EMBEDDED"]` names the folder and says whether it is durable."""

    def get_connection_params(self) -> dict[str, Any]:
        embedded = self.settings_dict["EMBEDDED"]
        server = EmbeddedServer(Path(embedded["ROOT"]), durable=embedded["DURABLE"])
        try:
            address = server.ensure_running()
        except EmbeddedServerError as error:
            raise OperationalError(str(error)) from error
        self.settings_dict.update(HOST=address.socket_dir, USER=address.user, PASSWORD=address.password)
        return super().get_connection_params()
