"""Accounts and templates for tests, as the provider would have them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from clinicbot.models import Clinic
from messaging.channels.whatsapp.templates_api import ProviderTemplate, components_of
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.definitions import definition_of
from tests.simulator.running import NUMBER_ID, TOKEN, WABA_ID


def make_account(clinic: Clinic, **wishes: Any) -> SendingAccount:
    """The simulator's own number unless wished otherwise."""
    wish: dict[str, Any] = {
        "channel": "whatsapp",
        "label": "Main",
        "external_id": NUMBER_ID,
        "parent_id": WABA_ID,
        "access_token": TOKEN,
    }
    return SendingAccount.objects.create(clinic=clinic, **{**wish, **wishes})


def make_template(
    account: SendingAccount, name: str = "visit_moved", *, language: str = "es", now: datetime, **wishes: Any
) -> MessageTemplate:
    """One of ours, approved."""
    ours = definition_of(name, language)
    wish: dict[str, Any] = {
        "clinic_id": account.clinic_id,
        "account": account,
        "name": name,
        "language": ours.language,
        "provider_id": f"{account.pk}-{name}-{language}",
        "status": "APPROVED",
        "category": "UTILITY",
        "is_named": True,
        "components": components_of(ours),
        "synced_at": now,
    }
    return MessageTemplate.objects.create(**{**wish, **wishes})


def listed(name: str = "visit_moved", *, language: str = "es", **wishes: Any) -> ProviderTemplate:
    """One of ours, as a list of the provider's has it."""
    ours = definition_of(name, language)
    wish: dict[str, Any] = {
        "provider_id": f"{name}-{language}",
        "name": name,
        "language": ours.language,
        "status": "APPROVED",
        "category": "UTILITY",
        "correct_category": "",
        "is_named": True,
        "components": components_of(ours),
        "rejected_reason": "",
        "quality": "GREEN",
    }
    return ProviderTemplate(**{**wish, **wishes})


def body_of(text: str) -> list[dict[str, Any]]:
    return [{"type": "BODY", "text": text}]


def buttons_of(*labels: str) -> dict[str, Any]:
    return {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": label} for label in labels]}
