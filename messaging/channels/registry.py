"""Which channels there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from messaging.channels.base import Channel
from messaging.channels.email.adapter import EmailChannel
from messaging.channels.whatsapp.adapter import WhatsAppChannel

_channels: dict[str, Channel] = {
    WhatsAppChannel.kind: WhatsAppChannel(),
    EmailChannel.kind: EmailChannel(),
}


def find_channel(kind: str) -> Channel | None:
    return _channels.get(kind)


def get_channel(kind: str) -> Channel:
    """Raises `KeyError` for a channel that is not there."""
    return _channels[kind]


@contextmanager
def stand_in(channel: Channel) -> Iterator[None]:
    """Let another adapter serve its channel for a while: the tests' scripted one, or one that only writes to a file."""
    before = _channels.get(channel.kind)
    _channels[channel.kind] = channel
    try:
        yield
    finally:
        _channels.pop(channel.kind)
        if before is not None:
            _channels[channel.kind] = before
