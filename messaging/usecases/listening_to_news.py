"""News of templates, of an account and its number, of a person's wishes: given to whoever keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from messaging.channels.whatsapp.webhook.messages import Author, Renaming
from messaging.channels.whatsapp.webhook.news import (
    AccountNews,
    News,
    NumberNews,
    Preference,
    TemplateNews,
    UnknownNews,
)
from messaging.models import SendingAccount
from messaging.usecases.account_news import hear_of_account, hear_of_number
from messaging.usecases.matching import find_contacts
from messaging.usecases.renaming import rename
from messaging.usecases.templates import apply_template_update
from messaging.usecases.wishes import follow_preference


def hear_news(account: SendingAccount, *, news: News, real: datetime, now: datetime) -> str:
    """Returns what became of it, as a stable word."""
    match news:
        case TemplateNews():
            changed = apply_template_update(account.parent_id, field=news.field, value=news.value, now=now)
            return "applied" if changed else "unknown_template"
        case AccountNews():
            return hear_of_account(account, news=news, real=real, now=now)
        case NumberNews():
            return hear_of_number(account, news=news, now=now)
        case UnknownNews():
            return "unknown_field"
        case Renaming():
            return rename(account.clinic_id, author=Author(), renaming=news, now=now)
        case list():
            return _follow(account, news, now=now)


def _follow(account: SendingAccount, wishes: Sequence[Preference], *, now: datetime) -> str:
    """A person who never wrote and was never written to has no contact, and so nothing that could be stopped."""
    found = False
    for wish in wishes:
        contacts = find_contacts(account.clinic_id, author=wish.author)
        found = found or bool(contacts)
        said_at = min(wish.said_at or now, now)
        follow_preference(account.clinic_id, contacts=contacts, wants_it=wish.wants_it, said_at=said_at)
    return "applied" if found else "nobody"
