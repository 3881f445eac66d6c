"""Django looks for a house's admin here."""

from __future__ import annotations

from messaging.admin import contacts, inbound, overrides, templates

__all__ = ["contacts", "inbound", "overrides", "templates"]
