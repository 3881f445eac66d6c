"""What changes an approved template: the provider's news, a refusal, a member of staff."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from messaging.channels.whatsapp.template_updates import APPROVED, TemplateUpdate, read_template_update
from messaging.errors import TemplateNotFoundError
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.template_words import BY_STAFF
from messaging.usecases.template_jobs import GATHER, WHATSAPP, ask_for_sync
from messaging.usecases.template_troubles import tell_troubles

_TOLD = ("status", "rejected_reason", "category", "correct_category", "quality")


@transaction.atomic
def apply_template_update(business_account_id: str, *, field: str, value: Mapping[str, Any], now: datetime) -> int:
    """Take in Meta's news of one template, and look at all of them soon: news come late, twice and out of order.

    field, value: the webhook's own. Answers how many rows it changed; none of an account that is not ours.
    """
    update = read_template_update(field, value)
    accounts = SendingAccount.unscoped.filter(channel=WHATSAPP, parent_id=business_account_id).exclude(parent_id="")
    changed = 0
    for account in accounts.select_related("clinic"):
        template = _find(account, update)
        if template is not None:
            _apply(template, update, now=now)
            changed += 1
        ask_for_sync(account, after=GATHER, now=now)
    return changed


def _find(account: SendingAccount, update: TemplateUpdate) -> MessageTemplate | None:
    """By name and language; the id may be of a template that was deleted and made anew."""
    return (
        MessageTemplate.objects.for_clinic(account.clinic_id)
        .select_for_update()
        .filter(account=account, name=update.name, language=update.language)
        .first()
    )


def _apply(template: MessageTemplate, update: TemplateUpdate, *, now: datetime) -> None:
    for name in _TOLD:
        if (told := getattr(update, name)) is not None:
            setattr(template, name, told)
    template.provider_id = update.provider_id or template.provider_id
    template.synced_at = now
    if update.status == APPROVED and template.paused_reason != BY_STAFF:
        template.paused_at, template.paused_reason = None, ""
    template.save()
    tell_troubles(template, now=now)


@transaction.atomic
def pause_after_refusal(clinic_id: int, *, template_id: int, code: str, real: datetime, now: datetime) -> None:
    """The provider refused a message because of its template: use it no more until a look finds it usable."""
    template = _get(clinic_id, template_id=template_id)
    if template.paused_at is None:
        template.paused_at, template.paused_reason = real, code[:64]
        template.save(update_fields=["paused_at", "paused_reason"])
    tell_troubles(template, now=now)
    ask_for_sync(template.account, after=GATHER, now=now)


@transaction.atomic
def pause_template(clinic_id: int, *, template_id: int, actor: Actor, real: datetime, now: datetime) -> None:
    """Staff stop a template; only staff let it go on.

    Raises:
        TemplateNotFoundError
    """
    template = _get(clinic_id, template_id=template_id)
    template.paused_at, template.paused_reason = real, BY_STAFF
    _save_pause(template, action="messaging.pause_template", actor=actor, now=now)


@transaction.atomic
def resume_template(clinic_id: int, *, template_id: int, actor: Actor, now: datetime) -> None:
    """End our own pause. The provider's own stays: only Meta ends that.

    Raises:
        TemplateNotFoundError
    """
    template = _get(clinic_id, template_id=template_id)
    template.paused_at, template.paused_reason = None, ""
    _save_pause(template, action="messaging.resume_template", actor=actor, now=now)


def _save_pause(template: MessageTemplate, *, action: str, actor: Actor, now: datetime) -> None:
    template.save(update_fields=["paused_at", "paused_reason"])
    tell_troubles(template, now=now)
    audit.record(actor, clinic=template.clinic, action=action, subject=template, now=now)


def _get(clinic_id: int, *, template_id: int) -> MessageTemplate:
    template = (
        MessageTemplate.objects.for_clinic(clinic_id)
        .select_for_update(of=("self",))
        .select_related("account__clinic", "clinic")
        .filter(pk=template_id)
        .first()
    )
    if template is None:
        raise TemplateNotFoundError
    return template
