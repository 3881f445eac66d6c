"""What publishers and handlers hold in their hands: events, and the decorator that subscribes to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Protocol, Self
from uuid import UUID

from clinicbot.plain import from_plain, to_plain
from outbox.errors import HandlerNameTakenError


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A committed fact. Subclasses add ids and times, never names, numbers or texts.

    name: `<house>.<past participle>`, frozen once released.
    aggregate: what it happened to, as (type, id, version).
    """

    name: ClassVar[str]
    aggregate_type: ClassVar[str]

    clinic_id: int

    @property
    def aggregate_id(self) -> str:
        raise NotImplementedError

    @property
    def aggregate_version(self) -> int:
        return 0

    def payload(self) -> dict[str, Any]:
        """The fields but `clinic_id`, as JSON can hold them (UUIDs and datetimes as text)."""
        return {name: value for name, value in to_plain(self).items() if name != "clinic_id"}

    @classmethod
    def restore(cls, *, clinic_id: int, payload: Mapping[str, Any]) -> Self:
        """The event as it was published.

        Raises:
            BadPayloadError: what was stored does not fit the class (any more).
        """
        return from_plain(cls, {**payload, "clinic_id": clinic_id})


class Handler(Protocol):
    """Takes one event; one that is subscribed with `together` takes a sequence of them, all of one clinic."""

    def __call__(self, event: Any, /, *, now: datetime) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One handler of one event class.

    time_limit_seconds: past it an attempt counts as crashed and is tried again, after what else is due.
    together: so many events of one clinic may be handled in one transaction, None: one at a time.
    """

    name: str
    event_class: type[Event]
    handle: Handler
    time_limit_seconds: int
    max_attempts: int
    together: int | None = None

    def run(self, events: Sequence[Event], *, now: datetime) -> None:
        if self.together is not None:
            self.handle(events, now=now)
            return
        for event in events:
            self.handle(event, now=now)


_by_event: dict[str, list[Subscription]] = {}
_by_handler: dict[str, Subscription] = {}


def subscribe(
    event_class: type[Event],
    *,
    name: str,
    time_limit_seconds: int = 30,
    max_attempts: int = 8,
    together: int | None = None,
) -> Callable[[Handler], Handler]:
    """Let a handler hear of every event of that class. It may run twice: say in its docstring what makes that harmless.

    together: it takes a sequence of events, so many at most, that come in crowds and mean little each. Only those that were
    never tried go along; when they fail together, the first is tried alone at once, and the others as if nothing had been.

    Raises:
        HandlerNameTakenError: another handler has that name.
    """

    def register(handle: Handler) -> Handler:
        if name in _by_handler:
            raise HandlerNameTakenError(f"Two handlers are called {name}.")
        subscription = Subscription(
            name=name,
            event_class=event_class,
            handle=handle,
            time_limit_seconds=time_limit_seconds,
            max_attempts=max_attempts,
            together=together,
        )
        _by_handler[name] = subscription
        _by_event.setdefault(event_class.name, []).append(subscription)
        return handle

    return register


def subscriptions_of(event_name: str) -> list[Subscription]:
    return _by_event.get(event_name, [])


def find_subscription(handler_name: str) -> Subscription | None:
    return _by_handler.get(handler_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryTold:
    """How far one handler has come with one event. `label` is the state in the reader's language.

    next_try_at: real time, None once finished.
    """

    handler: str
    state: str
    label: str
    attempt: int
    last_error: str
    next_try_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTold:
    """One event as a story tells it."""

    event_id: UUID
    type: str
    occurred_at: datetime
    payload: Mapping[str, Any]
    deliveries: tuple[DeliveryTold, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadDelivery:
    """A handler's duty that was given up. `why`: class and code of the last failure, or "crashed"; never its words."""

    delivery_id: int
    clinic_id: int
    handler: str
    aggregate_type: str
    aggregate_id: str
    why: str
    finished_at: datetime
