"""Asking the provider for templates of our texts that it does not have."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from messaging import conf
from messaging.channels.whatsapp import templates_api
from messaging.channels.whatsapp.templates_api import BusinessAccount, ProviderTemplate
from messaging.errors import ProviderRefusedError
from messaging.models import MessageTemplate, SendingAccount, TextOverride
from messaging.texts.definitions import TemplateDefinition, definition_of, wanted_templates
from messaging.texts.languages import base_of
from messaging.texts.template_words import NOT_CREATED
from messaging.usecases.template_troubles import tell_troubles


def create_missing(
    account: SendingAccount, business: BusinessAccount, listed: Iterable[ProviderTemplate], *, now: datetime
) -> tuple[int, int, bool]:
    """Ask for each of our texts in each language that has no template, in no region. Answers created, refused, all done."""
    there = {(theirs.name, base_of(theirs.language)) for theirs in listed}
    own_words = _own_words(account.clinic_id)
    ends = time.monotonic() + conf.template_creating_seconds()
    created = refused = 0
    for text_name, language in wanted_templates():
        if (text_name, language) in there:
            continue
        if time.monotonic() > ends:
            return created, refused, False
        definition = definition_of(text_name, language, body=own_words.get((text_name, language), ""))
        if _create(account, business, definition, now=now):
            created += 1
        else:
            refused += 1
    return created, refused, True


def _own_words(clinic_id: int) -> dict[tuple[str, str], str]:
    rows = TextOverride.objects.for_clinic(clinic_id).values_list("text_name", "language", "body")
    return {(text_name, language): body for text_name, language, body in rows}


def _create(
    account: SendingAccount, business: BusinessAccount, definition: TemplateDefinition, *, now: datetime
) -> bool:
    """A refusal is kept as a row of its own, so that staff see which and why; the next look asks again."""
    try:
        provider_id, status, category = templates_api.create_template(business, definition)
    except ProviderRefusedError as error:
        if error.outcome.after_seconds is not None:
            raise  # Too many at once, or no service: not the template's fault.
        _record_created(account, definition, status=NOT_CREATED, reason=error.outcome.detail, now=now)
        return False
    _record_created(account, definition, status=status, provider_id=provider_id, category=category, now=now)
    return True


@transaction.atomic
def _record_created(
    account: SendingAccount,
    definition: TemplateDefinition,
    *,
    status: str,
    provider_id: str = "",
    category: str = "",
    reason: str = "",
    now: datetime,
) -> None:
    row, _is_new = MessageTemplate.objects.for_clinic(account.clinic_id).update_or_create(
        account=account,
        name=definition.name,
        language=definition.language,
        defaults={
            "clinic_id": account.clinic_id,
            "provider_id": provider_id,
            "status": status.upper(),
            "category": category.upper(),
            "is_named": True,
            "components": templates_api.components_of(definition),
            "rejected_reason": reason[:200],
            "synced_at": now,
        },
    )
    tell_troubles(row, now=now)
