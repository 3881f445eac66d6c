"""The approved templates one wave may use, and why one may not be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from messaging.models import MessageTemplate
from messaging.texts.fitting import fits
from messaging.texts.languages import by_preference

APPROVED = "APPROVED"


class TemplateReason(StrEnum):
    """Why a template cannot be used; a text of each is in the catalogue of reasons."""

    MISSING = "template_missing"
    PENDING = "template_pending"
    REJECTED = "template_rejected"
    PAUSED = "template_paused"
    DISABLED = "template_disabled"
    MISMATCH = "template_mismatch"
    UNUSABLE = "template_unusable"


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """`template_id`: the one that would have been used, if there is one."""

    reason: TemplateReason
    template_id: int | None = None


_REASONS = {
    "PENDING": TemplateReason.PENDING,
    "IN_APPEAL": TemplateReason.PENDING,
    "REJECTED": TemplateReason.REJECTED,
    "PAUSED": TemplateReason.PAUSED,
    "DISABLED": TemplateReason.DISABLED,
    "DELETED": TemplateReason.MISSING,
    "PENDING_DELETION": TemplateReason.MISSING,
    "ARCHIVED": TemplateReason.MISSING,
}


class TemplateBook:
    """Reads the database once, when loaded."""

    def __init__(self, templates: Mapping[tuple[int, str], Mapping[str, MessageTemplate]]) -> None:
        self._templates = templates

    @classmethod
    def load(cls, account_ids: Iterable[int], text_names: Iterable[str]) -> Self:
        """One query."""
        templates: defaultdict[tuple[int, str], dict[str, MessageTemplate]] = defaultdict(dict)
        rows = MessageTemplate.unscoped.filter(account_id__in=set(account_ids), name__in=set(text_names))
        for template in rows:
            templates[template.account_id, template.name][template.language] = template
        return cls(templates)

    def find(
        self, account_id: int, text_name: str, language: str, clinic_language: str
    ) -> MessageTemplate | TemplateProblem:
        """The template of the person's language; failing that, of the clinic's. `template.language` says which it became.

        The variables must then be in that language too: a message never mixes two.
        """
        problems: list[TemplateProblem] = []
        for wanted in dict.fromkeys((language, clinic_language)):
            for template in self._in_order(account_id, text_name, wanted):
                problem = problem_of(template)
                if problem is None:
                    return template
                problems.append(TemplateProblem(problem, template.pk))
        return next(iter(problems), TemplateProblem(TemplateReason.MISSING))

    def problem_in(self, account_id: int, text_name: str, language: str) -> TemplateProblem:
        """Why there was none of this language to be found."""
        for template in self._in_order(account_id, text_name, language):
            if problem := problem_of(template):
                return TemplateProblem(problem, template.pk)
        return TemplateProblem(TemplateReason.MISSING)

    def _in_order(self, account_id: int, text_name: str, language: str) -> list[MessageTemplate]:
        templates = self._templates.get((account_id, text_name), {})
        return [templates[code] for code in by_preference(templates, language=language)]


def problem_of(template: MessageTemplate) -> TemplateReason | None:
    """Why it may not be used now, before anything is sent."""
    if template.status != APPROVED:
        return _REASONS.get(template.status, TemplateReason.UNUSABLE)
    if template.paused_at is not None:
        return TemplateReason.PAUSED
    return None if fits(template) else TemplateReason.MISMATCH
