"""The clinic's own data, to take along."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from io import StringIO
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from appointments.queries.exports import PATIENT_COLUMNS, VISIT_COLUMNS, Row, patient_rows, visit_rows
from appointments.views.pages import day_of, page, read_clock, today_at
from clinicbot import audit
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.clock import Reading

BACK, AHEAD = timedelta(days=30), timedelta(days=365)
LINES_AT_ONCE = 500
UTF_8_MARK = "\ufeff"
"""Without it spreadsheets take the file for another encoding."""


@require_safe
@permission_required_here("clinicbot.export_data")
def exports(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    return page(request, "exports/page.html", _context(request, reading=reading), reading=reading)


@never_cache
@require_POST
@permission_required_here("clinicbot.export_data")
def export_visits(request: ClinicRequest) -> HttpResponse | StreamingHttpResponse:
    reading = read_clock()
    first, last = day_of(request.POST.get("from", "")), day_of(request.POST.get("to", ""))
    if first is None or last is None or last < first:
        wrong = _("Choose the first and the last day; the last not before the first.")
        context = _context(request, reading=reading, wrong=wrong, first=first, last=last)
        return page(request, "exports/page.html", context, reading=reading, status=400)
    detail = {"what": "visits", "first": first.isoformat(), "last": last.isoformat()}
    _record(request, reading=reading, detail=detail)
    return _file(f"visits-{first}-{last}.csv", VISIT_COLUMNS, visit_rows(request.clinic, first=first, last=last))


@never_cache
@require_POST
@permission_required_here("clinicbot.export_data")
def export_patients(request: ClinicRequest) -> StreamingHttpResponse:
    reading = read_clock()
    _record(request, reading=reading, detail={"what": "patients"})
    day = today_at(request.clinic, reading=reading)
    return _file(f"patients-{day}.csv", PATIENT_COLUMNS, patient_rows(request.clinic))


def _context(
    request: ClinicRequest, *, reading: Reading, wrong: str = "", first: date | None = None, last: date | None = None
) -> dict[str, Any]:
    today = today_at(request.clinic, reading=reading)
    return {
        "section": "exports",
        "wrong": wrong,
        "first": first or today - BACK,
        "last": last or today + AHEAD,
    }


def _record(request: ClinicRequest, *, reading: Reading, detail: dict[str, str]) -> None:
    audit.record(
        Actor.of(request),
        clinic=request.clinic,
        action="exported",
        subject=request.clinic,
        detail=detail,
        now=reading.now,
    )


def _file(name: str, columns: Row, rows: Iterable[Row]) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        _lines(columns, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def _lines(columns: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Where decimals have a comma, spreadsheets separate by semicolons."""
    written = StringIO(UTF_8_MARK)
    written.seek(0, 2)
    writer = csv.writer(written, delimiter="," if (get_language() or "").startswith("en") else ";")
    writer.writerow(columns)
    for number, row in enumerate(rows, start=1):
        writer.writerow(row)
        if number % LINES_AT_ONCE == 0:
            yield written.getvalue()
            written.seek(0)
            written.truncate()
    yield written.getvalue()
