"""What an error page or mail of Django's would say without DEBUG: the code's lines and no data."""

from __future__ import annotations

from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.debug import ExceptionReporter

from clinicbot.logs import told


class CodeOnlyReporter(ExceptionReporter):
    """Django's own shows variables, form fields, headers, paths, and an exception's words, which may quote a row."""

    def get_traceback_text(self) -> SafeString:
        return super().get_traceback_text() if settings.DEBUG else mark_safe(self._code_only())  # noqa: S308  # It is plain text.

    def get_traceback_html(self) -> SafeString:
        return super().get_traceback_html() if settings.DEBUG else format_html("<pre>{}</pre>", self._code_only())

    def _code_only(self) -> str:
        if self.exc_value is None:
            return "No exception."
        told_of = told(self.exc_value)
        return "\n".join([told_of["error"], *told_of["stack"]])
