"""Actions on rows of an admin list: what cannot be read is said, and nothing is done."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.db.models import QuerySet
from django.db.models.options import Options
from django.http import HttpRequest

from clinicbot.human_text import NUL


class CheckedActions:
    """Of a wrong reason Django would say that no action was chosen; of a number that is none, nothing but an error page."""

    opts: Options[Any]

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        if wrong := _what_is_wrong(request, pk=self.opts.pk):
            messages.error(request, wrong)
            return None
        return super().response_action(request, queryset)  # type: ignore[misc]


def _what_is_wrong(request: HttpRequest, *, pk: Any) -> str:
    if any(NUL in value for _name, values in request.POST.lists() for value in values):
        return str(ProhibitNullCharactersValidator.message)
    try:
        for number in request.POST.getlist(ACTION_CHECKBOX_NAME):
            pk.to_python(number)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""
