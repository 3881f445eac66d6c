"""What this house's message kinds are called, and some of its texts; frozen once released."""

from __future__ import annotations

NOTICE = "appointments.visit_notice"
REMINDER = "appointments.reminder"
ANSWER = "appointments.answer"
ANSWER_WAITS = "appointments.answer_waits"
CLINIC_MOVED = "appointments.clinic_moved"

WHICH = ("answer_which", "answer_which_change", "answer_which_cancel")
"""Texts whose visits stand only in a list under them: who does not open it has heard of none."""
