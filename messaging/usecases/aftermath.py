"""What an outcome means beyond its message: for the account, the template, the contact, the person's consent.

Applied when the message's own change is committed: facts about others wait for their locks without holding any here.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from clinicbot.actors import Actor
from clinicbot.bulk import save_columns
from messaging.channels.base import Outcome, Verdict
from messaging.contracts import Category, ConsentSource
from messaging.models import Attempt, Contact
from messaging.usecases import consents
from messaging.usecases.accounts import pause_after_refusal as pause_account
from messaging.usecases.contact_news import CONTACT_FIELDS, CONTACT_NEWS, UNREACHED, reached
from messaging.usecases.last_word import Landing, ask_about_last_words
from messaging.usecases.templates import pause_after_refusal as pause_template


class Aftermath:
    """Facts noted under a message's lock, acted on after it."""

    def __init__(self) -> None:
        self._facts: list[tuple[Attempt, Outcome]] = []
        self._arrived: list[Attempt] = []
        self._landed: list[Landing] = []

    def note(self, attempt: Attempt, outcome: Outcome) -> None:
        self._facts.append((attempt, outcome))

    def note_arrival(self, attempt: Attempt) -> None:
        self._arrived.append(attempt)

    def note_landing(self, attempt: Attempt, *, at: datetime) -> None:
        """An attempt that was in doubt is with the provider since then."""
        self._landed.append((attempt, at))

    def apply(self, *, real: datetime, now: datetime) -> None:
        for attempt, outcome in self._facts:
            if outcome.verdict == Verdict.PAUSE_ACCOUNT:
                pause_account(attempt, outcome, real=real, now=now)
            elif outcome.verdict == Verdict.PAUSE_TEMPLATE and attempt.template_id is not None:
                pause_template(
                    attempt.clinic_id, template_id=attempt.template_id, code=outcome.code, real=real, now=now
                )
            elif outcome.verdict == Verdict.OPTED_OUT:
                _note_opt_out(attempt, now=now)
        self._tell_contacts(real=real, now=now)
        ask_about_last_words(self._landed, now=now)

    def _tell_contacts(self, *, real: datetime, now: datetime) -> None:
        """One read for all; a write only where something is news."""
        facts = [(attempt, outcome) for attempt, outcome in self._facts if outcome.verdict in CONTACT_NEWS]
        pairs = {(attempt.clinic_id, attempt.contact_id) for attempt, _outcome in facts}
        arrived = {(attempt.clinic_id, attempt.contact_id) for attempt in self._arrived}
        if not pairs and not arrived:
            return
        with transaction.atomic():
            doubted = Contact.objects.for_pairs(arrived).filter(UNREACHED)
            concerned = Contact.objects.for_pairs(pairs) | doubted if pairs else doubted
            contacts = {contact.pk: contact for contact in concerned.select_for_update(no_key=True).order_by("pk")}
            changed = {
                attempt.contact_id
                for attempt, outcome in facts
                if CONTACT_NEWS[outcome.verdict](contacts[attempt.contact_id], outcome, real=real, now=now)
            }
            arrived_at = {one.contact_id for one in self._arrived} & contacts.keys()
            changed |= {contact_id for contact_id in arrived_at if reached(contacts[contact_id])}
            save_columns([contacts[pk] for pk in sorted(changed)], CONTACT_FIELDS)


def _note_opt_out(attempt: Attempt, *, now: datetime) -> None:
    """The provider's own stop covers what it takes for advertising, and so only recalls; visits are still told of."""
    consents.withdraw(
        attempt.clinic_id,
        contact_id=attempt.contact_id,
        categories=[Category.RECALLS],
        source=ConsentSource.PROVIDER,
        actor=Actor.system(),
        now=now,
    )
