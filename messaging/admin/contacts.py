"""Where people can be reached and what they agreed to. Numbers are masked in lists, whole on a contact's own page."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_lists import once_a_row
from clinicbot.redaction import mask_address
from messaging.contracts import Category, ConsentSource
from messaging.models import Consent, Contact
from messaging.phones import to_display
from messaging.queries.contacts import opted_out_categories
from messaging.queries.words import title_of_category
from messaging.usecases.consents import grant, withdraw
from messaging.usecases.contacts import clear_wrong_number


@admin.register(Contact)
class ContactAdmin(ReadOnlyAdmin[Contact]):
    list_display = ("id", "channel", "masked", "last_inbound_at", "unreachable_since", "wrong_number_at")
    ordering = ("-id",)
    search_keys = ("address",)
    search_help_text = _("Number of the contact, or the whole phone number with + in front")
    fields = (
        "id",
        "clinic",
        "channel",
        "number",
        "wants_nothing_of",
        "last_inbound_at",
        "unreachable_since",
        "unreachable_reason",
        "wrong_number_at",
        "slowed_until",
        "created_at",
    )
    readonly_fields = ("number", "wants_nothing_of")
    actions = ("stop_selected", "start_selected", "clear_wrong_number_of_selected")

    @admin.display(description=_("address"))
    def masked(self, contact: Contact) -> str:
        return mask_address(contact.address)

    @admin.display(description=_("phone"))
    def number(self, contact: Contact) -> str:
        return to_display(contact.address) or str(_("shows no number"))

    @admin.display(description=_("said stop to"))
    @once_a_row
    def wants_nothing_of(self, contact: Contact) -> str:
        stopped = opted_out_categories(contact.clinic_id, contact_ids=[contact.pk])[contact.pk]
        return ", ".join(title_of_category(category) for category in sorted(stopped)) or "–"

    def has_consent_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("messaging.add_consent"))

    @admin.action(description=_("They want no messages any more"), permissions=["consent"])
    def stop_selected(self, request: HttpRequest, queryset: QuerySet[Contact]) -> None:
        count = self._note(withdraw, request, queryset)
        text = ngettext("%d contact gets no messages any more.", "%d contacts get no messages any more.", count)
        self.message_user(request, text % count)

    @admin.action(description=_("They agreed to messages"), permissions=["consent"])
    def start_selected(self, request: HttpRequest, queryset: QuerySet[Contact]) -> None:
        count = self._note(grant, request, queryset)
        text = ngettext("%d contact gets messages again.", "%d contacts get messages again.", count)
        self.message_user(request, text % count)

    @admin.action(description=_("The number is right after all"), permissions=["consent"])
    def clear_wrong_number_of_selected(self, request: HttpRequest, queryset: QuerySet[Contact]) -> None:
        pairs = list(queryset.values_list("clinic_id", "pk"))
        count = sum(clear_wrong_number(clinic_id, contact_id=pk) for clinic_id, pk in pairs)
        self.message_user(request, ngettext("%d number is used again.", "%d numbers are used again.", count) % count)

    def _note(self, use_case: Any, request: HttpRequest, queryset: QuerySet[Contact]) -> int:
        now: datetime = clock.now()
        return sum(
            bool(
                use_case(
                    clinic_id,
                    contact_id=pk,
                    categories=list(Category),
                    source=ConsentSource.DESK,
                    actor=Actor.of(request),
                    now=now,
                )
            )
            for clinic_id, pk in list(queryset.values_list("clinic_id", "pk"))
        )


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin[Consent]):
    """Every word, kept for ever. A new one is noted on the contact."""

    list_display = ("id", "contact", "about", "state", "source", "actor_kind", "said_at")
    list_filter = ("category", "state")
    list_select_related = ("contact",)
    ordering = ("-id",)

    @admin.display(description=_("category"), ordering="category")
    def about(self, consent: Consent) -> str:
        return title_of_category(consent.category)
