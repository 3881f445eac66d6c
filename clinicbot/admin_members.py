"""Who works at a clinic, and who has been asked to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_forms import TOO_OFTEN, InvitationForm
from clinicbot.admin_scope import active_clinic
from clinicbot.errors import TooOftenError
from clinicbot.inviting import MOST_AN_HOUR, invite, resend, revoke
from clinicbot.models import Invitation, Membership, Role
from clinicbot.redaction import mask_address


@admin.register(Membership)
class MembershipAdmin(TenantAdmin[Membership]):
    """Who works here, as what. To add somebody is to invite them."""

    list_display = ("user", "role", "clinic")
    list_filter = ("role",)
    list_select_related = ("user", "clinic")
    search_fields = ("user__username",)
    fields = ("user", "role")
    readonly_fields = ("user",)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:clinicbot_invitation_add"))

    def has_change_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        return bool(super().has_change_permission(request, obj)) and not self._is_own(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        return bool(super().has_delete_permission(request, obj)) and not self._is_own(request, obj)

    def _is_own(self, request: HttpRequest, obj: Membership | None) -> bool:
        """Nobody raises or removes the own role, so a clinic is not left without an admin by mistake."""
        return obj is not None and obj.user_id == request.user.pk and not is_superuser(request.user)


@admin.register(Invitation)
class InvitationAdmin(TenantAdmin[Invitation]):
    """Who was asked to work here. An invitation is made, sent again or taken back, never changed."""

    list_display = ("masked", "role", "standing", "sent_at", "expires_at", "invited_by")
    list_filter = ("role",)
    list_select_related = ("invited_by",)
    search_fields = ("email",)
    fields = (
        "email",
        "role",
        "standing",
        "letters",
        "sent_at",
        "expires_at",
        "invited_by",
        "accepted_at",
        "accepted_by",
    )
    readonly_fields = fields[2:]
    actions = ("resend_selected", "revoke_selected")

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> tuple[str, ...]:
        return self.fields if obj else ("email", "role")

    def get_form(
        self, request: HttpRequest, obj: Invitation | None = None, change: bool = False, **kwargs: Any
    ) -> type[Any]:
        if obj is None:
            kwargs["form"] = InvitationForm
        return super().get_form(request, obj, change, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        return False

    def has_resend_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "resend")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "revoke")

    @admin.display(description=_("e-mail address"), ordering="email")
    def masked(self, invitation: Invitation) -> str:
        return mask_address(invitation.email)

    @admin.display(description=_("state"))
    def standing(self, invitation: Invitation) -> str:
        return str(invitation.state_at(clock.now()).label)

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        clinic = active_clinic(request)
        if clinic is not None:
            wish = form.cleaned_data
            made = invite(
                clinic, email=wish["email"], role=Role(wish["role"]), actor=Actor.of(request), now=clock.now()
            )
            obj.__dict__.update(made.__dict__)

    def log_addition(self, request: HttpRequest, obj: Invitation, message: Any) -> list[Any]:
        return []  # The invitation wrote it down.

    @admin.action(description=_("Send the letter again"), permissions=["resend"])
    def resend_selected(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        try:
            with transaction.atomic():
                count = self._each(request, queryset, resend)
        except TooOftenError:
            nothing = _("No letter was sent.")
            self.message_user(request, f"{TOO_OFTEN % MOST_AN_HOUR} {nothing}", messages.ERROR)
            return
        self.message_user(request, ngettext("%d letter sent again.", "%d letters sent again.", count) % count)

    @admin.action(description=_("Take the invitation back"), permissions=["revoke"])
    def revoke_selected(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        count = self._each(request, queryset, revoke)
        text = ngettext("%d invitation taken back.", "%d invitations taken back.", count)
        self.message_user(request, text % count)

    def _each(self, request: HttpRequest, queryset: QuerySet[Invitation], use_case: Callable[..., bool]) -> int:
        actor, now = Actor.of(request), clock.now()
        pairs = list(queryset.values_list("clinic_id", "pk"))
        return sum(use_case(clinic_id, invitation_id=pk, actor=actor, now=now) for clinic_id, pk in pairs)
