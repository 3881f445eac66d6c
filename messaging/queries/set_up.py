"""How far a clinic has come with sending: its number, what was heard of WhatsApp, what has arrived. Derived, nothing is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Subquery
from django.db.models.functions import Coalesce

from clinicbot.models import Clinic
from messaging.models import (
    AccountState,
    Attempt,
    AttemptState,
    Message,
    MessageState,
    SendingAccount,
    TextOverride,
    WebhookItem,
)
from messaging.queries.own_texts import WHATSAPP, templates_of, whatsapp_accounts
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import LANGUAGES
from messaging.texts.template_words import Tone, words_of

ARRIVED = (AttemptState.DELIVERED, AttemptState.READ)
OUT = (MessageState.ACCEPTED, MessageState.SENT, MessageState.DELIVERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingSetUp:
    """account: the clinic's first number. in_use: templates in use by our language, of `wanted` each.

    is_heard: WhatsApp has called our webhook about one of its numbers. has_arrived: a message is on a phone, WhatsApp says so.
    """

    accounts: tuple[SendingAccount, ...]
    is_heard: bool
    has_arrived: bool
    has_sent: bool
    in_use: dict[str, int]
    wrong: int
    own_words: int

    @property
    def account(self) -> SendingAccount | None:
        return self.accounts[0] if self.accounts else None

    @property
    def wanted(self) -> int:
        """Templates in each language."""
        return len(list_template_texts())

    @property
    def can_send(self) -> bool:
        account = self.account
        return account is not None and account.state == AccountState.ACTIVE


def sending_set_up(clinic: Clinic, *, kind: str) -> SendingSetUp:
    """kind: of which messages `has_sent` says whether one has gone out. Three queries."""
    accounts = whatsapp_accounts(clinic.pk)
    templates = templates_of(clinic.pk) if accounts else {}
    facts = _facts(clinic, kind=kind)
    first = accounts[0].pk if accounts else 0
    tones = {
        (name, language): words_of(templates.get((first, name, language))).tone
        for name in list_template_texts()
        for language in LANGUAGES
    }
    return SendingSetUp(
        accounts=tuple(accounts),
        in_use={language: _count(tones, Tone.WELL, language) for language in LANGUAGES},
        wrong=sum(tone == Tone.WRONG for tone in tones.values()) if accounts else 0,
        **facts,
    )


def _count(tones: dict[tuple[str, str], Tone], wanted: Tone, language: str) -> int:
    return sum(tone == wanted for (_name, of), tone in tones.items() if of == language)


def _facts(clinic: Clinic, *, kind: str) -> dict[str, Any]:
    heard = WebhookItem.objects.filter(clinic_id=clinic.pk)
    arrived = Attempt.objects.for_clinic(clinic).filter(channel=WHATSAPP, state__in=ARRIVED)
    sent = Message.objects.for_clinic(clinic).filter(kind=kind, state__in=OUT)
    own = TextOverride.objects.for_clinic(clinic).order_by().values("clinic").annotate(count=Count("pk"))
    asked = Clinic.objects.filter(pk=clinic.pk).annotate(
        is_heard=Exists(heard),
        has_arrived=Exists(arrived),
        has_sent=Exists(sent),
        own_words=Coalesce(Subquery(own.values("count")), 0),
    )
    return dict(asked.values("is_heard", "has_arrived", "has_sent", "own_words").get())
