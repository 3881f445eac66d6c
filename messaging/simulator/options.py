"""How a simulator is started: by flags, else by the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

DEFAULT_PORT = 8001
DEFAULT_LEDGER = ".data/simulator.sqlite3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`port` 0 takes any free port; so does `mail_port`, and None takes no e-mail. An empty `webhook_url` keeps what the
    ledger remembers."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    mail_port: int | None = None
    ledger: Path = Path(DEFAULT_LEDGER)
    webhook_url: str = ""
    app_secret: str = ""
    verify_token: str = ""
    product_url: str = ""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """SIMULATOR_HOST, _PORT, _MAIL_PORT, _LEDGER, _WEBHOOK_URL, _PRODUCT_URL; the secrets go by the product's own names."""
        return cls(
            host=environment.get("SIMULATOR_HOST", "127.0.0.1"),
            port=int(environment.get("SIMULATOR_PORT", str(DEFAULT_PORT))),
            mail_port=int(mail_port) if (mail_port := environment.get("SIMULATOR_MAIL_PORT", "")) else None,
            ledger=Path(environment.get("SIMULATOR_LEDGER", DEFAULT_LEDGER)),
            webhook_url=environment.get("SIMULATOR_WEBHOOK_URL", ""),
            app_secret=environment.get("WHATSAPP_APP_SECRET", ""),
            verify_token=environment.get("WHATSAPP_VERIFY_TOKEN", ""),
            product_url=environment.get("SIMULATOR_PRODUCT_URL", ""),
        )
