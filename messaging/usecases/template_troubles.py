"""What is wrong with a template that visits depend on, as a task for staff; gone when it is right again."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from messaging.contracts import Subject, TaskReason
from messaging.models import MessageTemplate
from messaging.texts.definitions import list_template_texts
from messaging.texts.languages import base_of
from messaging.texts.template_words import NOT_CREATED
from messaging.texts.templates import TemplateReason, problem_of
from messaging.usecases.tasks import finish_tasks_of, open_task

UTILITY = "UTILITY"


class TemplateTrouble(StrEnum):
    """The `detail` of the task."""

    CATEGORY = "template_category"
    CATEGORY_SOON = "template_category_soon"
    MISSING = "template_missing"
    NOT_CREATED = "template_not_created"
    REJECTED = "template_rejected"
    PAUSED = "template_paused"
    DISABLED = "template_disabled"
    MISMATCH = "template_mismatch"
    UNUSABLE = "template_unusable"


def troubles_of(template: MessageTemplate) -> frozenset[TemplateTrouble]:
    """None for templates that are not ours, nor for one that waits for its review."""
    if template.name not in list_template_texts():
        return frozenset()
    if template.status == NOT_CREATED:
        return frozenset({TemplateTrouble.NOT_CREATED})
    problem = problem_of(template)
    troubles = set() if problem in (None, TemplateReason.PENDING) else {TemplateTrouble(str(problem))}
    return frozenset(troubles | _category_troubles(template))


def _category_troubles(template: MessageTemplate) -> set[TemplateTrouble]:
    """As MARKETING it is charged, may be refused for being one too many, and no longer reaches the United States."""
    if template.category not in ("", UTILITY):
        return {TemplateTrouble.CATEGORY}
    if template.correct_category not in ("", UTILITY):
        return {TemplateTrouble.CATEGORY_SOON}
    return set()


def tell_troubles(template: MessageTemplate, *, now: datetime) -> None:
    """Open a task for each trouble, and finish those of troubles that are gone. The same call again changes nothing."""
    present = troubles_of(template)
    for trouble in TemplateTrouble:
        key = trouble_key(template.pk, trouble)
        if trouble in present:
            open_task(
                template.clinic_id,
                reason=TaskReason.TEMPLATE_TROUBLE,
                unique_key=key,
                subject=Subject("template", str(template.pk)),
                detail=trouble,
                now=now,
            )
        else:
            finish_tasks_of(template.clinic_id, unique_key=key, now=now)
    if problem_of(template) is None:
        key = wanted_key(template.account_id, name=template.name, language=template.language)
        finish_tasks_of(template.clinic_id, unique_key=key, now=now)


def trouble_key(template_id: int | None, trouble: str) -> str:
    """Of the task about one trouble of one template."""
    return f"template:{template_id}:{trouble}"


def wanted_key(account_id: int, *, name: str, language: str) -> str:
    """Of the task that is opened when a message is held for want of a template; done when there is one."""
    return f"template:{account_id}:{name}:{base_of(language)}"
