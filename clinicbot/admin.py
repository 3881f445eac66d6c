"""Clinics, members, the audit trail; users and groups, which are a superuser's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.widgets import UnfoldAdminSelectWidget

from clinicbot import clock
from clinicbot.access import is_superuser
from clinicbot.actors import Actor
from clinicbot.admin_actions import CheckedActions
from clinicbot.admin_audit import AuditEntryAdmin
from clinicbot.admin_base import TenantAdmin
from clinicbot.admin_bulk import BulkBatchAdmin
from clinicbot.admin_forms import ClinicForm, list_countries, list_zones
from clinicbot.admin_members import InvitationAdmin, MembershipAdmin
from clinicbot.models import Clinic
from clinicbot.suspending import resume, suspend

__all__ = [
    "AuditEntryAdmin",
    "BulkBatchAdmin",
    "ClinicAdmin",
    "GroupAdmin",
    "InvitationAdmin",
    "MembershipAdmin",
    "UserAdmin",
]


@admin.register(Clinic)
class ClinicAdmin(TenantAdmin[Clinic]):
    """A clinic admin edits the own clinic's settings; a superuser every clinic's, and alone its name in addresses and its state."""

    form = ClinicForm
    clinic_lookup = "pk"
    list_display = ("name", "slug", "zone", "language", "suspended_at")
    search_fields = ("name", "slug")
    readonly_fields = ("suspended_at", "created_at")
    actions = ("suspend_selected", "resume_selected")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Clinic]:
        return Clinic.objects.all() if is_superuser(request.user) else super().get_queryset(request)

    def get_readonly_fields(self, request: HttpRequest, obj: Clinic | None = None) -> tuple[str, ...]:
        readonly = tuple(super().get_readonly_fields(request, obj))
        return readonly if is_superuser(request.user) else (*readonly, "slug", "suspended_reason")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Clinic | None = None) -> bool:
        return False

    def has_suspend_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request.user)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        choices = {"zone": list_zones, "country": list_countries}.get(db_field.name)
        if choices is None:
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        return forms.ChoiceField(
            label=capfirst(db_field.verbose_name),
            choices=choices,
            initial=db_field.default,
            widget=UnfoldAdminSelectWidget,
        )

    @admin.action(description=_("Suspend: hold all messages"), permissions=["suspend"])
    def suspend_selected(self, request: HttpRequest, queryset: QuerySet[Clinic]) -> None:
        count = self._each(request, queryset, suspend)
        self.message_user(request, ngettext("%d clinic suspended.", "%d clinics suspended.", count) % count)

    @admin.action(description=_("Resume: send what is still useful"), permissions=["suspend"])
    def resume_selected(self, request: HttpRequest, queryset: QuerySet[Clinic]) -> None:
        count = self._each(request, queryset, resume)
        self.message_user(request, ngettext("%d clinic resumed.", "%d clinics resumed.", count) % count)

    def _each(self, request: HttpRequest, queryset: QuerySet[Clinic], use_case: Callable[..., bool]) -> int:
        actor, now = Actor.of(request), clock.now()
        return sum(use_case(pk, actor=actor, now=now) for pk in queryset.values_list("pk", flat=True))


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(CheckedActions, DjangoUserAdmin, ModelAdmin):  # type: ignore[type-arg, misc]
    """Permissions come from memberships, so groups and permissions of a user, which would not count, are not offered."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": ("first_name", "last_name", "email")}),
        (_("Access"), {"fields": ("is_active", "is_superuser")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")


@admin.register(Group)
class GroupAdmin(CheckedActions, DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]
    """What each role may do, at whatever clinic. Their names are the roles'."""
