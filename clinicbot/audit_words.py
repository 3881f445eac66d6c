"""What the entries of the audit trail say: the act in words, the thing with a link, what was before and what is now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from clinicbot.clinic_time import short_date
from clinicbot.models import AuditEntry

# Of what the admin's forms and the visits' history say themselves, see below.
ACTS = {
    "added": gettext_lazy("added"),
    "changed": gettext_lazy("changed"),
    "deleted": gettext_lazy("deleted"),
    "suspended": gettext_lazy("messages switched off"),
    "resumed": gettext_lazy("messages switched on"),
    "exported": gettext_lazy("exported"),
    "opened": gettext_lazy("address made"),
    "closed": gettext_lazy("address ended"),
    "new password": gettext_lazy("new password"),
    "consent.granted": gettext_lazy("agreed to messages"),
    "consent.withdrawn": gettext_lazy("refused messages"),
    "message.cancelled": gettext_lazy("message cancelled"),
    "message.sent_again": gettext_lazy("message sent again"),
    "kill_switch.thrown": gettext_lazy("sending stopped"),
    "kill_switch.released": gettext_lazy("sending released"),
    "account.paused": gettext_lazy("account paused"),
    "account.resumed": gettext_lazy("account resumed"),
    "patient.merged": gettext_lazy("merged"),
    "patient.noted": gettext_lazy("note changed"),
    "patient.guardian_set": gettext_lazy("guardian set"),
    "patient.guardian_ended": gettext_lazy("guardian ended"),
    "patient.way_first": gettext_lazy("reached here first"),
    "patient.way_ended": gettext_lazy("number no longer used"),
    "task.done": gettext_lazy("task done"),
    "outbox.retry_delivery": gettext_lazy("tried again"),
    "scheduler.retry_jobs": gettext_lazy("jobs tried again"),
    "scheduler.cancel_jobs": gettext_lazy("jobs cancelled"),
    "scheduler.reschedule_jobs": gettext_lazy("jobs moved"),
    "scheduler.accept_batch": gettext_lazy("batch confirmed"),
    "scheduler.stop_batch": gettext_lazy("batch stopped"),
    "scheduler.pause_queue": gettext_lazy("queue paused"),
    "scheduler.resume_queue": gettext_lazy("queue resumed"),
    "scheduler.set_queue_limits": gettext_lazy("limits changed"),
    "messaging.save_own_words": gettext_lazy("own words saved"),
    "messaging.remove_own_words": gettext_lazy("own words removed"),
    "messaging.pause_template": gettext_lazy("template paused"),
    "messaging.resume_template": gettext_lazy("template resumed"),
}
VISIT = "visit."
_OF_VISITS = ("appointments.AppointmentChange", "kind")
_SHOWN = 120


def act_in_words(action: str) -> str:
    """Of an act that nobody has put into words, its name without signs."""
    if action in ACTS:
        return str(ACTS[action])
    if action.startswith(VISIT):
        label, field = _OF_VISITS
        words = dict(apps.get_model(label)._meta.get_field(field).flatchoices)
        return str(words.get(action.removeprefix(VISIT), action))
    return action.rpartition(".")[2].replace("_", " ")


def model_of(entry: AuditEntry) -> type[models.Model] | None:
    try:
        return apps.get_model(entry.subject_type)
    except (LookupError, ValueError):
        return None


def subject_in_words(entry: AuditEntry) -> str:
    model = model_of(entry)
    return f"{capfirst(model._meta.verbose_name) if model else entry.subject_type} {entry.subject_id}"


def link_to(entry: AuditEntry, request: HttpRequest) -> str:
    """Where the thing itself stands in the admin; empty where it has no page, or none for this person."""
    model = model_of(entry)
    if model is None or not admin.site.is_registered(model):
        return ""
    if not admin.site.get_model_admin(model).has_view_permission(request):
        return ""
    try:
        return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[entry.subject_id])
    except NoReverseMatch:
        return ""


def changes_in_words(entry: AuditEntry) -> list[str]:
    """As "status: booked → cancelled"; of what is personal the field's name alone."""
    before, after = _values(entry, "before"), _values(entry, "after")
    model = model_of(entry)
    told = [
        f"{_title(model, name)}: {_value(model, name, before.get(name))} → {_value(model, name, after.get(name))}"
        for name in {**before, **after}
    ]
    others = [_title(model, name) for name in _fields(entry) if name not in before and name not in after]
    rest = [
        f"{name.replace('_', ' ')}: {value}"
        for name, value in entry.detail.items()
        if name not in ("before", "after", "message", "change", "jobs") and isinstance(value, str | int | float)
    ]
    return [line[:_SHOWN] for line in (*told, *others, *rest)]


def _values(entry: AuditEntry, name: str) -> Mapping[str, Any]:
    found = entry.detail.get(name)
    return found if isinstance(found, dict) else {}


def _fields(entry: AuditEntry) -> list[str]:
    """Django's own words about a form name the fields by their titles."""
    message = entry.detail.get("message")
    parts = message if isinstance(message, list) else []
    return [
        str(field)
        for part in parts
        if isinstance(part, dict)
        for words in part.values()
        if isinstance(words, dict)
        for field in words.get("fields", ())
    ]


def _title(model: type[models.Model] | None, name: str) -> str:
    field = _field(model, name)
    return str(field.verbose_name) if field is not None else name.replace("_", " ")


def _value(model: type[models.Model] | None, name: str, value: Any) -> str:
    field = _field(model, name)
    if value is None or value == "":
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(field, models.DateField) and isinstance(value, str):
        moment = datetime.fromisoformat(value)
        day = short_date(moment.date())
        return f"{day} {value[11:16]} UTC" if isinstance(field, models.DateTimeField) else day
    if isinstance(field, models.TimeField) and isinstance(value, str):
        return value[:5]
    choices = dict(getattr(field, "flatchoices", ()) or ())
    return str(choices.get(value, value))


def _field(model: type[models.Model] | None, name: str) -> Any:
    if model is None:
        return None
    try:
        return model._meta.get_field(name.removesuffix("_id") if name.endswith("_id") else name)
    except FieldDoesNotExist:
        return None
