"""Is it still to be said? Everything is read afresh and in bulk; nothing is written."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import InterfaceError, OperationalError
from django.db.models import Q

from clinicbot.models import Clinic
from messaging.contracts import Context, KindSpec, Person, QueuedMessage, Standing, StandingVerdict, TaskReason
from messaging.models import KillSwitch, MessageState, MessageSubject, WrittenAnswer
from messaging.reasons import Reason
from messaging.usecases.addressing import address
from messaging.usecases.deciding import Case, Decision, Docket, Fate, too_late

logger = logging.getLogger(__name__)

OLDER_WAIT_SECONDS = 2.0
BY_HAND = "by_hand"
UNSAID = (MessageState.QUEUED, MessageState.HELD, MessageState.SENDING)

_Answer = TypeVar("_Answer")
About = tuple[int, Person, str, str]


def judge(message_ids: Iterable[UUID], *, real: datetime, now: datetime) -> Mapping[UUID, Decision]:
    """One decision for each message. The number of queries does not grow with theirs."""
    return judge_docket(Docket.load(message_ids), real=real, now=now)


def judge_docket(docket: Docket, *, in_turn: bool = True, real: datetime, now: datetime) -> Mapping[UUID, Decision]:
    """The same of cases at hand, which may be of messages that do not exist yet.

    in_turn: whether one waits for an older one to the same person about the same; days apart they do not.
    """
    clinics = Clinic.objects.in_bulk({case.message.clinic_id for case in docket.cases()})
    cases = list(docket.cases())
    _set_aside(docket, now=now)
    _stop(docket, clinics)
    _ask_if_still_true(docket, now=now)
    contexts = _ask_for_context(docket, {case.message.pk: case.queued for case in docket.cases()}, now=now)
    address(
        docket,
        contexts,
        clinics=clinics,
        ask_again=lambda queued: _ask_for_context(docket, queued, now=now),
        real=real,
        now=now,
    )
    if in_turn:
        _queue_up(docket, cases)
    return docket.decisions


def _set_aside(docket: Docket, *, now: datetime) -> None:
    for case in docket.cases():
        if too_late(case.message, now=now):
            docket.decide(case, Decision(fate=Fate.EXPIRE, reason=Reason.TOO_LATE, task=_who_wrote_hears(case)))
        elif case.kind is None:
            logger.error("A message of an unknown kind is held.", extra={"kind": case.message.kind})
            docket.decide(case, Decision(fate=Fate.HOLD, reason=Reason.UNKNOWN_KIND))


def _who_wrote_hears(case: Case) -> TaskReason | None:
    return TaskReason.NOT_DELIVERED if case.kind is not None and case.kind.by_hand else None


def _stop(docket: Docket, clinics: Mapping[int, Clinic]) -> None:
    """Kill switch and suspension, as they are now: a call never begins after the switch was seen thrown."""
    thrown = KillSwitch.objects.filter(Q(clinic__isnull=True) | Q(clinic__in=clinics), released_at__isnull=True)
    stopped = set(thrown.values_list("clinic_id", flat=True))
    for case in docket.cases():
        if None in stopped or case.message.clinic_id in stopped:
            docket.decide(case, Decision(fate=Fate.HOLD, reason=Reason.KILL_SWITCH))
        elif clinics[case.message.clinic_id].is_suspended and not case.known_kind.ignores_suspension:
            docket.decide(case, Decision(fate=Fate.HOLD, reason=Reason.CLINIC_SUSPENDED))


def _queue_up(docket: Docket, cases: Sequence[Case]) -> None:
    """While an older message to that person about the same is in its call the newer waits, or the last word may be the old. For
    one that does not go nobody waits; but what staff wrote is read in the order in which they wrote it.
    """
    going = [case for case in cases if docket.decisions[case.message.pk].fate == Fate.SEND]
    places = {case.message.pk: _about(case, docket.decisions[case.message.pk]) for case in going}
    on_its_way = _subjects_on_their_way(going)
    _add_unsaid_answers(on_its_way, {key for about in places.values() for key in about if key[2] == BY_HAND})
    for case in going:
        about = places[case.message.pk]
        if any(pk < case.message.pk for key in about for pk in on_its_way[key]):
            waits = Decision(fate=Fate.WAIT, reason=Reason.OLDER_ON_ITS_WAY, after_seconds=OLDER_WAIT_SECONDS)
            docket.decisions[case.message.pk] = waits
            continue
        for key in about:  # The oldest of this wave goes first; the younger see it here.
            on_its_way[key].add(case.message.pk)


def _subjects_on_their_way(cases: Sequence[Case]) -> defaultdict[About, set[UUID]]:
    pairs = {(case.message.clinic_id, subject.id) for case in cases for subject in case.queued.subjects}
    rows = MessageSubject.objects.for_pairs(pairs, by="subject_id").filter(message__state=MessageState.SENDING)
    found: defaultdict[About, set[UUID]] = defaultdict(set)
    for row in rows:
        about = (row.clinic_id, Person(row.person_kind, row.person_id), row.subject_type, row.subject_id)
        found[about].add(row.message_id)
    return found


def _add_unsaid_answers(on_its_way: defaultdict[About, set[UUID]], keys: Collection[About]) -> None:
    """Those to the contacts of these keys, also such as have to try again, or are held."""
    if not keys:
        return
    written = WrittenAnswer.objects.for_pairs({(key[0], key[1].id) for key in keys}, by="contact_id")
    for row in written.filter(message__state__in=UNSAID).values_list("clinic_id", "contact_id", "message_id"):
        on_its_way[_place_of_answers(row[0], row[1])].add(row[2])


def _place_of_answers(clinic_id: int, contact_id: int) -> About:
    return clinic_id, Person("contact", contact_id), BY_HAND, ""


def _about(case: Case, decision: Decision) -> list[About]:
    """What staff wrote is about whom it goes to: each answer's own subject is its form."""
    queued = case.queued
    if case.known_kind.by_hand and decision.plan is not None:
        return [_place_of_answers(queued.clinic_id, decision.plan.contact.pk)]
    return [(queued.clinic_id, person, subject.type, subject.id) for subject, person in queued.concerns()]


def _ask_if_still_true(docket: Docket, *, now: datetime) -> None:
    facts = {case.message.pk: case.queued for case in docket.cases()}

    def check(kind: KindSpec, messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
        return kind.implementation.check(messages, now=now)

    standings = _ask_kinds(docket, facts, check)
    for case in docket.cases():
        standing = standings[case.message.pk]
        if standing.verdict == StandingVerdict.SKIPPED:
            docket.decide(case, Decision(fate=Fate.SKIP, reason=standing.reason))
        elif standing.verdict == StandingVerdict.HELD:
            docket.decide(case, Decision(fate=Fate.HOLD, reason=standing.reason))


def _ask_for_context(docket: Docket, facts: Mapping[UUID, QueuedMessage], *, now: datetime) -> Mapping[UUID, Context]:
    def context(kind: KindSpec, messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
        return kind.implementation.context(messages, now=now)

    return _ask_kinds(docket, facts, context)


def _ask_kinds(
    docket: Docket,
    facts: Mapping[UUID, QueuedMessage],
    ask: Callable[[KindSpec, Sequence[QueuedMessage]], Mapping[UUID, _Answer]],
) -> Mapping[UUID, _Answer]:
    """Ask each kind about its own. A message that it fails over, or does not answer for, loses its turn, and no other does."""
    answers: dict[UUID, _Answer] = {}
    by_kind: defaultdict[str, list[Case]] = defaultdict(list)
    for pk in facts:
        by_kind[docket.open[pk].message.kind].append(docket.open[pk])
    for cases in by_kind.values():
        answers |= _ask_kind(cases[0].known_kind, [facts[case.message.pk] for case in cases], ask)
        for case in cases:
            if case.message.pk not in answers:
                docket.decide(case, Decision(fate=Fate.LET_GO, reason=Reason.TROUBLE))
    return answers


def _ask_kind(
    kind: KindSpec,
    messages: Sequence[QueuedMessage],
    ask: Callable[[KindSpec, Sequence[QueuedMessage]], Mapping[UUID, _Answer]],
) -> Mapping[UUID, _Answer]:
    """Of all at once; when that fails, of each alone."""
    try:
        return ask(kind, messages)
    except (OperationalError, InterfaceError):
        raise  # The database is away: no kind's fault.
    except Exception:  # A kind is another house's code: its bug must not stop the others' messages.
        ids = [str(message.message_id) for message in messages]
        logger.exception("A message kind failed.", extra={"kind": kind.name, "messages": ids})
    answers: dict[UUID, _Answer] = {}
    for message in messages if len(messages) > 1 else ():
        answers |= _ask_kind(kind, [message], ask)
    return answers
