"""What other houses hold in their hands: persons, subjects, message kinds and what they answer, and inbound facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Any, ClassVar, Protocol
from uuid import UUID

from messaging.errors import MessageKindTakenError


class Category(StrEnum):
    """What a person can say no to."""

    VISITS = "visits"
    PAYMENTS = "payments"
    RECALLS = "recalls"
    STAFF = "staff"


class Urgency(IntEnum):
    """Lower goes first."""

    ANSWER = 0
    CHANGE = 1
    CONFIRMATION = 2
    REMINDER = 5
    BULK = 8


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a message is to. `kind` is "patient", "practitioner", "user", or "contact" for somebody we cannot name."""

    kind: str
    id: int


@dataclass(frozen=True, slots=True)
class Subject:
    """What a message is about, at the version it speaks of."""

    type: str
    id: str
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedMessage:
    """A message on its way out, as its kind sees it.

    persons: to whom each subject belongs, in the order of `subjects`: one message may speak of a family's visits.
    text_name, left_out: of what last went out: its text, and the subjects that it did not speak of any more.
    params: ids and times the kind asked to be kept, such as the version a visit moved from.
    language: when set, `context` speaks it and not the person's own: only the clinic's template is approved.
    """

    message_id: UUID
    clinic_id: int
    kind: str
    rule: str
    person: Person
    subjects: tuple[Subject, ...]
    generation: int
    params: Mapping[str, Any]
    created_at: datetime
    due_at: datetime
    expires_at: datetime
    language: str = ""
    persons: tuple[Person, ...] = ()
    text_name: str = ""
    left_out: frozenset[Subject] = frozenset()

    def concerns(self) -> tuple[tuple[Subject, Person], ...]:
        """Each subject with the person it belongs to."""
        return tuple(zip(self.subjects, self.persons or (self.person,) * len(self.subjects), strict=True))


class StandingVerdict(StrEnum):
    STILL_TRUE = "still_true"
    SKIPPED = "skipped"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a message may still be said. `reason` is a stable word with a text in the catalogue of reasons."""

    verdict: StandingVerdict
    reason: str = ""

    @classmethod
    def skipped(cls, reason: str) -> Standing:
        return cls(StandingVerdict.SKIPPED, reason)

    @classmethod
    def held(cls, reason: str) -> Standing:
        return cls(StandingVerdict.HELD, reason)


STILL_TRUE = Standing(StandingVerdict.STILL_TRUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One row of a list. `action` comes back when it is picked, such as "slot:20260414T1615:3" (ASCII, <= 60)."""

    action: str
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceSection:
    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """How one message is said, judged when it is sent.

    text: which of the kind's texts, such as "visit_moved".
    language: of the person, "en", "es" or "pt".
    contact_ids: how the person may be reached, best first (ids of messaging contacts).
    nobody_because: why there is none of them, as a stable word with a text in the catalogue of reasons; "": none is known.
    variables: the text's variables, already in the person's language; none may be empty.
    sections: rows of a list; only inside the window.
    unkept: variables that open a door to whoever holds them, such as a link: said, and not kept with the attempt.
    left_out: subjects of the message that are not said, because they are no longer true.
    apart: subjects whose persons are reached elsewhere by now: before anything is said, each of these groups becomes a message
    of its own, and this one speaks of the rest.
    must_be_heard: who wants no messages must hear it all the same, so a person calls them.
    words: what a person wrote, said as it stands in place of a text; of a kind that is `by_hand`.
    is_own_doing: it tells a person of what they did and saw done, so nobody need call them about it, nor about what was before.
    """

    text: str
    language: str
    contact_ids: tuple[int, ...]
    variables: Mapping[str, str] = field(default_factory=dict)
    sections: tuple[ChoiceSection, ...] = ()
    quoted_inbound_id: UUID | None = None
    unkept: frozenset[str] = frozenset()
    left_out: frozenset[Subject] = frozenset()
    apart: tuple[tuple[Subject, ...], ...] = ()
    must_be_heard: bool = False
    is_own_doing: bool = False
    nobody_because: str = ""
    words: str = field(default="", repr=False)


class MessageKind(Protocol):
    """Two bulk functions; neither may write."""

    def check(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Standing]: ...

    def context(self, messages: Sequence[QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSpec:
    """What a kind declares.

    texts: each text's declared variables, by text name; the names are those of templates/messages/ and of WhatsApp templates.
    once_more: after an unknown outcome and with the evidence of DESIGN 4, it may go once more.
    ignores_opt_out: said even to somebody who wants no messages of the category (the confirmation of their opt-out).
    ignores_suspension: said although the clinic is suspended (that it is).
    by_hand: a person wrote its words. They go as written or not at all, and whoever wrote them hears when they do not.
    rather_twice: where no channel tells what became of a message, an unknown outcome is tried again instead of asking staff.
    """

    name: str
    category: Category
    urgency: Urgency
    texts: Mapping[str, tuple[str, ...]]
    useful_for: timedelta
    once_more: bool
    ignores_opt_out: bool
    implementation: MessageKind
    rather_twice: bool = False
    ignores_suspension: bool = False
    by_hand: bool = False


_kinds: dict[str, KindSpec] = {}


def message_kind(  # noqa: PLR0913  A kind says much of itself.
    name: str,
    *,
    category: Category,
    texts: Mapping[str, tuple[str, ...]],
    urgency: Urgency = Urgency.REMINDER,
    useful_for: timedelta = timedelta(days=2),
    once_more: bool = True,
    ignores_opt_out: bool = False,
    rather_twice: bool = False,
    ignores_suspension: bool = False,
    by_hand: bool = False,
) -> Callable[[type[Any]], type[Any]]:
    """Register a kind. `name` is frozen once released.

    useful_for: how long after queueing a message is worth saying, unless `queue_message` gets an `expires_at`.
    """

    def register(cls: type[Any]) -> type[Any]:
        if name in _kinds:
            raise MessageKindTakenError(f"Two message kinds are called {name}.")
        _kinds[name] = KindSpec(
            name=name,
            category=category,
            urgency=urgency,
            texts=texts,
            useful_for=useful_for,
            once_more=once_more,
            ignores_opt_out=ignores_opt_out,
            implementation=cls(),
            rather_twice=rather_twice,
            ignores_suspension=ignores_suspension,
            by_hand=by_hand,
        )
        return cls

    return register


def find_kind(name: str) -> KindSpec | None:
    return _kinds.get(name)


def list_kinds() -> list[KindSpec]:
    return sorted(_kinds.values(), key=lambda kind: kind.name)


class TaskReason(StrEnum):
    """Why a person at the clinic must look."""

    UNCLEAR_ANSWER = "unclear_answer"
    WRONG_NUMBER = "wrong_number"
    NOT_DELIVERED = "not_delivered"
    NOT_KNOWN_WHETHER_SENT = "not_known_whether_sent"
    NO_REACHABLE_CONTACT = "no_reachable_contact"
    WANTS_NO_MESSAGES = "wants_no_messages"
    MEDIA_RECEIVED = "media_received"
    UNKNOWN_PERSON = "unknown_person"
    ASKS_FOR_PERSON = "asks_for_person"
    NO_FREE_SLOT = "no_free_slot"
    ACCOUNT_TROUBLE = "account_trouble"
    TEMPLATE_TROUBLE = "template_trouble"
    MACHINE_TROUBLE = "machine_trouble"
    OLD_WORD_LAST = "old_word_last"
    CLOCKS_CHANGED = "clocks_changed"
    OF_AGE = "of_age"
    LEFT_OPEN = "left_open"
    CLOSED_TIME = "closed_time"


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundFact:
    """One message from a person, as other houses see it.

    action: of the button or row that was tapped ("confirm", "slot:..."), "" for anything typed.
    answers: the message that was tapped or quoted, if any.
    text: what was typed, or the label that was tapped. Personal: never log it.
    """

    inbound_id: UUID
    clinic_id: int
    contact_id: int
    type: str
    action: str
    text: str
    sent_at: datetime
    answers: QueuedMessage | None
    state: str = "new"
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFact:
    """Something a person at the clinic must look at. `detail` is a stable word, never a text."""

    task_id: int
    clinic_id: int
    reason: str
    detail: str
    person: Person | None
    subject: Subject | None
    message_id: UUID | None
    inbound_id: UUID | None
    opened_at: datetime
    done_at: datetime | None
    contact_id: int | None = None


class ConsentSource(StrEnum):
    """Where a person's yes or no was heard."""

    DESK = "desk"
    PATIENT_PAGE = "patient_page"
    KEYWORD = "keyword"
    PROVIDER = "provider"
    IMPORT = "import"
    MERGE = "merge"
    DEMO = "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactFact:
    """One address of one channel, shared by whoever can be reached there."""

    contact_id: int
    clinic_id: int
    channel: str
    masked_address: str
    is_reachable: bool
    window_open_until: datetime | None
    opted_out_of: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFact:
    """One try, for a story. Times are None where nothing was heard.

    instead_of: the person's language, where `language` stands in for it because no template of theirs could be used; else "".
    """

    attempt_id: UUID
    channel: str
    contact_id: int
    state: str
    mode: str
    language: str
    instead_of: str
    text: str
    started_at: datetime
    accepted_at: datetime | None
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    failed_at: datetime | None
    failure: str
    possibly_twice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageFact:
    """One message and its tries, for a story or a list. `mark` is one of the eleven marks of the look, without "mark-"."""

    message_id: UUID
    kind: str
    text_name: str
    rule: str
    person: Person
    subjects: tuple[Subject, ...]
    generation: int
    state: str
    reason: str
    mark: str
    created_at: datetime
    due_at: datetime
    expires_at: datetime
    settled_at: datetime | None
    attempts: tuple[AttemptFact, ...]
    answered_with: str
    answered_at: datetime | None


class WindowState:
    """How long WhatsApp lets a message go as written after the person wrote. We close a little before Meta does."""

    LENGTH: ClassVar[timedelta] = timedelta(hours=24)
    MARGIN: ClassVar[timedelta] = timedelta(minutes=5)
