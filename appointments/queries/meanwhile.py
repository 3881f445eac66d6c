"""What somebody else did to a visit while a page about it stood open."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _

from appointments.models import Appointment, AppointmentChange, AppointmentStatus
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.last_changes import LastChange, name_of
from clinicbot.models import Clinic


def said_of_last_change(clinic: Clinic, *, visit_id: int) -> str:
    """Who changed it last, when, and how it stands now, in a sentence or two. Three queries."""
    visit = Appointment.objects.for_clinic(clinic).select_related("service").get(pk=visit_id)
    change = AppointmentChange.objects.for_clinic(clinic).filter(appointment_id=visit_id).latest("pk")
    words = {
        "who": name_of(change.actor_kind, change.actor_id) or _("Somebody"),
        "at": clock_time(change.happened_at, clinic),
        "day": short_date(visit.local_date),
        "time": clock_time(visit.local_time, clinic),
        "service": visit.service.name,
        "state": AppointmentStatus(visit.status).label,
    }
    return _("%(who)s changed it at %(at)s. Now: %(day)s, %(time)s, %(service)s, %(state)s. Look again.") % words


def last_change_of(visit: Appointment, *, column: str) -> LastChange | None:
    """The last that touched it: a time with its day, practitioner or room. None where a machine did. Two queries."""
    changes = AppointmentChange.objects.for_clinic(visit.clinic_id).filter(appointment=visit)
    touching = changes.filter(Q(after__has_key=column) | Q(after__has_key=f"{column}_id")).order_by("-pk")
    change = touching.first()
    who = name_of(change.actor_kind, change.actor_id) if change else ""
    return LastChange(who=who, at=change.happened_at, clinic=visit.clinic) if change and who else None
