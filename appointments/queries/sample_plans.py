"""What a patient would hear of a visit that nobody has booked: by the planner's own code, with the rules as they are or would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from django.utils.translation import gettext as _

from appointments import wall_time
from appointments.models import Appointment, AppointmentStatus, ReminderRule
from appointments.queries.notices import ASK_WHEN_BOOKED_UNDER
from appointments.queries.plans import (
    TOO_LATE_BEFORE_VISIT,
    PlannedReminder,
    Rulebook,
    Since,
    nominal_moment,
    rulebook_of,
)
from appointments.queries.rule_effects import SendHoursWish, with_rule
from appointments.queries.rule_words import title_of_rule
from appointments.queries.send_times import SendTimes
from appointments.reasons import why_of
from appointments.saying import said_when
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.queries.previews import Preview, preview_samples

LEAST_DAYS_AHEAD = 5
TUESDAY = 1
AT = time(10, 30)
CONFIRMS, CONFIRMS_AND_ASKS, REMINDS = "visit_booked", "visit_booked_ask", "visit_reminder_ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A visit to try the rules with. service_id None: a service without rules of its own. Both times aware."""

    booked_at: datetime
    starts_at: datetime
    service_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleLine:
    """One message, or one that will not go and why. `preview`: what the patient reads; None where nothing goes."""

    at: datetime
    title: str
    mark: str
    why: str = ""
    rule: ReminderRule | None = None
    preview: Preview | None = None


def sample_for(clinic: Clinic, *, now: datetime) -> Sample:
    """Booked now, for half past ten on a Tuesday that is far enough ahead for every reminder."""
    day = wall_time.local_date_of(now, zone=clinic.zone) + timedelta(days=LEAST_DAYS_AHEAD)
    day += timedelta(days=(TUESDAY - day.weekday()) % 7)
    return Sample(booked_at=now, starts_at=wall_time.lenient_instant_of(day, AT, zone=clinic.zone))


def plan_of_sample(
    clinic: Clinic,
    *,
    sample: Sample,
    language: str,
    wished_rule: ReminderRule | None = None,
    wished_hours: SendHoursWish | None = None,
) -> list[SampleLine]:
    """In order of time: the confirmation, and each reminder. Six queries at most.

    wished_rule, wished_hours: as they would be, were they saved.
    """
    visit = _visit(clinic, sample)
    book = rulebook_of(clinic, first_day=visit.local_date)
    if wished_rule is not None:
        book = with_rule(book, wished_rule, clinic=clinic)
    if wished_hours is not None:
        book = replace(book, times=_with_hours(book, wished_hours))
    plan = book.plan_of(visit, since=Since.both(sample.booked_at))
    is_soon = sample.starts_at - sample.booked_at < ASK_WHEN_BOOKED_UNDER
    confirms = CONFIRMS_AND_ASKS if is_soon else CONFIRMS
    when = said_when(clinic, local_date=visit.local_date, local_time=visit.local_time, language=language)
    previews = preview_samples(clinic, text_names=[confirms, REMINDS], language=language, variables={"when": when})
    first = SampleLine(at=sample.booked_at, title=_("Confirmation"), mark="planned", preview=previews[confirms])
    lines = [first, *(_line(one, visit=visit, reads=previews[REMINDS]) for one in plan)]
    return sorted(lines, key=lambda line: line.at)


def _visit(clinic: Clinic, sample: Sample) -> Appointment:
    """As booking would make it, as far as rules ask. It is never saved."""
    wall = wall_time.local_of(sample.starts_at, zone=clinic.zone)
    return Appointment(
        clinic=clinic,
        service_id=sample.service_id,  # type: ignore[misc]  # Rules of no service's own.
        local_date=wall.date(),
        local_time=wall.time().replace(second=0, microsecond=0),
        zone=clinic.zone,
        starts_at=sample.starts_at,
        status=AppointmentStatus.BOOKED,
    )


def _with_hours(book: Rulebook, wish: SendHoursWish) -> SendTimes:
    return replace(book.times, begins=wish.begins, ends=wish.ends, on_closed_days=wish.on_closed_days)


def _line(planned: PlannedReminder, *, visit: Appointment, reads: Preview) -> SampleLine:
    title = title_of_rule(planned.rule)
    if planned.left_out:
        why = why_of(planned.left_out)
        return SampleLine(at=planned.at, title=title, mark="skipped", why=why, rule=planned.rule)
    if visit.starts_at - planned.at < TOO_LATE_BEFORE_VISIT:
        why = why_of("too_late")
        return SampleLine(at=planned.at, title=title, mark="skipped", why=why, rule=planned.rule)
    notes = list(_notes(planned, visit=visit))
    return SampleLine(
        at=planned.at, title=title, mark="planned", why="; ".join(notes), rule=planned.rule, preview=reads
    )


def _notes(planned: PlannedReminder, *, visit: Appointment) -> Sequence[str]:
    notes = []
    if planned.rule.only_if_unconfirmed:
        notes.append(_("only if they have not said yes by then"))
    nominal = nominal_moment(planned.rule, visit=visit)
    if planned.at != nominal:
        moment = f"{short_date(nominal, visit.clinic)}, {clock_time(nominal, visit.clinic)}"
        notes.append(_("earlier than %(moment)s, when nothing is sent") % {"moment": moment})
    return notes
