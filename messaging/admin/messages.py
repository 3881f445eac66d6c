"""Messages and their tries: what became of each and why. To act on by use cases: cancel, send again with a reason."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.forms import ActionForm
from unfold.widgets import UnfoldAdminTextInputWidget

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin, TenantTabularInline
from clinicbot.admin_bulk import is_of_all_pages, start_draft
from clinicbot.admin_scope import active_clinic
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import tidy
from messaging import bulk_acts
from messaging.contracts import list_kinds
from messaging.models import Attempt, AttemptState, Message, MessageState, MessageSubject
from messaging.queries.words import sentence_of_reason
from messaging.usecases.sending import cancel_messages, send_again

UNSETTLED = (MessageState.HELD, MessageState.UNKNOWN, MessageState.SENDING)


class KindFilter(admin.SimpleListFilter):
    """The kinds that the code knows. Django's own filter would read the whole table for them."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind.name, kind.name) for kind in list_kinds()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class ModeFilter(admin.SimpleListFilter):
    """As above: a mode is one of two words."""

    title = _("mode")
    parameter_name = "mode"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("free", _("free text")), ("template", _("template"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(mode=self.value()) if self.value() else queryset


class ReasonActionForm(ActionForm):  # type: ignore[misc]
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=200,
        widget=UnfoldAdminTextInputWidget({"x-show": "action == 'resend_selected'"}),
    )


class _ReadOnlyInline(TenantTabularInline):
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class SubjectInline(_ReadOnlyInline):
    model = MessageSubject
    fields = ("subject_type", "subject_id", "subject_version")
    show_change_link = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("messaging.view_message"))


class AttemptInline(_ReadOnlyInline):
    model = Attempt
    ordering = ("number",)
    fields = (
        "number",
        "state",
        "mode",
        "said_at",
        "accepted_at",
        "sent_at",
        "delivered_at",
        "read_at",
        "failed_at",
        "failure_code",
        "failure_detail",
        "possibly_twice",
    )


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin[Message]):
    list_display = ("id", "clinic_id", "kind", "person", "state", "why", "generation", "due_at", "settled_at")
    list_filter = ("state", KindFilter)
    search_help_text = _("Exact id")
    ordering = ("-id",)
    fields = (
        "id",
        "clinic",
        "kind",
        "text_name",
        "rule",
        "person",
        "state",
        "why",
        "generation",
        "asked_again_reason",
        "answered_with",
        "answered_at",
        "created_at",
        "due_at",
        "expires_at",
        "settled_at",
        "tries",
        "lapses",
        "leased_until",
        "was_sent_once_more",
        "superseded",
    )
    readonly_fields = ("person", "why")
    inlines = (SubjectInline, AttemptInline)
    action_form = ReasonActionForm
    actions = ("cancel_selected", "resend_selected")
    list_disable_select_all = False

    def is_found_by_index(self, request: HttpRequest, *, name: str, value: str) -> bool:
        """A clinic's messages by their state; over all clinics those that are not settled."""
        return name == "state__exact" and (active_clinic(request) is not None or value in UNSETTLED)

    @admin.display(description=_("recipient"))
    def person(self, message: Message) -> str:
        return f"{gettext(message.person_kind)} {message.person_id}"

    @admin.display(description=_("why"), ordering="reason")
    def why(self, message: Message) -> str:
        return sentence_of_reason(message.reason) or message.reason

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "cancel")

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "resend")

    @admin.action(description=_("Cancel what has not left yet"), permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Message]) -> HttpResponse | None:
        if is_of_all_pages(request):
            return start_draft(request, queryset, act=bulk_acts.CANCEL)
        actor, now = Actor.of(request), clock.now()
        ids_of: dict[int, list[Any]] = {}
        for clinic_id, pk in queryset.values_list("clinic_id", "pk"):
            ids_of.setdefault(clinic_id, []).append(pk)
        count = sum(
            cancel_messages(clinic_id, message_ids=ids, actor=actor, now=now) for clinic_id, ids in ids_of.items()
        )
        self.message_user(request, ngettext("%d message cancelled.", "%d messages cancelled.", count) % count)
        return None

    @admin.action(description=_("Send again"), permissions=["resend"])
    def resend_selected(self, request: HttpRequest, queryset: QuerySet[Message]) -> HttpResponse | None:
        if is_of_all_pages(request):
            return start_draft(request, queryset, act=bulk_acts.RESEND)
        reason = tidy(request.POST.get("reason", ""))
        if not reason:
            self.message_user(request, _("Say why it is sent again; nothing was sent."), messages.ERROR)
            return None
        actor, now, count = Actor.of(request), clock.now(), 0
        for clinic_id, pk in queryset.values_list("clinic_id", "pk"):
            try:
                send_again(clinic_id, message_id=pk, reason=reason, actor=actor, now=now)
                count += 1
            except ClinicBotError as error:
                self.message_user(request, f"{pk}: {error}", messages.WARNING)
        self.message_user(request, ngettext("%d message sent again.", "%d messages sent again.", count) % count)
        return None


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin[Attempt]):
    """One try. What was said stands on its own page, never in the list."""

    list_display = ("id", "clinic_id", "message_id", "number", "state", "mode", "failure_code", "said_at")
    list_filter = ("state", ModeFilter, "possibly_twice")
    found_by_index = {"state__exact": (AttemptState.SENDING, AttemptState.UNKNOWN)}
    search_help_text = _("Exact id")
    ordering = ("-id",)
    exclude = ("labels",)
