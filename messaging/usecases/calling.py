"""The calls themselves, in threads that never touch the database."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NoReturn
from uuid import UUID

from django.db import connections

from messaging import conf
from messaging.channels.base import Channel, OutboundMessage, Outcome, Verdict
from messaging.errors import DatabaseInSendThreadError
from messaging.steady import steady_seconds

logger = logging.getLogger(__name__)

LINGER_SECONDS = 0.004
"""Calls that began together often end together: what comes so soon after the first is written down with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to make. `begin_before` is on the steady clock: from then on the lease may be another's."""

    attempt_id: UUID
    message_id: UUID
    channel: Channel
    outbound: OutboundMessage
    begin_before: float


@dataclass(frozen=True, slots=True)
class Called:
    """What a call came to. No outcome: it was never made."""

    call: Call
    outcome: Outcome | None


class StoppedAccounts:
    """Accounts that a call of this wave found out of order: the rest of the wave does not try them. Safe in threads."""

    def __init__(self) -> None:
        self._ids: set[int] = set()

    def note(self, account_id: int, outcome: Outcome) -> None:
        if outcome.verdict == Verdict.PAUSE_ACCOUNT:
            self._ids.add(account_id)

    def __contains__(self, account_id: int) -> bool:
        return account_id in self._ids


def make_calls(calls: Sequence[Call]) -> Iterator[list[Called]]:
    """All at once, and now; each answer as it comes; those that came while the caller was busy come together."""
    stopped = StoppedAccounts()
    futures: dict[Future[Outcome | None], Call] = {}
    unbegun: list[Called] = []
    for position, call in enumerate(calls):
        try:
            futures[_pool(os.getpid()).submit(_make_call, call, stopped)] = call
        except RuntimeError:  # The interpreter is shutting down: these were never begun.
            unbegun = [Called(call, None) for call in calls[position:]]
            break
    return _answers(futures, unbegun)


def _answers(futures: Mapping[Future[Outcome | None], Call], unbegun: list[Called]) -> Iterator[list[Called]]:
    if unbegun:
        yield unbegun
    pending = set(futures)
    while pending:
        done, pending = wait(pending, return_when=FIRST_COMPLETED)
        right_behind, pending = wait(pending, timeout=LINGER_SECONDS)
        done |= right_behind
        yield [Called(futures[future], future.result()) for future in done]


def _make_call(call: Call, stopped: StoppedAccounts) -> Outcome | None:
    account = call.outbound.account
    if account.account_id in stopped or steady_seconds() >= call.begin_before:
        return None
    try:
        outcome = call.channel.send(call.outbound)
    except Exception:  # An adapter's bug says nothing about whether the bytes have left.
        logger.exception("A channel failed.", extra={"attempt_id": str(call.attempt_id)})
        outcome = Outcome(verdict=Verdict.UNKNOWN, code="channel_failed")
    stopped.note(account.account_id, outcome)
    return outcome


@functools.lru_cache(maxsize=1)
def _pool(pid: int) -> ThreadPoolExecutor:
    """One per process, so that threads keep their connections to providers; a forked child makes its own."""
    return ThreadPoolExecutor(conf.send_threads(), thread_name_prefix="sender", initializer=keep_off_the_database)


def keep_off_the_database() -> None:
    """In a thread of the pool a connection would leak and, worse, read what the wave did not."""
    for connection in connections.all():
        connection.connect = _refuse  # type: ignore[method-assign]


def _refuse() -> NoReturn:
    raise DatabaseInSendThreadError
