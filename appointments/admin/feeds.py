"""Which calendars other programs read. They are opened and ended on their own page."""

from __future__ import annotations

from django.contrib import admin

from appointments.models import CalendarFeed
from clinicbot.admin_base import ReadOnlyAdmin


@admin.register(CalendarFeed)
class CalendarFeedAdmin(ReadOnlyAdmin[CalendarFeed]):
    list_display = ("id", "practitioner", "shows_names", "created_at", "read_at", "revoked_at")
    list_filter = ("shows_names",)
    list_select_related = ("practitioner",)
    ordering = ("-id",)
