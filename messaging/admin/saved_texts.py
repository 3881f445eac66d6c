"""Texts that staff choose from in a conversation."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_scope import TenantForm
from clinicbot.models import Language
from messaging.models import SavedText
from messaging.queries.saved_texts import faults_of_saved


class SavedTextForm(TenantForm):
    """What cannot be filled in is told beside the words."""

    class Meta:
        model = SavedText
        fields = ("title", "language", "body", "position")

    def clean_body(self) -> str:
        body: str = self.cleaned_data["body"].replace("\r\n", "\n")
        for fault in faults_of_saved(body):
            self.add_error("body", fault)
        return body


@admin.register(SavedText)
class SavedTextAdmin(TenantAdmin[SavedText]):
    form = SavedTextForm
    list_display = ("id", "title", "language", "position")
    list_filter = ("language",)
    ordering = ("language", "position", "title")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "language":
            return forms.ChoiceField(label=db_field.verbose_name, choices=Language, widget=UnfoldAdminSelectWidget)
        if db_field.name == "body":
            kwargs["widget"] = UnfoldAdminTextareaWidget(attrs={"rows": 5})
            kwargs["help_text"] = gettext(
                "These are filled in: {{ patient }}, {{ clinic }}, {{ phone }}; "
                "of the next visit {{ when }}, {{ practitioner }}, {{ where }}."
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)
