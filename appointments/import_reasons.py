"""What is wrong with a file, or with one value of it, as sentences for staff."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from appointments.errors import (
    ImportEncodingError,
    ImportFileError,
    ImportNameSharedError,
    ImportNotTextError,
    ImportQuoteError,
    ImportRowError,
    ImportTextError,
    ImportTooManyColumnsError,
    ImportTooManyLinesError,
)
from appointments.models import AppointmentStatus
from clinicbot.errors import ClinicBotError

COLUMN_WORDS = {
    "patient": _("patient"),
    "surname": _("surname"),
    "date": _("date"),
    "time": _("time"),
    "practitioner": _("practitioner"),
    "service": _("service"),
    "room": _("room"),
    "phone": _("phone"),
    "agreed": _("agreed to messages"),
    "born_on": _("date of birth"),
    "language": _("language"),
    "status": _("state of the visit"),
    "note": _("note"),
    "guardian": _("guardian"),
}
FILE_ERRORS = {
    "import_empty": _(
        "There is nothing in the file. It needs a first line with headings, and a line for each patient or visit."
    ),
    "import_too_many_cells": _("The line has more cells than the first line has headings: one separator too many?"),
    "import_over": _("Somebody has started or stopped this import already. It stands as you see it here."),
    "import_running": _(
        "Another import is running. When it is done, look at this one again: what it brought is known then."
    ),
}


def sentence_of_import(error: ClinicBotError) -> str:
    """ "" for an error that is not about a file."""
    match error:
        case ImportFileError():
            return _sentence_of_columns(error.missing)
        case ImportEncodingError():
            return gettext("Line %(line)d cannot be read: save the file as CSV in UTF-8, and try again.") % {
                "line": error.line
            }
        case ImportNotTextError():
            return _sentence_of_kind(is_workbook=error.is_workbook)
        case ImportTooManyLinesError():
            return gettext(
                "The file has %(lines)d lines. At most %(most)d go at once: divide it, and bring in one part after the other."
            ) % {
                "lines": error.lines,
                "most": error.most,
            }
        case ImportQuoteError():
            return gettext("Up to line %(line)d a quotation mark has no partner.") % {"line": error.line}
        case ImportTooManyColumnsError():
            return gettext(
                "The first line names %(columns)d columns. At most %(most)d can be read: leave out the others."
            ) % {
                "columns": error.columns,
                "most": error.most,
            }
        case ImportNameSharedError():
            return gettext("Several here are called “%(value)s”: give each a name of its own first.") % {
                "value": error.value
            }
        case ImportRowError():
            return _sentence_of_value(error)
        case ImportTextError():
            return gettext("The text in the column %(column)s is too long, or cannot be stored.") % {
                "column": error.column
            }
    return ""


def listed(words: Sequence[object]) -> str:
    return ", ".join(str(word) for word in words)


def _sentence_of_columns(missing: Sequence[str]) -> str:
    return gettext(
        "The first line must name these columns too: %(names)s. Commas, semicolons or tabs stand between them."
    ) % {"names": listed(missing)}


def _sentence_of_kind(*, is_workbook: bool) -> str:
    if is_workbook:
        return gettext("This is a workbook, not a CSV file. In Excel: Save as, then CSV UTF-8. Then choose that file.")
    return gettext("This is no CSV file but something else, such as a picture or a PDF. Choose the CSV file.")


def _sentence_of_value(error: ImportRowError) -> str:
    said = {
        "value": error.value or "–",
        "column": error.column,
        "words": listed(AppointmentStatus.values),
    }
    sentences = {
        "patient": gettext("Several patients are called “%(value)s”: add the phone."),
        "guardian": gettext(
            "“%(value)s” is not the name of one patient here or in the file: bring in the guardian first, or leave it empty."
        ),
        "date": gettext("“%(value)s” is no day: write 2026-04-15 or 15/04/2026."),
        "born_on": gettext("“%(value)s” is no day: write 2026-04-15 or 15/04/2026."),
        "time": gettext("“%(value)s” is no time: write 09:30."),
        "status": gettext("“%(value)s” is no state of a visit: write one of %(words)s, or leave it empty."),
        "language": gettext("“%(value)s” is no language: write en, es or pt."),
    }
    return (
        sentences.get(error.column, gettext("The column %(column)s says “%(value)s”, which this clinic has not."))
        % said
    )
