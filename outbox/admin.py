"""What was published, who has heard of it, and the button for what went wrong."""

from __future__ import annotations

from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_bulk import is_of_all_pages, start_draft
from clinicbot.admin_lists import once_a_row
from outbox import bulk_acts, queries
from outbox.models import DeliveryState, OutboxDelivery, OutboxEvent
from outbox.usecases.retrying import retry_deliveries


@admin.register(OutboxEvent)
class OutboxEventAdmin(ReadOnlyAdmin[OutboxEvent]):
    list_display = ("id", "clinic_id", "type", "aggregate_type", "aggregate_id", "occurred_at")
    fields = (
        "id",
        "clinic",
        "type",
        "aggregate_type",
        "aggregate_id",
        "aggregate_version",
        "occurred_at",
        "payload",
        "story",
    )
    readonly_fields = ("story",)
    ordering = ("-id",)
    search_help_text = _("Exact id")

    @admin.display(description=_("What happened to the same thing"))
    @once_a_row
    def story(self, event: OutboxEvent) -> str:
        return story_of(event)


@admin.register(OutboxDelivery)
class OutboxDeliveryAdmin(ReadOnlyAdmin[OutboxDelivery]):
    list_display = ("id", "clinic_id", "handler", "state", "attempt", "next_try_at", "last_error")
    list_filter = ("state",)
    found_by_index = {"state__exact": (DeliveryState.PENDING, DeliveryState.DEAD)}
    fields = (
        "event",
        "clinic",
        "handler",
        "state",
        "attempt",
        "in_company",
        "reported",
        "next_try_at",
        "last_error",
        "unknown_since",
        "finished_at",
        "story",
    )
    readonly_fields = ("story",)
    ordering = ("-id",)
    search_help_text = _("Number, or exact id of the event")
    actions = ("retry_selected",)
    list_disable_select_all = False

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "retry")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[OutboxDelivery], search_term: str
    ) -> tuple[QuerySet[OutboxDelivery], bool]:
        event_id = _uuid_or_none(search_term)
        if event_id is None:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(event_id=event_id), False

    @admin.display(description=_("What happened to the same thing"))
    @once_a_row
    def story(self, delivery: OutboxDelivery) -> str:
        return story_of(delivery.event)

    @admin.action(description=_("Try again now"), permissions=["retry"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[OutboxDelivery]) -> HttpResponse | None:
        if is_of_all_pages(request):
            return start_draft(request, queryset, act=bulk_acts.RETRY)
        retried = retry_deliveries(queryset.values_list("pk", flat=True), actor=Actor.of(request), now=clock.now())
        self.message_user(
            request,
            ngettext("%d delivery will be tried again.", "%d deliveries will be tried again.", retried) % retried,
        )
        return None


def story_of(event: OutboxEvent) -> str:
    """The events of the thing this one is about, with their deliveries, as a list."""
    story = queries.events_of(event.clinic, aggregate_type=event.aggregate_type, aggregate_id=event.aggregate_id)
    return render_to_string("outbox/story.html", {"story": story, "clinic": event.clinic})


def _uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text.strip())
    except ValueError:
        return None
