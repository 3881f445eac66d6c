"""What a file comes to, added up a few lines at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

from django.utils.translation import gettext

from appointments.errors import SlotTakenError
from appointments.queries.bringing.judged import Judged, Ready, ReadyPatient
from appointments.reasons import sentence_of
from clinicbot.errors import ClinicBotError


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why one line of the file cannot be written; `line` as an editor counts."""

    line: int
    sentence: str


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """rows: the visits that are, or would be, written, of which `to_come` are ahead and `reminded` get reminders.

    patients: those who are, or would be, taken in or completed. known: how many stood there before, those of the lines
    `differing` not as the file says. read: how many lines were looked at so far, of `lines`.
    ended: how many were left out since they are cancelled, or were only held, where they come from.
    kept_no: how many patients the file gives a yes, whose number said no before: nothing goes there.
    """

    lines: int
    read: int = 0
    rows: list[Ready] = field(default_factory=list)
    patients: list[ReadyPatient] = field(default_factory=list)
    to_come: int = 0
    reminded: int = 0
    known: int = 0
    differing: list[int] = field(default_factory=list)
    ended: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def written(self) -> int:
        return len(self.rows)

    @property
    def kept_no(self) -> int:
        ready: list[Ready | ReadyPatient] = [*self.rows, *self.patients]
        return len({one.guest.patient_id or one.guest for one in ready if one.keeps_no})

    @property
    def by_name(self) -> tuple[int, ...]:
        """Lines whose visits are a patient's by the name alone, and would be told to that patient's number."""
        return tuple(one.line for one in self.rows if one.by_name)

    def add(self, judged: Judged[Ready], *, lines: int, remind_from: date | None, now: datetime) -> None:
        self._count(judged, lines=lines)
        self.rows += judged.ready
        coming = [one for one in judged.ready if one.slot.starts_at > now]
        self.to_come += len(coming)
        self.reminded += sum(is_reminded(one.slot.local_date, remind_from) for one in coming)

    def add_patients(self, judged: Judged[ReadyPatient], *, lines: int) -> None:
        self._count(judged, lines=lines)
        self.patients += judged.ready

    def _count(self, judged: Judged[Ready] | Judged[ReadyPatient], *, lines: int) -> None:
        self.read += lines
        self.known += judged.known
        self.differing += judged.differing
        self.ended += judged.ended
        self.problems += [Problem(line=line, sentence=_sentence_of(error)) for line, error in judged.wrong]


def _sentence_of(error: ClinicBotError) -> str:
    """Nobody was quicker, as at the desk: it is taken by what stands here, or in the file."""
    if isinstance(error, SlotTakenError):
        return gettext("That time is taken: by a visit here, or by an earlier line of the file.")
    return sentence_of(error)


def is_reminded(day: date, remind_from: date | None) -> bool:
    return remind_from is not None and day >= remind_from
