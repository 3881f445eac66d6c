"""What a clinic writes often, filled in for somebody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from messaging.errors import MalformedTextError
from messaging.models import SavedText
from messaging.texts.placeholders import check_placeholders, fill, variables_of

VARIABLES = ("patient", "clinic", "phone", "when", "practitioner", "where")
"""What may stand in one, as `{{ patient }}`. The last three are of the next visit."""
MOST = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledText:
    saved_id: int
    title: str
    text: str = field(repr=False)


def saved_texts(clinic_id: int, *, language: str, values: Mapping[str, str]) -> list[FilledText]:
    """In their order, without those that need what is not known, such as the time of a visit where there is none. One query."""
    rows = SavedText.objects.for_clinic(clinic_id).filter(language=language).order_by("position", "title")[:MOST]
    known = {name for name, value in values.items() if value}
    return [
        FilledText(saved_id=row.pk, title=row.title, text=fill(row.body, values))
        for row in rows
        if known.issuperset(variables_of(row.body))
    ]


def faults_of_saved(body: str) -> list[str]:
    """Why it cannot be filled in, each in a sentence."""
    try:
        check_placeholders(body)
    except MalformedTextError:
        return [_("Only names such as {{ patient }} may stand in braces, without tags, filters or conditions.")]
    return [
        _("This text has no variable {{ %(name)s }}. It has: %(known)s.")
        % {"name": name, "known": ", ".join(VARIABLES)}
        for name in variables_of(body)
        if name not in VARIABLES
    ]
