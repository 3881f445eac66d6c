"""Django looks for a house's models here."""

from appointments.models.calls import CallAttempt, CallOutcome
from appointments.models.closing import (
    ClosurePlan,
    ClosureVisit,
    PlanKind,
    PlanState,
    VisitDecision,
    VisitOutcome,
)
from appointments.models.endings import EndedWay, EndReason, MergedPatient
from appointments.models.feeds import CalendarFeed
from appointments.models.hours import Closure, ClosureSource, HolidayCalendar, WorkingHours
from appointments.models.imports import ImportFile, ImportKind, ImportRun, ImportState
from appointments.models.moves import ClinicMove
from appointments.models.pages import PageUse
from appointments.models.people import Patient, PatientContact, Practitioner, PractitionerService, Room, Service
from appointments.models.rules import CLOSES, OPENS, ReminderRule, SendHours
from appointments.models.series import MOST_VISITS, SeriesUnit, VisitSeries
from appointments.models.visits import (
    ENDED,
    LIVE,
    OPEN,
    OUTCOMES,
    PRESENT_OR_OVER,
    Appointment,
    AppointmentChange,
    AppointmentStatus,
    BookingKey,
    ChangeKind,
    FormToken,
)

__all__ = [
    "CLOSES",
    "ENDED",
    "LIVE",
    "MOST_VISITS",
    "OPEN",
    "OPENS",
    "OUTCOMES",
    "PRESENT_OR_OVER",
    "Appointment",
    "AppointmentChange",
    "AppointmentStatus",
    "BookingKey",
    "CalendarFeed",
    "CallAttempt",
    "CallOutcome",
    "ChangeKind",
    "ClinicMove",
    "Closure",
    "ClosurePlan",
    "ClosureSource",
    "ClosureVisit",
    "EndReason",
    "EndedWay",
    "FormToken",
    "HolidayCalendar",
    "ImportFile",
    "ImportKind",
    "ImportRun",
    "ImportState",
    "MergedPatient",
    "PageUse",
    "Patient",
    "PatientContact",
    "PlanKind",
    "PlanState",
    "Practitioner",
    "PractitionerService",
    "ReminderRule",
    "Room",
    "SendHours",
    "SeriesUnit",
    "Service",
    "VisitDecision",
    "VisitOutcome",
    "VisitSeries",
    "WorkingHours",
]
