"""Django looks for a house's admin here."""

from __future__ import annotations

from appointments.admin import clinics, feeds, hours, patients, practice, rules, visits

__all__ = ["clinics", "feeds", "hours", "patients", "practice", "rules", "visits"]
