"""When the clinic reminds."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from appointments.admin.forms import RuleForm
from appointments.models import ReminderRule
from appointments.queries.rule_words import title_of_rule
from appointments.usecases.rules import RuleWish, add_rule, change_rule
from clinicbot import clock
from clinicbot.admin_base import TenantAdmin


@admin.register(ReminderRule)
class ReminderRuleAdmin(TenantAdmin[ReminderRule]):
    form = RuleForm
    list_display = ("id", "when", "only_if_unconfirmed", "version", "is_active")
    list_filter = ("is_active",)
    readonly_fields = ("version",)
    fields = (*RuleForm.Meta.fields, "version")

    @admin.display(description=_("when"))
    def when(self, rule: ReminderRule) -> str:
        return title_of_rule(rule)

    def has_delete_permission(self, request: HttpRequest, obj: ReminderRule | None = None) -> bool:
        return False  # What it sent is told by its number. Out of use, it reminds nobody.

    def save_model(self, request: HttpRequest, obj: ReminderRule, form: Any, change: bool) -> None:
        wish = RuleWish(**{name: form.cleaned_data[name] for name in RuleForm.Meta.fields})
        now = clock.now()
        if not change:
            obj.__dict__.update(add_rule(obj.clinic, wish=wish, now=now).__dict__)
            return
        change_rule(obj.clinic, rule_id=obj.pk, wish=wish, now=now)
