"""What may become of a message in one wave, and the list of those that are still to be decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Prefetch

from messaging.channels.base import FreeContent, TemplateContent
from messaging.contracts import KindSpec, QueuedMessage, Subject, TaskReason, find_kind
from messaging.errors import UnknownKindError
from messaging.models import Attempt, AttemptState, Contact, Message, MessageTemplate, SendingAccount
from messaging.queries.queued import as_queued

# What the judge needs of earlier tries: no texts.
ATTEMPT_FACTS = ("id", "message_id", "number", "state", "mode", "contact_id", "said_at", "failure_verdict")


class Fate(StrEnum):
    SEND = "send"
    DIVIDE = "divide"  # Its people are reached apart: it becomes several, each judged by itself.
    WAIT = "wait"  # Stays queued, for a moment.
    HOLD = "hold"  # Every tick looks again.
    SKIP = "skip"
    EXPIRE = "expire"
    FAIL = "fail"
    LET_GO = "let_go"  # Could not be judged: later, and alone.


@dataclass(frozen=True, slots=True, kw_only=True)
class StandsIn:
    """For which language, and the key of the task that ends when it has a template that can be used."""

    instead_of: str
    task_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How one message goes out. `text` and `labels` are what the person will read, `content` what goes on the wire.

    stands_in: set where the template is not in the person's language.
    """

    account: SendingAccount
    contact: Contact
    language: str
    text_name: str
    text: str = field(repr=False)
    labels: list[str] = field(repr=False)
    content: FreeContent | TemplateContent
    template: MessageTemplate | None = None
    quoted_provider_id: str = ""
    left_out: frozenset[Subject] = frozenset()
    stands_in: StandsIn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """after_seconds: with WAIT. account_id: the paused one, with HOLD. task: what staff are asked to look at, once per key.

    task_detail: a stable word; without one, the reason's own. ends_task_key: of the task that nobody need look at any more.
    parts: with DIVIDE, what goes into messages of its own.
    """

    fate: Fate
    reason: str = ""
    after_seconds: float = 0.0
    account_id: int | None = None
    plan: Plan | None = None
    task: TaskReason | None = None
    task_key: str = ""
    task_detail: str = ""
    ends_task_key: str = ""
    parts: tuple[tuple[Subject, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One message as it stands when it is judged."""

    message: Message
    queued: QueuedMessage
    kind: KindSpec | None
    attempts: tuple[Attempt, ...]

    @property
    def known_kind(self) -> KindSpec:
        """Raises `UnknownKindError`; those of unknown kinds are set aside first."""
        if self.kind is None:
            raise UnknownKindError
        return self.kind

    @property
    def is_in_doubt(self) -> bool:
        return any(attempt.state == AttemptState.UNKNOWN for attempt in self.attempts)


class Docket:
    """Cases in order, and the decisions so far."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.open = {case.message.pk: case for case in cases}
        self.decisions: dict[UUID, Decision] = {}

    @classmethod
    def load(cls, message_ids: Iterable[UUID]) -> Docket:
        """Read afresh. Three queries."""
        attempts = Attempt.unscoped.order_by("number").only(*ATTEMPT_FACTS)
        messages = (
            Message.unscoped.filter(pk__in=set(message_ids))
            .prefetch_related("subjects", Prefetch("attempts", queryset=attempts))
            .order_by("pk")
        )
        return cls(
            Case(message, as_queued(message), find_kind(message.kind), tuple(message.attempts.all()))
            for message in messages
        )

    def cases(self) -> list[Case]:
        """Those still open, the oldest first."""
        return list(self.open.values())

    def decide(self, case: Case, decision: Decision) -> None:
        self.decisions[case.message.pk] = decision
        del self.open[case.message.pk]


def moment_of(message: Message, *, now: datetime) -> datetime:
    """When it goes if nothing stops it: now; of one that is only foreseen, when it is due."""
    return max(now, message.due_at)


def too_late(message: Message, *, now: datetime) -> bool:
    return message.expires_at <= moment_of(message, now=now)
