"""Events that say how their handlers shall behave, and what these leave behind."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar
from uuid import UUID

from django.db import connection, transaction

from clinicbot import clock
from clinicbot.actors import ActorKind
from clinicbot.errors import ClinicBotError
from clinicbot.models import AuditEntry, Clinic
from clinicbot.ticks import Deadline, StepReport
from outbox.contracts import Event, subscribe
from outbox.models import OutboxDelivery
from outbox.usecases.dispatching import deliver_due
from outbox.usecases.publishing import publish

WRITE = "tests.write_effect"
OBEY = "tests.obey"
IS_CHILD = "OUTBOX_TESTS_CHILD"


class Behaviour(StrEnum):
    WORKS = "works"
    FAILS = "fails"
    FAILS_AFTER_WRITING = "fails_after_writing"
    FAILS_INDISCREETLY = "fails_indiscreetly"
    KILLS = "kills"
    WAITS_FOR_THE_CLINICS_ROW = "waits_for_the_clinics_row"
    HANGS = "hangs"
    PUBLISHES = "publishes"


class ToldToFailError(ClinicBotError):
    """This handler was told to fail."""

    code = "told_to_fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told(Event):
    """Both handlers hear of it: one always writes, the other obeys."""

    name: ClassVar[str] = "tests.told"
    aggregate_type: ClassVar[str] = "tests.thing"

    thing_id: int
    behaviour: Behaviour = Behaviour.WORKS

    @property
    def aggregate_id(self) -> str:
        return str(self.thing_id)


@subscribe(Told, name=WRITE)
def write_effect(event: Told, *, now: datetime) -> None:
    """Leave a row each time. Idempotent by: nothing, so that a second run shows."""
    _leave_a_row(event, handler=WRITE, now=now)


@subscribe(Told, name=OBEY, time_limit_seconds=1, max_attempts=3)
def obey(event: Told, *, now: datetime) -> None:
    """Behave as told. Idempotent by: nothing, so that a second run shows."""
    match event.behaviour:
        case Behaviour.FAILS:
            raise ToldToFailError
        case Behaviour.FAILS_AFTER_WRITING:
            _leave_a_row(event, handler=OBEY, now=now)
            raise ToldToFailError
        case Behaviour.FAILS_INDISCREETLY:
            raise ValueError("The patient Ada Byron cannot be reached at +34600111222.")
        case Behaviour.KILLS:
            assert IS_CHILD in os.environ, "It would have killed the tests."
            os._exit(137)
        case Behaviour.WAITS_FOR_THE_CLINICS_ROW:
            Clinic.objects.select_for_update(no_key=True).get(pk=event.clinic_id)
        case Behaviour.HANGS:
            wait_for_the_server_to_hang_up()
        case Behaviour.PUBLISHES:
            publish(Told(clinic_id=event.clinic_id, thing_id=event.thing_id + 1), now=now)
    _leave_a_row(event, handler=OBEY, now=now)


def tell(clinic: Clinic, *, now: datetime, thing: int = 1, behaviour: Behaviour = Behaviour.WORKS) -> UUID:
    with transaction.atomic():
        return publish(Told(clinic_id=clinic.pk, thing_id=thing, behaviour=behaviour), now=now)


def effects(handler: str) -> list[int]:
    """The things that handler has dealt with, in order, once for each time."""
    rows = AuditEntry.objects.filter(action=handler).order_by("id")
    return [int(thing) for thing in rows.values_list("subject_id", flat=True)]


def delivery(handler: str, *, thing: int = 1) -> OutboxDelivery:
    return OutboxDelivery.unscoped.get(handler=handler, event__aggregate_id=str(thing))


def tick(*, now: datetime, limit: int = 100, ahead: timedelta = timedelta(0)) -> StepReport:
    """`ahead`: as if that much more real time had passed."""
    return deliver_due(now=now, real=clock.real() + ahead, deadline=Deadline(60), limit=limit)


def wait_for_the_server_to_hang_up() -> None:
    select.select([connection.connection.fileno()], [], [], 10)


def _leave_a_row(event: Told, *, handler: str, now: datetime) -> None:
    AuditEntry.objects.create(
        clinic_id=event.clinic_id,
        actor_kind=ActorKind.SYSTEM,
        action=handler,
        subject_type="tests.thing",
        subject_id=str(event.thing_id),
        happened_at=now,
    )


class Pause:
    """Holds a connection just before a statement that contains a text, until it is let go."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._reached = threading.Event()
        self._let_go = threading.Event()

    def __call__(self, execute: Callable[..., Any], sql: str, *args: Any) -> Any:
        if self._text in sql and not self._reached.is_set():
            self._reached.set()
            assert self._let_go.wait(30)
        return execute(sql, *args)

    def wait_until_reached(self) -> None:
        assert self._reached.wait(30)

    def end(self) -> None:
        self._let_go.set()
