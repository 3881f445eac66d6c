"""A file is chosen, and which column is which."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from appointments.import_forms import ColumnsForm, FileForm
from appointments.models import ImportState
from appointments.queries.bringing.runs import find_file, list_runs, table_of
from appointments.reasons import sentence_of
from appointments.usecases.bringing.uploading import Upload, choose_columns, take_in_file
from appointments.views.importing.door import IMPORT, run_or_404
from appointments.views.pages import page, read_clock
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.actors import Actor
from clinicbot.errors import ClinicBotError
from clinicbot.models import Language

MEGABYTE = 1024 * 1024


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here(IMPORT)
def imports(request: ClinicRequest) -> HttpResponse:
    """The form for a file, and what became of the latest ones."""
    reading = read_clock()
    form = FileForm(request.POST, request.FILES) if request.method == "POST" else FileForm()
    if form.is_bound and _is_too_large(request):
        form.refuse("file", _too_large())
    elif form.is_bound and form.is_valid():
        sent = form.cleaned_data["file"]
        upload = Upload(what=form.cleaned_data["what"], name=sent.name, language=_language(), data=sent.read())
        try:
            run = take_in_file(request.clinic, upload=upload, actor=Actor.of(request), now=reading.now)
        except ClinicBotError as error:
            form.refuse("file", sentence_of(error))
        else:
            return HttpResponseRedirect(resolve_url("import", run.pk))
    context = {"section": "imports", "form": form, "listed": list_runs(request.clinic), "states": ImportState}
    return page(request, "imports/page.html", context, reading=reading, status=400 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@permission_required_here(IMPORT)
def columns(request: ClinicRequest, run_id: int) -> HttpResponse:
    reading, run = read_clock(), run_or_404(request, run_id)
    file = find_file(run)
    if run.state != ImportState.LOOKED_AT or file is None:
        return HttpResponseRedirect(resolve_url("import", run.pk))
    form = ColumnsForm(request.POST if request.method == "POST" else None, run=run, table=table_of(file))
    if form.is_bound and form.is_valid():
        try:
            choose_columns(
                request.clinic,
                run_id=run.pk,
                columns=form.places(),
                all_agreed=form.cleaned_data["all_agreed"],
                now=reading.now,
            )
        except ClinicBotError as error:
            form.add_error(None, sentence_of(error))
        else:
            return HttpResponseRedirect(resolve_url("import", run.pk))
    context = {"section": "imports", "run": run, "file": file, "form": form}
    return page(request, "imports/columns.html", context, reading=reading, status=400 if form.errors else 200)


def _is_too_large(request: ClinicRequest) -> bool:
    """Such a file was never kept: nothing of it lies in memory or on the disk."""
    return int(request.META.get("CONTENT_LENGTH") or 0) > settings.FILE_UPLOAD_MAX_MEMORY_SIZE


def _too_large() -> str:
    return _("The file is larger than %(size)d MB: divide it, and bring in one part after the other.") % {
        "size": settings.FILE_UPLOAD_MAX_MEMORY_SIZE // MEGABYTE
    }


def _language() -> str:
    language = (get_language() or "")[:2]
    return language if language in Language.values else Language.ENGLISH
