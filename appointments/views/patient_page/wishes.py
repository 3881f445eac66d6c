"""What a form of the patient's page says: which visits of this household, each as it was shown."""

from __future__ import annotations

from django.http import HttpRequest

from appointments.queries.patient_page import PageVisit, PatientPage
from appointments.usecases.patient_page import Shown
from appointments.views.pages import number_of

WISH = "visit"


def shown_of(request: HttpRequest, page: PatientPage) -> list[Shown]:
    """Each "id:version" that was posted. A visit of anybody else is nobody's here."""
    own = {row.visit.pk: row.visit for row in page.rows}
    shown = []
    for wish in dict.fromkeys(request.POST.getlist(WISH)):
        visit_id, version = (number_of(part) for part in (wish.partition(":")[0], wish.partition(":")[2]))
        if visit_id in own and version is not None:
            shown.append(Shown(visit=own[visit_id], notice_version=version))
    return shown


def row_of(page: PatientPage, *, wanted: str) -> PageVisit:
    """The row of that id; the link's own where there is none."""
    return next((row for row in page.rows if str(row.visit.pk) == wanted), page.own)
