"""What a file would come to, looked at when it is uploaded: numbers, what is refused and what a person should know before."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Self

from appointments.brought_files.columns import PATIENTS
from appointments.brought_files.lines import Line
from appointments.models import PatientContact
from appointments.queries.bringing.judged import Before, Ready, ReadyPatient
from appointments.queries.bringing.patients import judge_patients
from appointments.queries.bringing.plans import DayPlan, plans_by_day
from appointments.queries.bringing.reports import ImportReport
from appointments.queries.bringing.visits import judge, named_at
from clinicbot.models import Clinic
from messaging.queries.contacts import is_landline

LINES_NAMED = 12


class Warn(StrEnum):
    """What is brought in, and should be known before."""

    BY_NAME = "by_name"
    KEPT_NO = "kept_no"
    SHARED = "shared"
    LANDLINE = "landline"
    NAMESAKE = "namesake"
    TWICE_AT_ONCE = "twice_at_once"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """lines: the first of them."""

    what: Warn
    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """added: visits or patients to write. completed: patients to whom something is added. to_come: of the visits.

    problems: by line, the sentence. plans: by day (ISO), what its visits would bring if they got reminders.
    headings, sample: the first line, and the cells of the next ones.
    """

    lines: int
    added: int
    completed: int
    known: int
    ended: int
    to_come: int
    problems: tuple[tuple[int, str], ...]
    warnings: tuple[Warned, ...]
    plans: Mapping[str, DayPlan] = field(default_factory=dict)
    headings: tuple[str, ...] = ()
    sample: tuple[tuple[str, ...], ...] = ()

    @property
    def to_bring(self) -> int:
        return self.added + self.completed

    def plan_from(self, first: date) -> DayPlan:
        """Of all visits of that day and later."""
        days = [plan for day, plan in self.plans.items() if day >= first.isoformat()]
        return DayPlan(
            visits=sum(one.visits for one in days),
            unreached=sum(one.unreached for one in days),
            messages=sum(one.messages for one in days),
            first_at=min((one.first_at for one in days if one.first_at), default=None),
        )

    def as_json(self) -> str:
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> Self:
        stored: dict[str, Any] = json.loads(text)
        plans = {
            day: DayPlan(**{**plan, "first_at": plan["first_at"] and datetime.fromisoformat(plan["first_at"])})
            for day, plan in stored.pop("plans").items()
        }
        warnings = [
            Warned(what=Warn(one["what"]), count=one["count"], lines=tuple(one["lines"]))
            for one in stored.pop("warnings")
        ]
        problems = tuple((line, sentence) for line, sentence in stored.pop("problems"))
        headings, sample = tuple(stored.pop("headings")), tuple(tuple(cells) for cells in stored.pop("sample"))
        return cls(**stored, plans=plans, warnings=tuple(warnings), problems=problems, headings=headings, sample=sample)


def look_at(clinic: Clinic, lines: Sequence[Line], *, what: str, now: datetime) -> Look:
    """Nothing is written or locked. As many queries for many lines."""
    report = ImportReport(lines=len(lines))
    if what == PATIENTS:
        report.add_patients(judge_patients(clinic, lines, before=Before()), lines=len(lines))
    else:
        judged = judge(clinic, lines, named=named_at(clinic), before=Before(), now=now)
        report.add(judged, lines=len(lines), remind_from=None, now=now)
    completed = sum(not one.is_new for one in report.patients)
    return Look(
        lines=report.lines,
        added=len(report.rows) + len(report.patients) - completed,
        completed=completed,
        known=report.known,
        ended=report.ended,
        to_come=report.to_come,
        problems=tuple((one.line, one.sentence) for one in report.problems),
        warnings=tuple(_warnings(clinic, report)),
        plans={day.isoformat(): plan for day, plan in plans_by_day(clinic, report.rows, now=now).items()},
    )


def _warnings(clinic: Clinic, report: ImportReport) -> Iterable[Warned]:
    ready: list[Ready | ReadyPatient] = [*report.rows, *report.patients]
    addresses = {one.phone.address for one in ready if one.phone is not None}
    landlines = {address for address in addresses if is_landline(address)}
    found = {
        Warn.TWICE_AT_ONCE: _twice_at_once(report.rows),
        Warn.BY_NAME: report.by_name,
        Warn.NAMESAKE: [one.line for one in report.patients if one.is_namesake],
        Warn.SHARED: _shared(clinic, ready),
        Warn.LANDLINE: [one.line for one in ready if one.phone is not None and one.phone.address in landlines],
        Warn.DIFFERS: report.differing,
    }
    if report.kept_no:
        yield Warned(what=Warn.KEPT_NO, count=report.kept_no, lines=())
    for what, lines in found.items():
        if lines:
            yield Warned(what=what, count=len(lines), lines=tuple(sorted(lines)[:LINES_NAMED]))


def _shared(clinic: Clinic, ready: Sequence[Ready | ReadyPatient]) -> list[int]:
    """Lines whose number is somebody else's too, here or in the file. One query."""
    with_phone = [(one, one.phone) for one in ready if one.phone is not None]
    contact_ids = {phone.contact_id for _one, phone in with_phone if phone.contact_id is not None}
    people: defaultdict[str, set[object]] = defaultdict(set)
    there: defaultdict[int, set[object]] = defaultdict(set)
    links = PatientContact.objects.for_clinic(clinic).filter(contact_id__in=contact_ids)
    for contact_id, patient_id in links.values_list("contact_id", "patient_id"):
        there[contact_id].add(patient_id)
    for one, phone in with_phone:
        people[phone.address] |= {one.guest.patient_id or one.guest} | there.get(phone.contact_id or 0, set())
    return [one.line for one, phone in with_phone if len(people[phone.address]) > 1]


def _twice_at_once(rows: Sequence[Ready]) -> list[int]:
    """Lines at whose time the same patient is elsewhere."""
    visits: defaultdict[object, list[tuple[int, int, int]]] = defaultdict(list)
    for one in rows:
        visits[one.guest.patient_id or one.guest].append((*one.span, one.line))
    found = []
    for own in visits.values():
        latest = 0
        for begins, ends, line in sorted(own):
            if begins < latest:
                found.append(line)
            latest = max(latest, ends)
    return found
