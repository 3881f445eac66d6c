"""The flags, shared by both ways of starting it."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from messaging.simulator.options import Options


def add_arguments(parser: ArgumentParser) -> None:
    defaults = Options.from_environment()
    parser.add_argument("--host", default=defaults.host, help="Address to listen on.")
    parser.add_argument("--port", type=int, default=defaults.port, help="Port to listen on; 0 takes a free one.")
    parser.add_argument(
        "--mail-port", type=int, default=defaults.mail_port, help="Port that takes e-mail; unset: none is taken."
    )
    parser.add_argument("--ledger", type=Path, default=defaults.ledger, help="The SQLite file that remembers.")
    parser.add_argument("--webhook-url", default=defaults.webhook_url, help="Where updates are posted.")
    parser.add_argument("--app-secret", default=defaults.app_secret, help="Signs the updates.")
    parser.add_argument("--verify-token", default=defaults.verify_token, help="Shown in the handshake.")
    parser.add_argument(
        "--product-url", default=defaults.product_url, help="The clinic's site, whose clock moves along."
    )


def options_from(given: Mapping[str, Any]) -> Options:
    known = {
        key: given[key]
        for key in ("host", "port", "mail_port", "ledger", "webhook_url", "app_secret", "verify_token", "product_url")
    }
    return replace(Options(), **known)
