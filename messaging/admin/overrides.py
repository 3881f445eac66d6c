"""A clinic's own words: written, checked, shown as a patient will read them, taken back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import TenantForm
from clinicbot.models import Language
from messaging.models import TextOverride
from messaging.texts.declared import declared_variables
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import find_source, list_text_names
from messaging.texts.titles import title_of
from messaging.usecases.overrides import list_faults, preview, remove_override, save_override


def list_texts() -> list[tuple[str, str]]:
    return [(name, title_of(name)) for name in list_text_names()]


class OwnWordsForm(TenantForm):
    """Every fault is told at once, beside the words."""

    class Meta:
        model = TextOverride
        fields = ("text_name", "language", "body")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        text_name = cleaned.get("text_name") or self.instance.text_name
        language = cleaned.get("language") or self.instance.language
        if text_name and language and "body" in cleaned:
            for fault in list_faults(text_name, language, cleaned["body"]):
                self.add_error("body", fault)
        return cleaned


@admin.register(TextOverride)
class TextOverrideAdmin(TenantAdmin[TextOverride]):
    form = OwnWordsForm
    list_display = ("title", "language", "body")
    list_filter = ("language",)
    ordering = ("text_name", "language")
    actions = None  # Taken back one by one, each with its page.

    @admin.display(description=_("text"), ordering="text_name")
    def title(self, override: TextOverride) -> str:
        return title_of(override.text_name)

    @admin.display(description=_("variables"))
    def variables(self, override: TextOverride) -> str:
        return " ".join(f"{{{{ {name} }}}}" for name in declared_variables(override.text_name))

    @admin.display(description=_("our words"))
    def our_words(self, override: TextOverride) -> str:
        source = find_source(override.text_name, override.language)
        return source.body if source else ""

    @admin.display(description=_("as a patient reads it"))
    def as_read(self, override: TextOverride) -> str:
        """With a made-up patient."""
        shown = preview(override.clinic, text_name=override.text_name, language=override.language, body=override.body)
        return "\n".join([shown.body, " · ".join(label for _action, label in shown.buttons)]).strip()

    def get_fields(self, request: HttpRequest, obj: TextOverride | None = None) -> tuple[str, ...]:
        words = ("text_name", "language", "body")
        return (*words, "variables", "as_read", "our_words") if obj else words

    def get_readonly_fields(self, request: HttpRequest, obj: TextOverride | None = None) -> tuple[str, ...]:
        return ("text_name", "language", "variables", "as_read", "our_words") if obj else ()

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """A page opened for one text begins with our words."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        source = find_source(str(initial.get("text_name", "")), str(initial.get("language", "")))
        return {**initial, "body": source.body} if source else initial

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        choices: Mapping[str, Any] = {"text_name": list_texts, "language": Language}
        if db_field.name in choices:
            return forms.ChoiceField(
                label=db_field.verbose_name, choices=choices[db_field.name], widget=UnfoldAdminSelectWidget
            )
        if db_field.name == "body":
            kwargs["widget"] = UnfoldAdminTextareaWidget(attrs={"rows": 6})
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: TextOverride, form: Any, change: bool) -> None:
        made = save_override(
            obj.clinic,
            text_name=obj.text_name,
            language=obj.language,
            body=obj.body,
            actor=Actor.of(request),
            now=clock.now(),
        )
        obj.__dict__.update(made.__dict__)
        if obj.text_name in list_template_texts():
            self.message_user(
                request,
                _(
                    "Outside the 24 hours after a patient wrote, the approved template is said until its words are changed too."
                ),
            )

    def delete_model(self, request: HttpRequest, obj: TextOverride) -> None:
        remove_override(
            obj.clinic, text_name=obj.text_name, language=obj.language, actor=Actor.of(request), now=clock.now()
        )

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[TextOverride]) -> None:
        for override in queryset:
            self.delete_model(request, override)

    # The use cases write down who changed what.
    def log_addition(self, request: HttpRequest, obj: TextOverride, message: Any) -> list[Any]:
        return []

    def log_change(self, request: HttpRequest, obj: TextOverride, message: Any) -> list[Any]:
        return []

    def log_deletions(self, request: HttpRequest, queryset: Any) -> list[Any]:
        return []
