"""The messages of a patient, page by page."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from appointments.queries.patient_messages import messages_of_patient
from appointments.views.pages import page, read_clock
from appointments.views.patients import patient_or_404
from clinicbot.access import ClinicRequest, permission_required_here


@require_safe
@permission_required_here("messaging.view_message")
def patient_messages(request: ClinicRequest, patient_id: int) -> HttpResponse:
    found = patient_or_404(request, patient_id)
    before = _message_id(request.GET.get("before", ""))
    context = {"patient": found, "before": before, "found": messages_of_patient(found, before=before)}
    return page(request, "patients/messages.html", context, reading=read_clock())


def _message_id(text: str) -> UUID | None:
    """None for what is none: then the first page shows."""
    try:
        return UUID(text)
    except ValueError:
        return None
