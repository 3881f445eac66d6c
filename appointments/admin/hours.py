"""When the clinic or somebody at it is away."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.utils.translation import ngettext

from appointments.admin.forms import ClosureForm
from appointments.models import Closure
from appointments.queries.visits import count_live_between
from clinicbot.admin_base import TenantAdmin


@admin.register(Closure)
class ClosureAdmin(TenantAdmin[Closure]):
    """Nobody can book into one any more. Visits that stand there stay until somebody moves or cancels them."""

    form = ClosureForm
    list_display = ("id", "begins_on", "ends_on", "practitioner", "reason")
    list_filter = ("practitioner",)
    list_select_related = ("practitioner",)
    ordering = ("-begins_on",)

    def save_model(self, request: HttpRequest, obj: Closure, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        count = count_live_between(
            obj.clinic_id, first=obj.begins_on, last=obj.ends_on, practitioner_id=obj.practitioner_id
        )
        if count:
            text = ngettext(
                "%d visit stands in these days: move or cancel it, for nobody has been told.",
                "%d visits stand in these days: move or cancel them, for nobody has been told.",
                count,
            )
            self.message_user(request, text % count, messages.WARNING)
