"""Django's PostgreSQL backend on the embedded server, which a first connection starts."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from django.db.utils import OperationalError

from clinicbot.embedded.configured import configured_server
from clinicbot.embedded.errors import EmbeddedServerError


class DatabaseWrapper(base.DatabaseWrapper):
    """`DATABASES[...]["EMBEDDED"]` names the folder and says whether it is durable."""

    def get_connection_params(self) -> dict[str, Any]:
        server = configured_server(self)
        if server is not None:
            try:
                address = server.ensure_running()
            except EmbeddedServerError as error:
                raise OperationalError(str(error)) from error
            self.settings_dict.update(HOST=address.socket_dir, USER=address.user, PASSWORD=address.password)
        return super().get_connection_params()
