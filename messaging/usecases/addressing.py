"""To which contact, from which account, in which words: the last part of the judgement. Nothing is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from clinicbot.models import Clinic
from messaging.channels.base import Verdict
from messaging.channels.registry import find_channel
from messaging.contracts import Context, QueuedMessage, TaskReason
from messaging.models import AccountState, Consent, ConsentState, Contact, SendingAccount
from messaging.queries.contacts import window_open_until
from messaging.reasons import Reason
from messaging.usecases.deciding import Case, Decision, Docket, Fate, moment_of
from messaging.usecases.wording import Addressed, Wording, word

# Failures of an attempt after which the same message does not go to the same contact again.
CLOSES_CONTACT = frozenset({Verdict.RECIPIENT_UNREACHABLE, Verdict.OTHER_CHANNEL})
WINDOWED = frozenset({"whatsapp"})  # Channels that take a message as written only for a while after the person wrote.

AskAgain = Callable[[Mapping[UUID, QueuedMessage]], Mapping[UUID, Context]]


def address(
    docket: Docket,
    contexts: Mapping[UUID, Context],
    *,
    clinics: Mapping[int, Clinic],
    ask_again: AskAgain,
    real: datetime,
    now: datetime,
) -> None:
    """Decide all that are left."""
    contacts = _contacts(docket, contexts)
    opted_out = _opted_out(contacts)
    accounts = _accounts(clinics)
    addressed: list[Addressed] = []
    for case in docket.cases():
        context = contexts[case.message.pk]
        if context.apart:
            docket.decide(case, Decision(fate=Fate.DIVIDE, reason=Reason.APART, parts=context.apart))
            continue
        contact = _choose(case, context, contacts, opted_out)
        if isinstance(contact, Decision):
            docket.decide(case, contact)
            continue
        account = _account_for(contact, accounts[case.message.clinic_id, contact.channel], case=case, now=now)
        if account is None:
            docket.decide(case, _no_account(contact))
            continue
        if stopped := _wait_for(contact, account, real=real):
            docket.decide(case, stopped)
            continue
        free = _may_be_free(case, contact, account, now=now)
        if case.known_kind.by_hand and not free:
            docket.decide(case, _not_as_written())
            continue
        addressed.append(Addressed(case, context, contact, account, free, own_language=context.language))
    wording = Wording.load(addressed, clinics)
    wording = wording.with_contexts(_in_the_templates_language(wording, ask_again))
    for one in wording.addressed:
        if one.case.message.pk in docket.open:
            docket.decide(one.case, word(one, wording))


def _contacts(docket: Docket, contexts: Mapping[UUID, Context]) -> dict[tuple[int, int], Contact]:
    pairs = {(case.message.clinic_id, pk) for case in docket.cases() for pk in contexts[case.message.pk].contact_ids}
    return {(contact.clinic_id, contact.pk): contact for contact in Contact.objects.for_pairs(pairs)}


def _opted_out(contacts: Mapping[tuple[int, int], Contact]) -> set[tuple[int, str]]:
    """(contact, category) of every contact whose latest word on the category was no."""
    latest = (
        Consent.objects.for_pairs(contacts, by="contact_id")
        .order_by("contact_id", "category", "-id")
        .distinct("contact_id", "category")
    )
    return {(row.contact_id, row.category) for row in latest if row.state == ConsentState.WITHDRAWN}


def _accounts(clinics: Mapping[int, Clinic]) -> defaultdict[tuple[int, str], list[SendingAccount]]:
    """By clinic and channel, the oldest first."""
    found: defaultdict[tuple[int, str], list[SendingAccount]] = defaultdict(list)
    for account in SendingAccount.unscoped.filter(clinic__in=clinics).order_by("pk"):
        found[account.clinic_id, account.channel].append(account)
    return found


def _account_for(
    contact: Contact, accounts: Sequence[SendingAccount], *, case: Case, now: datetime
) -> SendingAccount | None:
    """An answer comes from the number that was written to, while its window is open. Else the first that is not paused; the
    first, where all are. None: the clinic has none.
    """
    if window_open_until(contact, now=moment_of(case.message, now=now)) is not None:
        written_to = [account for account in accounts if account.pk == contact.last_inbound_account_id]
        accounts = written_to or accounts
    active = (account for account in accounts if account.state != AccountState.PAUSED)
    return next(active, accounts[0] if accounts else None)


def _choose(
    case: Case,
    context: Context,
    contacts: Mapping[tuple[int, int], Contact],
    opted_out: set[tuple[int, str]],
) -> Contact | Decision:
    """The best contact that may be written to, or why there is none."""
    closed = {attempt.contact_id for attempt in case.attempts if attempt.failure_verdict in CLOSES_CONTACT}
    reasons: list[Reason] = []
    for pk in context.contact_ids:
        contact = contacts.get((case.message.clinic_id, pk))
        if contact is None or find_channel(contact.channel) is None:
            continue
        if contact.wrong_number_at is not None:
            reasons.append(Reason.WRONG_NUMBER)
        elif pk in closed:
            reasons.append(Reason.NOT_DELIVERED)
        elif contact.unreachable_since is not None:
            reasons.append(Reason.UNREACHABLE)
        elif (pk, case.message.category) in opted_out and not case.known_kind.ignores_opt_out:
            reasons.append(Reason.OPTED_OUT)
        else:
            return contact
    if reasons and set(reasons) == {Reason.OPTED_OUT}:
        return _unwanted(case, context)
    return _nobody(reasons, context)


def _unwanted(case: Case, context: Context) -> Decision:
    """What must be heard all the same becomes a call. Who has done it themselves knows how it stands: a call that waits is done."""
    subject, person = case.queued.concerns()[0]
    key = ":".join(filter(None, ("call", person.kind, str(person.id), subject.type, subject.id, case.message.rule)))
    if context.is_own_doing:
        return Decision(fate=Fate.SKIP, reason=Reason.OPTED_OUT, ends_task_key=key)
    if not context.must_be_heard:
        return Decision(fate=Fate.SKIP, reason=Reason.OPTED_OUT)
    return Decision(
        fate=Fate.SKIP,
        reason=Reason.OPTED_OUT,
        task=TaskReason.WANTS_NO_MESSAGES,
        task_key=key,
        task_detail=context.text,
        ends_task_key=key,  # Moved, then cancelled, and nobody has called yet: one call, about what is true now.
    )


def _nobody(reasons: list[Reason], context: Context) -> Decision:
    first = next(
        (reason for reason in reasons if reason != Reason.OPTED_OUT), context.nobody_because or Reason.NO_CONTACT
    )
    return Decision(fate=Fate.FAIL, reason=first, task=TaskReason.NO_REACHABLE_CONTACT)


def _no_account(contact: Contact) -> Decision:
    return Decision(
        fate=Fate.HOLD,
        reason=Reason.NO_ACCOUNT,
        task=TaskReason.ACCOUNT_TROUBLE,
        task_key=f"no_account:{contact.channel}",
    )


def _wait_for(contact: Contact, account: SendingAccount, *, real: datetime) -> Decision | None:
    if account.state == AccountState.PAUSED:
        return Decision(fate=Fate.HOLD, reason=Reason.ACCOUNT_PAUSED, account_id=account.pk)
    if contact.slowed_until is not None and contact.slowed_until > real:
        seconds = (contact.slowed_until - real).total_seconds()
        return Decision(fate=Fate.WAIT, reason=Reason.RETRY_RECIPIENT, after_seconds=seconds)
    return None


def _not_as_written() -> Decision:
    """There is no template for what a person wrote."""
    return Decision(fate=Fate.FAIL, reason=Reason.WINDOW_CLOSED, task=TaskReason.NOT_DELIVERED)


def _may_be_free(case: Case, contact: Contact, account: SendingAccount, *, now: datetime) -> bool:
    """As written, while the window is open. Once free text was refused, only a later word of the person's opens it again."""
    if contact.channel not in WINDOWED:
        return True
    if window_open_until(contact, now=moment_of(case.message, now=now)) is None:
        return False
    if contact.last_inbound_account_id not in (None, account.pk):
        return False
    tries = [attempt.said_at for attempt in case.attempts]
    return not case.message.must_use_template or bool(
        tries and contact.last_inbound_at and contact.last_inbound_at > max(tries)
    )


def _in_the_templates_language(wording: Wording, ask_again: AskAgain) -> Mapping[UUID, Context]:
    """A template in the clinic's language wants variables in that language: the kind is asked again, for those few."""
    return ask_again(
        {
            one.case.message.pk: replace(one.case.queued, language=language)
            for one in wording.addressed
            if (language := wording.other_language_of(one))
        }
    )
