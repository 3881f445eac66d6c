"""Giving the provider other words for a template that is there."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot import audit
from clinicbot.actors import Actor
from messaging.channels.whatsapp import templates_api
from messaging.channels.whatsapp.template_updates import APPROVED
from messaging.contracts import TaskReason
from messaging.errors import ProviderRefusedError, TemplateNotEditableError, TemplateNotFoundError
from messaging.job_args import SubmitTemplate
from messaging.models import MessageTemplate
from messaging.texts.book import TextBook
from messaging.texts.definitions import TemplateDefinition, definition_of, list_template_texts
from messaging.texts.languages import TEMPLATE_CODES, base_of
from messaging.usecases.tasks import finish_tasks_of, open_task
from messaging.usecases.template_jobs import ask_for_sync
from messaging.usecases.template_syncing import business_account
from scheduler.usecases.enqueueing import enqueue

NOT_CHANGED = "template_not_changed"
EDITABLE = (APPROVED, "REJECTED", "PAUSED")


def is_editable(template: MessageTemplate) -> bool:
    """Meta edits only these; and only what we have words for is ours to edit."""
    return (
        template.status in EDITABLE
        and template.is_named
        and template.name in list_template_texts()
        and base_of(template.language) in TEMPLATE_CODES
        and template.provider_id != ""
    )


@transaction.atomic
def ask_for_submission(clinic_id: int, *, template_id: int, actor: Actor, now: datetime) -> None:
    """Have the clinic's present words reviewed. Until Meta has approved them the template does not send.

    Raises:
        TemplateNotFoundError
        TemplateNotEditableError
    """
    template = _get(clinic_id, template_id=template_id)
    if not is_editable(template):
        raise TemplateNotEditableError
    enqueue(
        clinic_id,
        SubmitTemplate(template_id=template_id),
        run_at=now,
        unique_key=f"submit_template:{template_id}",
        now=now,
    )
    audit.record(actor, clinic=template.clinic, action="messaging.submit_template", subject=template, now=now)


def submit_template(clinic_id: int, *, template_id: int, now: datetime) -> None:
    """One call; the state it leads to is read by the look that follows. A refusal for good becomes a task.

    Raises:
        TemplateNotFoundError
        HttpError, ProviderRefusedError: as `templates_api`.
    """
    template = _get(clinic_id, template_id=template_id)
    if not is_editable(template):
        return
    key = f"template:{template_id}:{NOT_CHANGED}"
    try:
        templates_api.edit_template(
            business_account(template.account), present_definition(template), provider_id=template.provider_id
        )
    except ProviderRefusedError as error:
        if error.outcome.after_seconds is None:
            open_task(clinic_id, reason=TaskReason.TEMPLATE_TROUBLE, unique_key=key, detail=NOT_CHANGED, now=now)
        raise
    finish_tasks_of(clinic_id, unique_key=key, now=now)
    ask_for_sync(template.account, now=now)


def present_definition(template: MessageTemplate) -> TemplateDefinition:
    """The clinic's own words, or ours. The template's language need not be the code that we would create."""
    language = base_of(template.language)
    book = TextBook.load([(template.clinic_id, template.name, language)])
    return definition_of(template.name, language, body=book.body(template.clinic_id, template.name, language))


def _get(clinic_id: int, *, template_id: int) -> MessageTemplate:
    template = (
        MessageTemplate.objects.for_clinic(clinic_id)
        .select_related("account__clinic", "clinic")
        .filter(pk=template_id)
        .first()
    )
    if template is None:
        raise TemplateNotFoundError
    return template
