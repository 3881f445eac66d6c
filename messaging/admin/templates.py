"""WhatsApp templates as the provider has them: looked at, looked up again, paused, resumed, given other words."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from messaging.channels.whatsapp.components import shape_of
from messaging.errors import TemplateNotEditableError
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.template_words import CATEGORIES, words_of
from messaging.texts.titles import title_of
from messaging.usecases.template_jobs import ask_for_sync
from messaging.usecases.template_submitting import ask_for_submission
from messaging.usecases.template_troubles import TemplateTrouble, troubles_of
from messaging.usecases.templates import pause_template, resume_template


@admin.register(MessageTemplate)
class MessageTemplateAdmin(ReadOnlyAdmin[MessageTemplate]):
    list_display = ("title", "language", "state", "kind", "quality", "account", "synced_at")
    list_filter = ("status", "category", "language", "account")
    list_select_related = ("account",)
    ordering = ("name", "language")
    fields = (
        "title",
        "name",
        "language",
        "account",
        "state",
        "rejected_reason",
        "kind",
        "words",
        "labels",
        "quality",
        "paused_at",
        "paused_reason",
        "provider_id",
        "synced_at",
    )
    actions = ("look_now", "pause_selected", "resume_selected", "submit_selected")

    @admin.display(description=_("text"), ordering="name")
    def title(self, template: MessageTemplate) -> str:
        return title_of(template.name)

    @admin.display(description=_("state"), ordering="status")
    def state(self, template: MessageTemplate) -> str:
        return str(words_of(template).state)

    @admin.display(description=_("charged as"), ordering="category")
    def kind(self, template: MessageTemplate) -> str:
        words = str(CATEGORIES.get(template.category, template.category))
        if TemplateTrouble.CATEGORY_SOON in troubles_of(template):
            return str(_("%(now)s, soon %(soon)s")) % {
                "now": words,
                "soon": CATEGORIES.get(template.correct_category, template.correct_category),
            }
        return words

    @admin.display(description=_("words"))
    def words(self, template: MessageTemplate) -> str:
        return shape_of(template.components).body

    @admin.display(description=_("buttons"))
    def labels(self, template: MessageTemplate) -> str:
        return " · ".join(button.label for button in shape_of(template.components).buttons)

    def has_pause_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "pause")

    @admin.action(description=_("Look at WhatsApp's list now"), permissions=["pause"])
    def look_now(self, request: HttpRequest, queryset: QuerySet[MessageTemplate]) -> None:
        """The whole list of each account that has one of these."""
        now = clock.now()
        account_ids = set(queryset.values_list("account_id", flat=True))
        for account in SendingAccount.unscoped.filter(pk__in=account_ids).select_related("clinic"):
            ask_for_sync(account, now=now)
        self.message_user(request, _("WhatsApp's list will be read within a minute."))

    @admin.action(description=_("Pause: use these no more"), permissions=["pause"])
    def pause_selected(self, request: HttpRequest, queryset: QuerySet[MessageTemplate]) -> None:
        reading, actor = clock.read(), Actor.of(request)
        count = self._each(
            queryset,
            lambda clinic_id, pk: pause_template(
                clinic_id, template_id=pk, actor=actor, real=reading.real, now=reading.now
            ),
        )
        self.message_user(request, ngettext("%d template paused.", "%d templates paused.", count) % count)

    @admin.action(description=_("Resume: end our own pause"), permissions=["pause"])
    def resume_selected(self, request: HttpRequest, queryset: QuerySet[MessageTemplate]) -> None:
        now, actor = clock.now(), Actor.of(request)
        count = self._each(
            queryset, lambda clinic_id, pk: resume_template(clinic_id, template_id=pk, actor=actor, now=now)
        )
        self.message_user(request, ngettext("%d template resumed.", "%d templates resumed.", count) % count)

    @admin.action(description=_("Have our present words reviewed"), permissions=["pause"])
    def submit_selected(self, request: HttpRequest, queryset: QuerySet[MessageTemplate]) -> None:
        now, actor, refused = clock.now(), Actor.of(request), 0
        for clinic_id, pk in queryset.values_list("clinic_id", "pk"):
            try:
                ask_for_submission(clinic_id, template_id=pk, actor=actor, now=now)
            except TemplateNotEditableError:
                refused += 1
        if refused:
            text = ngettext("%d cannot be changed now.", "%d cannot be changed now.", refused) % refused
            self.message_user(request, text, level=messages.WARNING)
        self.message_user(request, _("Until WhatsApp has approved the new words, a template does not send."))

    def _each(self, queryset: QuerySet[MessageTemplate], use_case: Callable[[int, int], None]) -> int:
        pairs = list(queryset.values_list("clinic_id", "pk"))
        for clinic_id, pk in pairs:
            use_case(clinic_id, pk)
        return len(pairs)
