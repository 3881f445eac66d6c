"""When the clinic or somebody at it is away."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Case, QuerySet, Value, When
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from appointments.admin.hours_forms import ClosureForm
from appointments.admin.planning import PlansRemindersAgain
from appointments.models import Closure
from appointments.queries.closure_plans import is_being_carried_out
from appointments.queries.closures import with_visits
from clinicbot import clock
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_lists import once_a_row
from clinicbot.clinic_time import clock_time

DAYS = ("practitioner", "begins_on", "begins_at", "ends_on", "ends_at", "reason")


@admin.register(Closure)
class ClosureAdmin(PlansRemindersAgain, TenantAdmin[Closure]):
    """Nobody can book into one any more. Over booked time none is made here: that is decided visit by visit, on the staff pages.

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
        return (
            bool(super().has_delete_permission(request, obj))
            and not is_holiday
            and not (obj is not None and self._is_waiting(obj))
        )

    def has_change_permission(self, request: HttpRequest, obj: Closure | None = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and not (obj is not None and self._is_waiting(obj))

    @once_a_row
    def _is_waiting(self, obj: Closure) -> bool:
        """Its patients are about to be told: what is to be taken back is taken back as a whole, on its own page."""
        return is_being_carried_out(obj)

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
        return format_html('<a href="{}">{}</a>', reverse("closure-new", query={"closure": closure.pk}), count)
