"""Django looks for a house's admin here."""

from __future__ import annotations

from messaging.admin import overrides, templates

__all__ = ["overrides", "templates"]
