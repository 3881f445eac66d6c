"""One wave: at most one message per thread, judged together, committed, called, and each outcome recorded as it comes."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection

from messaging.channels.base import EMAIL, Account, OutboundMessage
from messaging.channels.registry import get_channel
from messaging.models import Attempt
from messaging.usecases import rates
from messaging.usecases.calling import Call, Called, make_calls
from messaging.usecases.committing import Begun, commit_wave
from messaging.usecases.deciding import Decision, Fate, Plan
from messaging.usecases.judging import judge
from messaging.usecases.leasing import Leased
from messaging.usecases.outcomes import record_outcomes

logger = logging.getLogger(__name__)


def send_wave(
    leased: Sequence[Leased],
    *,
    meanwhile: Callable[[], None] = lambda: None,
    real: datetime,
    now: datetime,
) -> Counter[str]:
    """What became of each, by fate, and of each call, by verdict.

    meanwhile: done while the calls are made, before their outcomes are recorded.
    Raises whatever kept an outcome from being recorded, once the others are: that attempt will be found cut off.
    """
    decisions = judge((row.message_id for row in leased), real=real, now=now)
    decisions = _within_the_rates(decisions, real=real)
    begun = commit_wave(leased, decisions, now=now)
    counts = Counter(str(decision.fate) for decision in decisions.values() if decision.fate != Fate.SEND)
    return counts + _call(begun, meanwhile=meanwhile, real=real, now=now)


def _within_the_rates(decisions: Mapping[UUID, Decision], *, real: datetime) -> Mapping[UUID, Decision]:
    """What an account may not send yet waits until it may."""
    plans = {pk: decision.plan for pk, decision in decisions.items() if decision.plan is not None}
    if not plans:
        return decisions
    grants = rates.charge(Counter(plan.account.pk for plan in plans.values()), real=real)
    left = {account_id: grant.count for account_id, grant in grants.items()}
    held_back: dict[UUID, Decision] = {}
    for pk, plan in plans.items():
        left[plan.account.pk] -= 1
        if left[plan.account.pk] < 0:
            held_back[pk] = rates.too_fast(grants[plan.account.pk])
    return {**decisions, **held_back}


def _call(begun: Sequence[Begun], *, meanwhile: Callable[[], None], real: datetime, now: datetime) -> Counter[str]:
    counts: Counter[str] = Counter()
    unspent: Counter[int] = Counter()
    answers = make_calls([as_call(one) for one in begun])
    failures = [failure] if begun and (failure := _try(meanwhile)) else []
    for group in answers:
        counts.update(str(called.outcome.verdict) if called.outcome else "not_sent" for called in group)
        unspent.update(called.call.outbound.account.account_id for called in group if called.outcome is None)
        failures += _record(group, real=real, now=now)
    rates.give_back(unspent)
    if failures:
        raise failures[0]
    return counts


def _record(group: Sequence[Called], *, real: datetime, now: datetime) -> list[Exception]:
    """Together; if that fails once more one by one, so that what cannot be recorded costs no other its outcome."""
    if _try_to_record(group, real=real, now=now) is None:
        return []
    failures = [_try_to_record([called], real=real, now=now) for called in group]
    return [failure for failure in failures if failure is not None]


def _try(meanwhile: Callable[[], None]) -> Exception | None:
    """Whatever it comes to, the calls have been made and their outcomes must be recorded."""
    try:
        meanwhile()
    except Exception as error:
        logger.exception("The next wave could not be leased ahead.")
        if not connection.is_usable():
            connection.close()
        return error
    return None


def _try_to_record(group: Sequence[Called], *, real: datetime, now: datetime) -> Exception | None:
    try:
        record_outcomes(group, real=real, now=now)
    except Exception as error:  # The calls have been made, whatever the database says to it.
        logger.exception("Outcomes were not recorded.", extra={"outcomes": len(group)})
        if not connection.is_usable():
            connection.close()  # The next try opens another: the server may have been restarted.
        return error
    return None


def as_call(begun: Begun) -> Call:
    plan, attempt = begun.plan, begun.attempt
    return Call(
        attempt_id=attempt.pk,
        message_id=attempt.message_id,
        channel=get_channel(plan.contact.channel),
        outbound=_outbound(attempt, plan, begun),
        begin_before=begun.begin_before,
    )


def _outbound(attempt: Attempt, plan: Plan, begun: Begun) -> OutboundMessage:
    account, is_mail = plan.account, plan.contact.channel == EMAIL
    return OutboundMessage(
        attempt_id=attempt.pk,
        account=Account(
            account_id=account.pk,
            clinic_id=account.clinic_id,
            channel=account.channel,
            external_id=account.external_id,
            secrets={"access_token": account.access_token},
        ),
        phone="" if is_mail else plan.contact.address,
        user_id="" if plan.contact.address else plan.contact.user_id,
        email=plan.contact.address if is_mail else "",
        content=plan.content,
        quoted_provider_id=plan.quoted_provider_id,
        ttl_until=begun.expires_at,
    )
