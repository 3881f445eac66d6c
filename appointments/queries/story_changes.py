"""Changes of a visit and its plan as entries of its story."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from appointments.models import Appointment, AppointmentChange, ChangeKind, MergedPatient, ReminderRule
from appointments.queries.forecasts import ForeseenReminder
from appointments.queries.plans import PlannedReminder
from appointments.queries.rule_words import title_of_rule
from appointments.queries.story_entries import Entry
from appointments.reasons import said_reason, why_of
from clinicbot.actors import ActorKind
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from messaging.usecases.foreseeing import Fate
from scheduler.contracts import PlannedJob

WAITING_STATES = ("queued", "running")
PLANNED_AGAIN = "planned_again"
GIVEN_OVER = (PLANNED_AGAIN, "rule_changed")  # Another job says it, at another time.


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """By id, of those who appear in a story.

    phones: by inbound message, whose phone it came from, where somebody else than the patient may have written.
    """

    staff: Mapping[int, str]
    practitioners: Mapping[int, str]
    services: Mapping[int, str]
    phones: Mapping[UUID, str]
    patient: str


def entry_of_change(change: AppointmentChange, *, visit: Appointment, names: Names) -> Entry:
    icons = {
        ChangeKind.BOOKED: "calendar-plus",
        ChangeKind.MOVED: "calendar-clock",
        ChangeKind.CANCELLED: "calendar-x",
        ChangeKind.CONFIRMED: "user-check",
        ChangeKind.EDITED: "list",
        ChangeKind.ASKED_TO_MOVE: "calendar-clock",
        ChangeKind.EXPIRED: "clock",
        ChangeKind.ARRIVED: "door-open",
        ChangeKind.SEATED: "armchair",
        ChangeKind.ATTENDED: "check",
        ChangeKind.NO_SHOW: "user-x",
        ChangeKind.CANCELLED_LATE: "calendar-x",
        ChangeKind.UNDONE: "undo",
    }
    kind = ChangeKind(change.kind)
    reason = said_reason(change.reason)
    return Entry(
        at=change.happened_at,
        icon=icons[kind],
        what=_what_of(change),
        more=", ".join(
            part for part in (_places(change, clinic=visit.clinic, names=names), _by_whom(change, names)) if part
        ),
        quote=reason,
        notes=tuple(_notes(change, visit=visit)),
        change_id=change.pk,
    )


def _what_of(change: AppointmentChange) -> str:
    if change.undoes is None:
        return _what(ChangeKind(change.kind))
    return _("Taken back: %(what)s") % {"what": _what(ChangeKind(change.undoes.kind))}


def entries_of_merges(visit: Appointment, *, merges: Sequence[MergedPatient]) -> list[Entry]:
    """That the visit stood under another row of the same patient before."""
    return [
        Entry(
            at=one.merged_at,
            icon="users",
            what=_("Two patients became one"),
            more=_("it stood under “%(name)s” before") % {"name": one.full_name},
        )
        for one in merges
        if visit.pk in one.visit_ids
    ]


def _what(kind: ChangeKind) -> str:
    return {
        ChangeKind.BOOKED: _("Booked"),
        ChangeKind.MOVED: _("Moved"),
        ChangeKind.CANCELLED: _("Cancelled"),
        ChangeKind.CONFIRMED: _("Confirmed"),
        ChangeKind.EDITED: _("Edited"),
        ChangeKind.ASKED_TO_MOVE: _("Asked for another time"),
        ChangeKind.EXPIRED: _("Expired: nobody took the held time"),
        ChangeKind.ARRIVED: _("Here"),
        ChangeKind.SEATED: _("Taken in"),
        ChangeKind.ATTENDED: _("Attended"),
        ChangeKind.NO_SHOW: _("Did not come"),
        ChangeKind.CANCELLED_LATE: _("Cancelled late"),
        ChangeKind.UNDONE: _("Taken back"),
    }[kind]


def _by_whom(change: AppointmentChange, names: Names) -> str:
    if change.actor_kind == ActorKind.PATIENT:
        return _by_patient(change, names)
    name = names.staff.get(change.actor_id or 0)
    if change.actor_kind == ActorKind.STAFF and name:
        return _("by %(name)s at the desk") % {"name": name}
    return ""


def _by_patient(change: AppointmentChange, names: Names) -> str:
    """Who it was is known only of a phone that nobody shares; of a page nobody knows who held the link."""
    if change.inbound_id is None:
        return _("on %(name)s's page") % {"name": names.patient}
    if (owner := names.phones.get(change.inbound_id)) is not None:
        return _("from %(name)s's phone") % {"name": owner} if owner else _("from a phone that several share")
    return _("by %(name)s") % {"name": names.patient}


def _places(change: AppointmentChange, *, clinic: Clinic, names: Names) -> str:
    if change.kind == ChangeKind.BOOKED:
        return _("for %(when)s") % {"when": _when(change.after, clinic=clinic)}
    if change.kind == ChangeKind.EDITED:
        return _edits(change, names=names)
    if change.kind != ChangeKind.MOVED:
        return ""
    parts = []
    if "local_date" in change.after or "local_time" in change.after:
        old = {**change.after, **change.before}
        both = {"old": _when_of_move(change.before, old, clinic), "new": _when_of_move(change.after, old, clinic)}
        parts.append(_("from %(old)s to %(new)s") % both)
    if "practitioner_id" in change.after:
        parts.append(_("now with %(name)s") % {"name": names.practitioners.get(change.after["practitioner_id"], "–")})
    if "service_id" in change.after:
        parts.append(_for_service(change, names))
    if "duration_minutes" in change.after:
        parts.append(_("%(minutes)s min instead of %(old)s") % _minutes(change))
    if not parts:
        parts.append(_("to another room"))
    return ", ".join(parts)


def _edits(change: AppointmentChange, *, names: Names) -> str:
    parts = []
    if "service_id" in change.after:
        parts.append(_for_service(change, names))
    if "duration_minutes" in change.after:
        parts.append(_("%(minutes)s min instead of %(old)s") % _minutes(change))
    if "has_reminders" in change.after:
        parts.append(_("reminders started"))
    if "note" in change.after:
        parts.append(_("another note"))
    return ", ".join(parts)


def _for_service(change: AppointmentChange, names: Names) -> str:
    return _("now for %(service)s") % {"service": names.services.get(change.after["service_id"], "–")}


def _minutes(change: AppointmentChange) -> dict[str, int]:
    return {"minutes": change.after["duration_minutes"], "old": change.before["duration_minutes"]}


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
    outlook: Mapping[int, ForeseenReminder],
    now: datetime,
) -> list[Entry]:
    """What will be sent and what will not, and planned work that ended without a message, each with the reason.

    outlook: by rule, what the sender would do with it as things are now.
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
        entries += [_entry_of_planned(one, outlook=outlook.get(one.rule.pk), visit=visit, now=now) for one in present]
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


def _entry_of_planned(
    planned: PlannedReminder, *, outlook: ForeseenReminder | None, visit: Appointment, now: datetime
) -> Entry:
    title = title_of_rule(planned.rule)
    if planned.left_out:
        return _will_not(title, at=planned.at, why=planned.left_out)
    if outlook is not None and outlook.foreseen.fate not in (Fate.SEND, Fate.WAIT):
        return _entry_of_obstacle(title, outlook=outlook)
    condition = _("only if they have not said yes") if planned.rule.only_if_unconfirmed else ""
    due = _("is due now") if planned.at <= now else ""
    company = _company(outlook, visit=visit) if outlook else ""
    return Entry(
        at=outlook.foreseen.at if outlook else planned.at,
        mark="planned",
        what=title,
        more=", ".join(part for part in (due, condition, company) if part),
        is_ahead=True,
    )


def _entry_of_obstacle(title: str, *, outlook: ForeseenReminder) -> Entry:
    """What would keep it from going, if nothing changes until then."""
    foreseen = outlook.foreseen
    if foreseen.fate in (Fate.SKIP, Fate.EXPIRE):
        return _will_not(title, at=foreseen.at, why=foreseen.reason)
    is_held = foreseen.fate == Fate.HOLD
    text = _("would be held: %(why)s") if is_held else _("would not arrive: %(why)s")
    return Entry(
        at=foreseen.at,
        mark="held" if is_held else "failed",
        what=title,
        more=text % {"why": why_of(foreseen.reason)},
        tone="ochre" if is_held else "clay",
        is_ahead=True,
    )


def _will_not(title: str, *, at: datetime, why: str) -> Entry:
    return Entry(
        at=at,
        mark="skipped",
        what=title,
        more=_("will not be sent: %(why)s") % {"why": why_of(why)},
        is_ahead=True,
        will_not=True,
    )


def _company(outlook: ForeseenReminder, *, visit: Appointment) -> str:
    """Whose visits the same message speaks of."""
    others = [
        f"{clock_time(other.local_time, visit.clinic)} {other.patient.first_name}"
        for other in outlook.visits
        if other.pk != visit.pk
    ]
    return _("in one message with %(visits)s") % {"visits": ", ".join(others)} if others else ""
