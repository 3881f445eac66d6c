"""One try by one channel: what it is given, and what it answers. No database, no retry; the sender decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

EMAIL = "email"


class Verdict(StrEnum):
    """What a provider's answer asks of us. The same words serve answers and receipts."""

    ACCEPTED = "accepted"
    RETRY = "retry"
    RETRY_RECIPIENT = "retry_recipient"
    USE_TEMPLATE = "use_template"
    OTHER_CHANNEL = "other_channel"
    RECIPIENT_UNREACHABLE = "recipient_unreachable"
    OPTED_OUT = "opted_out"
    PAUSE_ACCOUNT = "pause_account"
    PAUSE_TEMPLATE = "pause_template"
    UNKNOWN = "unknown"  # The bytes may have left: evidence decides, not a retry.
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call came to.

    provider_message_id: the provider's id of the message, with `ACCEPTED`.
    recipient_id, user_id: the person as the provider spells them (`wa_id`, business-scoped id), to match answers with.
    after_seconds: a floor for the next try, with `RETRY` and `RETRY_RECIPIENT`.
    code, detail: the provider's own, for staff; `detail` carries no address, text or token.
    is_vague: refused, and the code does not say why. A free text outside a surely open window is worth one try as its
    template; a retry is worth a few and then no more.
    """

    verdict: Verdict
    provider_message_id: str = ""
    recipient_id: str = ""
    user_id: str = ""
    after_seconds: float | None = None
    code: str = ""
    detail: str = ""
    is_vague: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFact:
    """What a provider says of a message it took. May come twice, late, out of order, before our own answer is stored.

    attempt_id: ours, echoed by the provider; None when it does not, or when the message was never ours.
    status: "sent", "delivered", "read" or "failed". failure: with "failed", by the same classifier as an answer.
    happened_at: the provider's own time.
    """

    account_id: int
    attempt_id: UUID | None
    provider_message_id: str
    status: str
    happened_at: datetime
    recipient_id: str = ""
    user_id: str = ""
    failure: Outcome | None = None
    price_category: str = ""
    is_billable: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A clinic's sending account, out of the database's reach. `secrets` never reach a log."""

    account_id: int
    clinic_id: int
    channel: str
    external_id: str
    secrets: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """`payload` comes back when it is tapped: ASCII, at most 100."""

    payload: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    payload: str
    title: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Letterhead:
    """What an e-mail says around its text: its subject, in whose name it comes, in which language."""

    subject: str = field(repr=False)
    sender_name: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeContent:
    """A message as written: text, with up to three buttons or one list (`list_label` opens it). E-mail has a letterhead."""

    body: str = field(repr=False)
    buttons: tuple[Button, ...] = ()
    list_label: str = ""
    sections: tuple[Section, ...] = ()
    letterhead: Letterhead | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateContent:
    """An approved template and what fills it, in the template's own order.

    parameters: (name, value); names are ignored by a positional template.
    button_payloads: by index among the template's buttons.
    url_suffixes: by index, for buttons that end in a variable.
    """

    name: str
    language: str
    is_named: bool
    parameters: tuple[tuple[str, str], ...] = field(repr=False)
    header_parameters: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    button_payloads: Mapping[int, str] = field(default_factory=dict)
    url_suffixes: Mapping[int, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundMessage:
    """Everything one call needs. Exactly one of `phone` (E.164 with +), `user_id` and `email` says to whom."""

    attempt_id: UUID
    account: Account
    phone: str = field(default="", repr=False)
    user_id: str = field(default="", repr=False)
    email: str = field(default="", repr=False)
    content: FreeContent | TemplateContent
    quoted_provider_id: str = ""
    ttl_until: datetime | None = None


class Channel(Protocol):
    """Sends once. Never raises for what a provider does; touches no database, for it runs in a thread without one."""

    kind: str

    def send(self, message: OutboundMessage) -> Outcome: ...
