"""Is our webhook to be reached from outside? We fetch our own public handshake, as Meta would, and note what came back."""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from clinicbot.errors import HttpError
from clinicbot.http import HttpClient
from messaging import conf
from messaging.models import WebhookProbe

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 2.0
MAX_BODY_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Handshake:
    """What we asked our own webhook to say back, and whether it did."""

    was_up: bool
    cause: str = ""


def probe_webhook(*, real: datetime) -> bool:
    """Note whether it is up. What cannot be fetched is down, whatever the reason."""
    handshake = _shake_hands()
    WebhookProbe.objects.create(probed_at=real, was_up=handshake.was_up)
    if not handshake.was_up:
        logger.warning("Our own webhook could not be reached.", extra={"cause": handshake.cause})
    return handshake.was_up


def _shake_hands() -> Handshake:
    if not settings.BASE_URL:
        return Handshake(was_up=False, cause="no_base_url")
    challenge = secrets.token_hex(8)
    client = HttpClient(
        settings.BASE_URL,
        connect_timeout_seconds=CONNECT_SECONDS,
        total_timeout_seconds=conf.probe_seconds(),
        max_body_bytes=MAX_BODY_BYTES,
    )
    try:
        response = client.get(
            "own.webhook",
            path="webhooks/whatsapp/",
            params={
                "hub.mode": "subscribe",
                "hub.challenge": challenge,
                "hub.verify_token": settings.WHATSAPP_VERIFY_TOKEN,
            },
        )
    except HttpError as error:
        return Handshake(was_up=False, cause=error.cause)
    if response.status != 200 or response.body != challenge.encode():
        return Handshake(was_up=False, cause=f"status_{response.status}")
    return Handshake(was_up=True)
