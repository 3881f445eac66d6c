"""What somebody else did to a visit while a page about it stood open."""

from __future__ import annotations

from django.utils.translation import gettext as _

from appointments.models import Appointment, AppointmentChange, AppointmentStatus
from appointments.queries.names import staff_names
from clinicbot.actors import ActorKind
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic


def said_of_last_change(clinic: Clinic, *, visit_id: int) -> str:
    """Who changed it last, when, and how it stands now, in a sentence or two. Three queries."""
    visit = Appointment.objects.for_clinic(clinic).select_related("service").get(pk=visit_id)
    change = AppointmentChange.objects.for_clinic(clinic).filter(appointment_id=visit_id).latest("pk")
    words = {
        "who": _who(change),
        "at": clock_time(change.happened_at, clinic),
        "day": short_date(visit.local_date),
        "time": clock_time(visit.local_time, clinic),
        "service": visit.service.name,
        "state": AppointmentStatus(visit.status).label,
    }
    return _("%(who)s changed it at %(at)s. Now: %(day)s, %(time)s, %(service)s, %(state)s. Look again.") % words


def _who(change: AppointmentChange) -> str:
    if change.actor_kind == ActorKind.PATIENT:
        return _("The patient")
    return staff_names([change.actor_id]).get(change.actor_id or 0) or _("Somebody")
