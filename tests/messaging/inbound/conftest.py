"""A clinic with a number, Ana who is known there, and a way for people to write."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from clinicbot.models import Clinic
from messaging.models import Contact, SendingAccount
from tests.messaging.meta import call, post, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact
from tests.messaging.talking import Say


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


@pytest.fixture
def ana(account: SendingAccount, now: datetime) -> Contact:
    return make_contact(account.clinic, now=now)


@pytest.fixture
def say(client: Client, account: SendingAccount, now: datetime) -> Say:
    def deliver(*messages: Any, at: datetime = now, **rest: Any) -> None:
        assert post(client, call(value_of(messages=messages, **rest))).status_code == 200
        handle_stored(now=at)

    return deliver
