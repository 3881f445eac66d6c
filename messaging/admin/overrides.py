"""A clinic's own words: a list of them. They are written where they are seen on a phone, in the settings."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext_lazy as _

from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_scope import active_clinic
from messaging.models import TextOverride
from messaging.queries.own_texts import is_a_clinics
from messaging.texts.titles import title_of


@admin.register(TextOverride)
class TextOverrideAdmin(ReadOnlyAdmin[TextOverride]):
    list_display = ("title", "language", "body")
    list_filter = ("language",)
    ordering = ("text_name", "language")
    fields = ("title", "language", "body")
    readonly_fields = ("title",)
    actions = None  # Taken back one by one, each with its page.

    @admin.display(description=_("text"), ordering="text_name")
    def title(self, override: TextOverride) -> str:
        return title_of(override.text_name)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "add") and active_clinic(request) is not None

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """The page of the text that the address names, else all of them."""
        text_name, language = request.GET.get("text_name", ""), request.GET.get("language", "")
        if is_a_clinics(text_name, language):
            return HttpResponseRedirect(resolve_url("settings-text", text_name, language))
        return HttpResponseRedirect(resolve_url("settings-texts"))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Whoever may change it is where that is done; others only look."""
        override = self.get_object(request, object_id)
        may = self.may(request, "change") and active_clinic(request) is not None
        if override is not None and may and is_a_clinics(override.text_name, override.language):
            return HttpResponseRedirect(resolve_url("settings-text", override.text_name, override.language))
        page: HttpResponse = super().change_view(request, object_id, form_url, extra_context)
        return page
