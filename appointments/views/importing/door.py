"""What the pages of an import share: who may come in, and which import it is."""

from __future__ import annotations

from django.http import Http404

from appointments.models import ImportRun
from appointments.queries.bringing.runs import find_run
from clinicbot.access import ClinicRequest

IMPORT = "appointments.add_importrun"
"""Like the export: for whoever answers for the clinic. It writes hundreds of visits, and says yes for other people."""


def run_or_404(request: ClinicRequest, run_id: int) -> ImportRun:
    run = find_run(request.clinic, run_id=run_id)
    if run is None:
        raise Http404
    return run
