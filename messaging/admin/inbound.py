"""What people wrote, what providers called us with, and what waits for a person."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from messaging.models import InboundMessage, InboundState, StaffTask, WebhookCall, WebhookItem, WebhookProbe
from messaging.queries.words import TASKS, title_of_task
from messaging.usecases.tasks import finish_task


@admin.register(InboundMessage)
class InboundMessageAdmin(ReadOnlyAdmin[InboundMessage]):
    """Words stand on a message's own page only: a list is seen over shoulders."""

    list_display = ("id", "contact", "type", "action", "state", "outcome", "sent_at")
    list_filter = ("state",)
    found_by_index = {"state__exact": (InboundState.NEW,)}
    list_select_related = ("contact",)
    ordering = ("-id",)
    search_help_text = _("Exact id")
    fields = (
        "id",
        "clinic",
        "contact",
        "account",
        "type",
        "text",
        "action",
        "answers",
        "state",
        "outcome",
        "sent_at",
        "received_at",
    )


class ReasonFilter(admin.SimpleListFilter):
    title = _("what")
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [(str(reason), str(title)) for reason, title in TASKS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[StaffTask]) -> QuerySet[StaffTask]:
        return queryset.filter(reason=self.value()) if self.value() else queryset


@admin.register(StaffTask)
class StaffTaskAdmin(ReadOnlyAdmin[StaffTask]):
    list_display = ("id", "title", "detail", "person_kind", "person_id", "subject", "state", "opened_at", "done_at")
    list_filter = ("state", ReasonFilter)
    ordering = ("-id",)
    fields = (
        "id",
        "clinic",
        "title",
        "detail",
        "person_kind",
        "person_id",
        "subject",
        "message",
        "inbound",
        "state",
        "opened_at",
        "done_at",
        "done_by",
    )
    readonly_fields = ("title", "subject")
    actions = ("finish_selected",)

    @admin.display(description=_("what"), ordering="reason")
    def title(self, task: StaffTask) -> str:
        return title_of_task(task.reason)

    @admin.display(description=_("about"))
    def subject(self, task: StaffTask) -> str:
        return f"{gettext(task.subject_type)} {task.subject_id}" if task.subject_id else "–"

    def has_finish_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "finish")

    @admin.action(description=_("Done"), permissions=["finish"])
    def finish_selected(self, request: HttpRequest, queryset: QuerySet[StaffTask]) -> None:
        now, actor = clock.now(), Actor.of(request)
        pairs = list(queryset.values_list("clinic_id", "pk"))
        count = sum(finish_task(clinic_id, task_id=pk, actor=actor, now=now) for clinic_id, pk in pairs)
        self.message_user(request, ngettext("%d task done.", "%d tasks done.", count) % count)


@admin.register(WebhookItem)
class WebhookItemAdmin(ReadOnlyAdmin[WebhookItem]):
    """Never the body: it is personal, encrypted, and gone a week after it was handled."""

    list_display = ("id", "clinic_id", "provider", "field", "outcome", "received_at", "handled_at")
    ordering = ("-id",)
    search_keys = ("unique_key",)
    search_help_text = _("Exact id or key")
    fields = (
        "id",
        "clinic",
        "account",
        "provider",
        "field",
        "number_id",
        "unique_key",
        "outcome",
        "received_at",
        "handled_at",
    )


class _MachineWide:
    """No clinic's, so a superuser's."""

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return is_superuser(request.user)


@admin.register(WebhookProbe)
class WebhookProbeAdmin(_MachineWide, ReadOnlyAdmin[WebhookProbe]):
    list_display = ("id", "was_up", "probed_at")
    list_filter = ("was_up",)
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookProbe]:
        return WebhookProbe.objects.order_by("-id") if is_superuser(request.user) else WebhookProbe.objects.none()


@admin.register(WebhookCall)
class WebhookCallAdmin(_MachineWide, ReadOnlyAdmin[WebhookCall]):
    list_display = ("id", "status", "begun_at")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookCall]:
        return WebhookCall.objects.order_by("-id") if is_superuser(request.user) else WebhookCall.objects.none()
