"""An import as it stands: what it would come to, how far it is, or what it came to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from appointments.brought_files.columns import COLUMNS, unused_headings
from appointments.import_reasons import COLUMN_WORDS
from appointments.models import ImportKind, ImportRun, ImportState
from appointments.queries.bringing.looks import Look
from appointments.queries.bringing.runs import find_file, is_stuck, look_of, refused_of
from appointments.views.importing.door import IMPORT, run_or_404
from appointments.views.pages import day_of, page, part, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.clock import Reading

SHOWN = 20
"""Lines that are refused; the file has them all."""


@never_cache
@require_safe
@permission_required_here(IMPORT)
def look(request: ClinicRequest, run_id: int) -> HttpResponse:
    reading, run = read_clock(), run_or_404(request, run_id)
    if run.state != ImportState.LOOKED_AT:
        return page(request, "imports/run.html", _progress(run), reading=reading)
    file = find_file(run)
    found = look_of(file)
    if file is None or found is None:
        return HttpResponseRedirect(resolve_url("import-columns", run.pk))
    context = {
        **_messages(request, reading=reading),
        "section": "imports",
        "run": run,
        "file": file,
        "look": found,
        "shown": found.problems[:SHOWN],
        "more": max(0, len(found.problems) - SHOWN),
        "sample": _sample(run, found),
        "unused": unused_headings(found.headings, run.columns),
        "asks_agreement": "phone" in run.columns and "agreed" not in run.columns and not run.all_agreed,
    }
    if context["first"] is not None:
        context["plan"] = found.plan_from(context["first"])
    return page(request, "imports/look.html", context, reading=reading)


@never_cache
@require_safe
@permission_required_here(IMPORT)
def live(request: ClinicRequest, run_id: int) -> HttpResponse:
    """How far it is, and when it is done, what it came to."""
    return part(request, "imports/live.html", _progress(run_or_404(request, run_id)), reading=read_clock())


@never_cache
@require_safe
@permission_required_here(IMPORT)
def refused_file(request: ClinicRequest, run_id: int) -> HttpResponse:
    """The lines that are not, or would not be, brought in, to mend."""
    refused = refused_of(find_file(run_or_404(request, run_id)))
    if refused is None:
        raise Http404
    return HttpResponse(
        refused.as_csv(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="not-brought-in-{run_id}.csv"'},
    )


def _messages(request: ClinicRequest, *, reading: Reading) -> dict[str, Any]:
    """first: from which day on visits are to be reminded of, as the address says; None: nothing is sent."""
    wish, tomorrow = request.GET.get("from", ""), today_at(request.clinic, reading=reading) + timedelta(days=1)
    first = day_of(wish)
    return {"first": first, "proposed": first or tomorrow, "is_wrong_day": bool(wish) and first is None}


def _progress(run: ImportRun) -> dict[str, Any]:
    file = find_file(run) if run.is_over else None  # Large, and asked for every two seconds while it runs.
    refused = refused_of(file)
    lines = sorted(refused.lines, key=lambda one: (not one.is_news, one.line)) if refused else []
    return {
        "section": "imports",
        "run": run,
        "file": file,
        "is_stuck": is_stuck(run),
        "is_of_visits": run.what == ImportKind.VISITS,
        "refused": refused,
        "shown": lines[:SHOWN],
        "more": max(0, len(lines) - SHOWN),
        "left": run.lines - run.read,
    }


def _sample(run: ImportRun, look: Look) -> dict[str, Any]:
    """The first lines as they were read, under our names and those of the file."""
    named = [name for name in COLUMNS[run.what] if name in run.columns]
    places = [run.columns[name] for name in named]
    return {
        "heads": [(COLUMN_WORDS[name], look.headings[run.columns[name]]) for name in named],
        "rows": [[row[at] if at < len(row) else "" for at in places] for row in look.sample],
    }
