"""When the clinic or somebody at it is away."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from appointments.admin.hours_forms import ClosureForm
from appointments.admin.planning import PlansRemindersAgain
from appointments.models import Closure
from appointments.queries.closures import visits_standing_in, with_visits
from clinicbot import clock
from clinicbot.admin_base import TenantAdmin
from clinicbot.clinic_time import clock_time

DAYS = ("practitioner", "begins_on", "begins_at", "ends_on", "ends_at", "reason")


@admin.register(Closure)
class ClosureAdmin(PlansRemindersAgain, TenantAdmin[Closure]):
    """Nobody can book into one any more. Visits that stand there stay until somebody moves or cancels them.

    Public holidays are written by the tick. They are not deleted, for it would write them again: the clinic says that it works.
    """

    form = ClosureForm
    list_display = ("begins_on", "ends_on", "hours", "practitioner", "reason", "kind", "visits_there")
    list_filter = ("source", "practitioner")
    list_select_related = ("practitioner", "clinic")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Closure]:
        return with_visits(super().get_queryset(request), now=clock.now())

    def get_ordering(self, request: HttpRequest) -> list[Any]:
        """What is to come first, soonest first."""
        is_over = Case(When(ends_on__lt=clock.now().date(), then=Value(1)), default=Value(0))
        return [is_over.asc(), "begins_on", "pk"]

    def get_fields(self, request: HttpRequest, obj: Closure | None = None) -> tuple[str, ...]:
        return ("begins_on", "reason", "is_open") if obj is not None and obj.is_holiday else DAYS

    def get_readonly_fields(self, request: HttpRequest, obj: Closure | None = None) -> tuple[str, ...]:
        return ("begins_on", "reason") if obj is not None and obj.is_holiday else ()

    def has_delete_permission(self, request: HttpRequest, obj: Closure | None = None) -> bool:
        is_holiday = obj is not None and obj.is_holiday
        return bool(super().has_delete_permission(request, obj)) and not is_holiday

    @admin.display(description=_("time"))
    def hours(self, closure: Closure) -> str:
        if closure.begins_at is None and closure.ends_at is None:
            return "–"
        edges = (closure.begins_at, closure.ends_at)
        return " – ".join(clock_time(edge, closure.clinic) if edge else "" for edge in edges).strip()

    @admin.display(description=_("comes from"))
    def kind(self, closure: Closure) -> str:
        source = closure.get_source_display()
        return f"{source}, {_('we work that day')}" if closure.is_open else source

    @admin.display(description=_("visits there"))
    def visits_there(self, closure: Closure) -> str:
        count: int = getattr(closure, "visits_on_days", 0)
        if closure.is_open or not count:
            return "–"
        return format_html('<a href="{}">{}</a>', reverse("today", query={"day": closure.begins_on}), count)

    def save_model(self, request: HttpRequest, obj: Closure, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        standing = visits_standing_in(obj, now=clock.now())
        if not standing.count or standing.first_on is None:
            return
        text = ngettext(
            "%d visit stands in these days: move or cancel it, for nobody has been told.",
            "%d visits stand in these days: move or cancel them, for nobody has been told.",
            standing.count,
        )
        day = reverse("today", query={"day": standing.first_on})
        link = format_html('<a href="{}">{}</a>', day, _("See the first of them"))
        self.message_user(request, format_html("{} {}", text % standing.count, link), messages.WARNING)
