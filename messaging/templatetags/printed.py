"""Words as a phone prints them: `{{ preview.body|as_printed }}`."""

from __future__ import annotations

from django import template

from messaging.texts.showing import as_printed

register = template.Library()
register.filter("as_printed", as_printed)
