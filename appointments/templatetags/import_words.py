"""What should be known before a file is brought in, as sentences."""

from __future__ import annotations

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from appointments.queries.bringing.looks import Warn, Warned

register = template.Library()


@register.simple_tag
def warning_words(warned: Warned) -> str:
    """How many lines it is about, and what will be done with them."""
    count = warned.count
    sentences = {
        Warn.TWICE_AT_ONCE: ngettext(
            "%(count)d visit overlaps another of the same patient. It is brought in.",
            "%(count)d visits overlap another of the same patient. They are brought in.",
            count,
        ),
        Warn.BY_NAME: ngettext(
            "%(count)d visit is joined to a patient by the name alone, and would be told to that patient's number. "
            "Add the phone or the date of birth if it is a namesake's.",
            "%(count)d visits are joined to a patient by the name alone, and would be told to that patient's number. "
            "Add the phone or the date of birth if one is a namesake's.",
            count,
        ),
        Warn.NAMESAKE: ngettext(
            "%(count)d patient is called like somebody else here, with another number or date of birth, and is taken "
            "in as somebody new. If they are one person, merge them on the patient's page.",
            "%(count)d patients are called like somebody else here, with another number or date of birth, and are taken "
            "in as somebody new. If two are one person, merge them on the patient's page.",
            count,
        ),
        Warn.SHARED: ngettext(
            "%(count)d line has a number that is somebody else's too. That is fine for a family.",
            "%(count)d lines have a number that is somebody else's too. That is fine for a family.",
            count,
        ),
        Warn.LANDLINE: ngettext(
            "%(count)d line has the number of a landline, where WhatsApp may reach nobody.",
            "%(count)d lines have the number of a landline, where WhatsApp may reach nobody.",
            count,
        ),
        Warn.DIFFERS: ngettext(
            "%(count)d line says something else than what stands here. It stays as it is here.",
            "%(count)d lines say something else than what stands here. It stays as it is here.",
            count,
        ),
        Warn.KEPT_NO: ngettext(
            "%(count)d patient agrees by the file and had said no to messages before. The no holds.",
            "%(count)d patients agree by the file and had said no to messages before. The no holds.",
            count,
        ),
    }
    return sentences[warned.what] % {"count": count}


@register.simple_tag
def warned_lines(warned: Warned) -> str:
    """Where to look in the file."""
    if not warned.lines:
        return ""
    numbers = ", ".join(str(line) for line in warned.lines)
    if warned.count > len(warned.lines):
        return _("Lines %(numbers)s and others") % {"numbers": numbers}
    return ngettext("Line %(numbers)s", "Lines %(numbers)s", warned.count) % {"numbers": numbers}
