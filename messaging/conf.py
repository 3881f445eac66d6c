"""Settings of this house: each says its unit and its default where it is read."""

from __future__ import annotations

from django.conf import settings


def send_threads() -> int:
    """How many calls to providers one process has in progress at a time, and so the size of a wave. Default 8."""
    return int(settings.SEND_THREADS)


def send_lease_seconds() -> float:
    """How long a wave may take to judge, and then again from its commit to its last answer. Default 30."""
    return float(getattr(settings, "SEND_LEASE_SECONDS", 30))


def send_call_seconds() -> float:
    """The longest one call can take, name server included; nothing begins with less of its lease left. Default 11."""
    return float(getattr(settings, "SEND_CALL_SECONDS", 11))


def send_step_seconds() -> float:
    """How long the sender goes on before the other steps of a tick have their turn. Default 5."""
    return float(getattr(settings, "SEND_STEP_SECONDS", 5))


def unknown_grace_seconds() -> float:
    """How long the provider has to send the receipt that names an unknown attempt. Default 600, ten minutes."""
    return float(settings.UNKNOWN_GRACE_SECONDS)


def unknown_patience_seconds() -> float:
    """How long we look for evidence on an unknown attempt before a person must. Default 3600, an hour."""
    return float(getattr(settings, "UNKNOWN_PATIENCE_SECONDS", 3600))


def probe_gap_seconds() -> float:
    """Two fetches of our own webhook further apart than this: a tick was missing between them. Default 100."""
    return float(getattr(settings, "PROBE_GAP_SECONDS", 100))


def ramp_seconds() -> float:
    """How long a resumed account takes to come back to its full rate. Default 300, five minutes."""
    return float(getattr(settings, "ACCOUNT_RAMP_SECONDS", 300))


def webhook_call_seconds() -> float:
    """How long a signed call may be under way; longer than that, and it was cut off with its process. Default 60."""
    return float(getattr(settings, "WEBHOOK_CALL_SECONDS", 60))


def webhook_patience_seconds() -> float:
    """How long a signed call waits for a database that has gone away, before it is turned back. Default 5."""
    return float(getattr(settings, "WEBHOOK_PATIENCE_SECONDS", 5))


def probe_seconds() -> float:
    """How long our own public handshake may take before it counts as down. Default 5."""
    return float(getattr(settings, "PROBE_SECONDS", 5))


def graph_call_seconds() -> float:
    """The longest one call to Meta may take, connection included; less than `send_call_seconds`. Default 10."""
    return float(getattr(settings, "WHATSAPP_CALL_SECONDS", 10))


def email_call_seconds() -> float:
    """The longest one conversation with the mail server may take; less than `send_call_seconds`. Default 10."""
    return float(getattr(settings, "EMAIL_CALL_SECONDS", 10))


def template_creating_seconds() -> float:
    """How long one look may spend asking for missing templates; the rest is asked for by the next. Default 8."""
    return float(getattr(settings, "TEMPLATE_CREATING_SECONDS", 8))
