"""Changes of a visit and its plan as entries of its story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from django.utils.translation import gettext as _

from appointments.models import Appointment, AppointmentChange, ChangeKind, ReminderRule
from appointments.queries.plans import PlannedReminder
from appointments.queries.rule_words import title_of_rule
from appointments.queries.story_entries import Entry
from appointments.reasons import said_reason, why_of
from clinicbot.actors import ActorKind
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from scheduler.contracts import PlannedJob

WAITING_STATES = ("queued", "running")
PLANNED_AGAIN = "planned_again"
GIVEN_OVER = (PLANNED_AGAIN, "rule_changed")  # Another job says it, at another time.


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """By id, of those who appear in a story."""

    staff: Mapping[int, str]
    practitioners: Mapping[int, str]
    patient: str


def entry_of_change(change: AppointmentChange, *, visit: Appointment, names: Names) -> Entry:
    icons = {
        ChangeKind.BOOKED: "calendar-plus",
        ChangeKind.MOVED: "calendar-clock",
        ChangeKind.CANCELLED: "calendar-x",
        ChangeKind.CONFIRMED: "user-check",
        ChangeKind.ASKED_TO_MOVE: "calendar-clock",
        ChangeKind.EXPIRED: "clock",
    }
    kind = ChangeKind(change.kind)
    reason = said_reason(change.reason)
    return Entry(
        at=change.happened_at,
        icon=icons[kind],
        what=_what(kind),
        more=", ".join(
            part for part in (_places(change, clinic=visit.clinic, names=names), _by_whom(change, names)) if part
        ),
        quote=reason,
        notes=tuple(_notes(change, visit=visit)),
    )


def _what(kind: ChangeKind) -> str:
    return {
        ChangeKind.BOOKED: _("Booked"),
        ChangeKind.MOVED: _("Moved"),
        ChangeKind.CANCELLED: _("Cancelled"),
        ChangeKind.CONFIRMED: _("Confirmed"),
        ChangeKind.ASKED_TO_MOVE: _("Asked for another time"),
        ChangeKind.EXPIRED: _("Expired: nobody took the held time"),
    }[kind]


def _by_whom(change: AppointmentChange, names: Names) -> str:
    if change.actor_kind == ActorKind.PATIENT:
        return _("by %(name)s") % {"name": names.patient}
    name = names.staff.get(change.actor_id or 0)
    if change.actor_kind == ActorKind.STAFF and name:
        return _("by %(name)s at the desk") % {"name": name}
    return ""


def _places(change: AppointmentChange, *, clinic: Clinic, names: Names) -> str:
    if change.kind == ChangeKind.BOOKED:
        return _("for %(when)s") % {"when": _when(change.after, clinic=clinic)}
    if change.kind != ChangeKind.MOVED:
        return ""
    parts = []
    if "local_date" in change.after or "local_time" in change.after:
        old = {**change.after, **change.before}
        both = {"old": _when_of_move(change.before, old, clinic), "new": _when_of_move(change.after, old, clinic)}
        parts.append(_("from %(old)s to %(new)s") % both)
    if "practitioner_id" in change.after:
        parts.append(_("now with %(name)s") % {"name": names.practitioners.get(change.after["practitioner_id"], "–")})
    if not parts:
        parts.append(_("to another room"))
    return ", ".join(parts)


def _when(facts: Mapping[str, Any], *, clinic: Clinic) -> str:
    day, at = date.fromisoformat(facts["local_date"]), time.fromisoformat(facts["local_time"])
    return f"{short_date(day)}, {clock_time(at, clinic)}"


def _when_of_move(facts: Mapping[str, Any], rest: Mapping[str, Any], clinic: Clinic) -> str:
    """Only what differs is kept: the same day is not said twice, the same hour neither."""
    parts = []
    if "local_date" in facts:
        parts.append(short_date(date.fromisoformat(facts["local_date"])))
    if "local_time" in facts:
        parts.append(clock_time(time.fromisoformat(facts["local_time"]), clinic))
    return ", ".join(parts)


def _notes(change: AppointmentChange, *, visit: Appointment) -> list[str]:
    if change.kind == ChangeKind.BOOKED and visit.is_told_in_person:
        return [_("They were told at the desk: no confirmation was sent.")]
    if change.kind == ChangeKind.BOOKED and not visit.has_reminders:
        return [_("No reminders go out: they have not been started for this visit.")]
    if change.kind == ChangeKind.MOVED and change.before.get("status") == "confirmed":
        return [_("The yes was for the old time, so the visit waits for a new one.")]
    return []


def entries_of_plan(
    visit: Appointment,
    *,
    plan: Sequence[PlannedReminder],
    jobs: Sequence[PlannedJob],
    queued_rules: set[tuple[str, int]],
    rules: Mapping[str, ReminderRule],
    now: datetime,
) -> list[Entry]:
    """What will be sent and what will not, and planned work that ended without a message, each with the reason.

    queued_rules: (rule, version) of reminders that have become messages; those speak for themselves.
    """
    ended = [job for job in jobs if job.state not in WAITING_STATES and job.reason != PLANNED_AGAIN]
    over = {
        (str(job.args["rule_id"]), int(job.args["notice_version"])) for job in ended if job.reason not in GIVEN_OVER
    }
    entries = [_entry_of_ended(job, rules=rules) for job in ended if job.state in ("skipped", "cancelled", "dead")]
    entries += [
        _entry_of_stale(job, is_live=visit.is_live, rules=rules)
        for job in jobs
        if job.state in WAITING_STATES and int(job.args["notice_version"]) != visit.notice_version
    ]
    if visit.is_live and visit.starts_at > now:
        present = [one for one in plan if (str(one.rule.pk), visit.notice_version) not in over | queued_rules]
        entries += [_entry_of_planned(one, now=now) for one in present]
    return entries


def _entry_of_ended(job: PlannedJob, *, rules: Mapping[str, ReminderRule]) -> Entry:
    title = title_of_rule(rules.get(str(job.args["rule_id"])))
    is_dead = job.state == "dead"
    return Entry(
        at=job.run_at,
        mark="failed" if is_dead else "skipped",
        what=title,
        more=_("was not sent: %(why)s") % {"why": why_of(job.reason)},
        will_not=not is_dead,
    )


def _entry_of_stale(job: PlannedJob, *, is_live: bool, rules: Mapping[str, ReminderRule]) -> Entry:
    moved = _("for the time before will not be sent: %(why)s") % {"why": why_of("moved")}
    cancelled = _("will not be sent: %(why)s") % {"why": why_of("cancelled")}
    return Entry(
        at=job.run_at,
        mark="skipped",
        what=title_of_rule(rules.get(str(job.args["rule_id"]))),
        more=moved if is_live else cancelled,
        is_ahead=True,
        will_not=True,
    )


def _entry_of_planned(planned: PlannedReminder, *, now: datetime) -> Entry:
    title = title_of_rule(planned.rule)
    if planned.left_out:
        why = why_of(planned.left_out)
        return Entry(
            at=planned.at,
            mark="skipped",
            what=title,
            more=_("will not be sent: %(why)s") % {"why": why},
            is_ahead=True,
            will_not=True,
        )
    condition = _("only if they have not said yes") if planned.rule.only_if_unconfirmed else ""
    due = _("is due now") if planned.at <= now else ""
    return Entry(
        at=planned.at,
        mark="planned",
        what=title,
        more=", ".join(part for part in (due, condition) if part),
        is_ahead=True,
    )
