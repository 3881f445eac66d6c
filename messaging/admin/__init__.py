"""Django looks for a house's admin here."""

from __future__ import annotations

from messaging.admin import accounts, contacts, evidence, inbound, messages, overrides, saved_texts, switches, templates

__all__ = [
    "accounts",
    "contacts",
    "evidence",
    "inbound",
    "messages",
    "overrides",
    "saved_texts",
    "switches",
    "templates",
]
