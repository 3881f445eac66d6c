"""What this house's message kinds are called; frozen once released."""

from __future__ import annotations

NOTICE = "appointments.visit_notice"
REMINDER = "appointments.reminder"
ANSWER = "appointments.answer"
CLINIC_MOVED = "appointments.clinic_moved"
