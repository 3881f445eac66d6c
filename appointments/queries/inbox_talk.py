"""One conversation, as the desk reads it: what was said, in order, and what needs a person at its place in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.utils.translation import gettext as _

from appointments.events import VISIT
from appointments.message_names import CLINIC_MOVED, NOTICE, REMINDER
from appointments.models import Patient
from appointments.queries.heard_words import kind_in_words
from appointments.queries.inbox_names import name_of, people_at, short_name_of
from appointments.queries.story_messages import MARKS_OF_ACTIONS
from appointments.reasons import outcome_of, why_of
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic
from messaging.contracts import Person, TaskFact, TaskReason
from messaging.queries.chat import Chat, Heard, Own, TalkHead, chat_of, find_talk
from messaging.queries.words import title_of_task

AUTOMATIC = (NOTICE, REMINDER, CLINIC_MOVED)
ENDED_BADLY = ("failed", "expired", "unknown")
SILENT = ("told_state", "asked_which")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bubble:
    """One message. is_own: of ours. what: what it is where it is no text. by: who wrote or sent it, in words.

    about: first names of those it concerns, where several share the number. quote: ours that they answer.
    how: how it stands, where that needs words; tone: of those words. again: (visit, message) to send once more.
    rewrite: ours, whose words can be put into the box again.
    """

    key: str
    at: datetime
    is_own: bool
    text: str
    what: str = ""
    by: str = ""
    about: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    language: str = ""
    quote: str = ""
    mark: str = ""
    how: str = ""
    tone: str = ""
    needs_person: bool = False
    again: tuple[int, UUID] | None = None
    rewrite: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Why a person is needed, at its place in the conversation."""

    key: str
    at: datetime
    title: str
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLine:
    key: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """people: all who are reached there. open_tasks: what waits; their ids go along with "done"."""

    head: TalkHead
    name: str
    short_name: str
    people: tuple[Patient, ...]
    items: tuple[Bubble | Need | DayLine, ...]
    open_tasks: tuple[TaskFact, ...]
    is_cut: bool

    @property
    def persons(self) -> tuple[Person, ...]:
        return tuple(Person("patient", one.pk) for one in self.people)

    @property
    def language(self) -> str:
        """Of what is written to them, where all speak one; else ""."""
        spoken = {one.language for one in self.people}
        return spoken.pop() if len(spoken) == 1 else ""


def talk_of(clinic: Clinic, *, contact_id: int, now: datetime) -> Talk | None:
    """None also for another clinic's contact. Four queries."""
    head = find_talk(clinic.pk, contact_id=contact_id, now=now)
    if head is None:
        return None
    people = people_at(clinic, [contact_id])[contact_id]
    chat = chat_of(clinic.pk, contact_id=contact_id)
    return Talk(
        head=head,
        name=name_of(people, tail=head.tail),
        short_name=short_name_of(people, tail=head.tail),
        people=tuple(people),
        items=tuple(_items(clinic, chat, people=people, open_tasks=head.tasks)),
        open_tasks=head.tasks,
        is_cut=chat.is_cut,
    )


def _items(
    clinic: Clinic, chat: Chat, *, people: Sequence[Patient], open_tasks: Iterable[TaskFact]
) -> Iterable[Bubble | Need | DayLine]:
    names = {one.pk: one.first_name for one in people} if len(people) > 1 else {}
    own = {one.message_id: one for one in chat.own}
    bubbles = [_bubble_of_own(one, names=names) for one in chat.own]
    bubbles += [_bubble_of_heard(one, own=own, names=names) for one in chat.heard]
    at_of = {bubble.key: bubble.at for bubble in bubbles}
    needs = [_need(task, at_of=at_of) for task in open_tasks]
    day: date | None = None
    said: list[Bubble | Need] = [*bubbles, *needs]
    for item in sorted(said, key=lambda one: (one.at, isinstance(one, Need))):
        if (its_day := at_clinic(item.at, clinic).date()) != day:
            day = its_day
            yield DayLine(key=f"day-{day.toordinal()}", day=day)
        yield item


def _bubble_of_own(own: Own, *, names: Mapping[int, str]) -> Bubble:
    how = _how(own)
    return Bubble(
        key=f"m-{own.message_id}",
        at=own.at,
        is_own=True,
        text=own.text,
        what="" if own.text else own.title,
        by=own.by or own.title,
        about=_about(own, names),
        labels=own.labels,
        language=own.language,
        mark=own.mark,
        how=how,
        tone="clay" if own.state == "failed" else "ochre" if how else "",
        again=_again(own),
        rewrite=own.message_id if own.may_write_again else None,
    )


def _about(own: Own, names: Mapping[int, str]) -> tuple[str, ...]:
    persons = [whose for _subject, whose in own.concerns] or [own.person]
    return tuple(dict.fromkeys(names[one.id] for one in persons if one.kind == "patient" and one.id in names))


def _how(own: Own) -> str:
    """Nothing for what went well: the ring says it."""
    why = why_of(own.reason).rstrip(".")
    if own.state == "failed":
        return _("Did not arrive: %(why)s") % {"why": _failure(own) or why or _("nobody knows why")}
    if own.state == "held":
        return _("Is held: %(why)s") % {"why": why}
    if own.state == "unknown":
        return _("It is not known whether it arrived.")
    if own.state in ("skipped", "expired", "cancelled"):
        return _("Was not sent: %(why)s") % {"why": why or why_of("too_late")}
    return ""


def _failure(own: Own) -> str:
    """The provider's sentence, where it gave one, beside ours."""
    why = why_of(own.reason).rstrip(".")
    said = own.failure.rstrip(".") if " " in own.failure else ""
    return f"{why} ({said})" if why and said else said or why


def _again(own: Own) -> tuple[int, UUID] | None:
    """Of what the machine sent about a visit, and did not get through."""
    visits = [int(subject.id) for subject, _whose in own.concerns if subject.type == VISIT and subject.id.isdigit()]
    may = own.kind in AUTOMATIC and own.state in ENDED_BADLY and own.reason != "sent_again"
    return (visits[0], own.message_id) if visits and may else None


def _bubble_of_heard(heard: Heard, *, own: Mapping[UUID, Own], names: Mapping[int, str]) -> Bubble:
    needs_person = heard.state == "task"
    answered = own.get(heard.answers) if heard.answers else None
    return Bubble(
        key=f"i-{heard.inbound_id}",
        at=heard.sent_at,
        is_own=False,
        text=heard.text,
        what=kind_in_words(heard.type, action=heard.action),
        about=_about(answered, names) if answered else (),
        quote=answered.title if answered else "",
        mark="" if needs_person else _mark_of(heard),
        how=outcome_of(heard.outcome),
        needs_person=needs_person,
    )


def _mark_of(heard: Heard) -> str:
    """What they asked for, where it was done or is being done."""
    if heard.outcome in SILENT:
        return ""
    return MARKS_OF_ACTIONS.get(heard.action.partition(":")[0], "yes" if heard.outcome.startswith("confirmed") else "")


def _need(task: TaskFact, *, at_of: Mapping[str, datetime]) -> Need:
    """After what it is about, if that is shown."""
    place = at_of.get(f"i-{task.inbound_id}") or at_of.get(f"m-{task.message_id}") or task.opened_at
    more = why_of(task.detail)
    if task.reason == TaskReason.UNCLEAR_ANSWER and not more:
        more = _("Nothing was changed by it: every visit stands as it did.")
    return Need(key=f"t-{task.task_id}", at=max(place, task.opened_at), title=title_of_task(task.reason), more=more)
