"""What Meta tells of accounts, numbers, templates and people's ids."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client

from clinicbot.actors import Actor
from messaging.contracts import TaskReason
from messaging.models import (
    AccountState,
    Contact,
    InboundMessage,
    MessageTemplate,
    SendingAccount,
    StaffTask,
    TaskState,
    WebhookItem,
)
from messaging.usecases.accounts import pause_account
from tests.messaging.meta import call, message, post, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact, outcomes

Tell = Callable[..., None]

pytestmark = pytest.mark.django_db


@pytest.fixture
def tell(client: Client, account: SendingAccount, now: datetime) -> Tell:
    def deliver(field: str, value: dict[str, Any], *, at: int = 1776150000) -> None:
        news = call(value, field=field)
        news["entry"][0]["time"] = at
        assert post(client, news).status_code == 200
        handle_stored(now=now)

    return deliver


def again(account: SendingAccount) -> SendingAccount:
    return SendingAccount.unscoped.get(pk=account.pk)


RESTRICTION = {
    "event": "ACCOUNT_RESTRICTION",
    "restriction_info": [{"restriction_type": "RESTRICTED_BIZ_INITIATED_MESSAGING", "expiration": 1776240000}],
}


def ban(state: str) -> dict[str, Any]:
    return {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": state, "waba_ban_date": "x"}}


@pytest.mark.parametrize("value", [RESTRICTION, ban("DISABLE"), {"event": "ACCOUNT_DELETED"}])
def test_an_account_that_meta_stops_is_paused_and_staff_are_told(
    tell: Tell, account: SendingAccount, value: dict[str, Any]
) -> None:
    tell("account_update", value)

    assert again(account).state == AccountState.PAUSED
    assert again(account).paused_reason == value["event"].lower()
    task = StaffTask.unscoped.get()
    assert (task.reason, task.detail) == (TaskReason.ACCOUNT_TROUBLE, value["event"].lower())


def test_a_restriction_with_an_end_ends_by_itself(tell: Tell, account: SendingAccount) -> None:
    tell("account_update", RESTRICTION)

    resume_at = again(account).resume_at
    assert resume_at is not None
    assert int(resume_at.timestamp()) == 1776240000


def test_a_reinstated_account_goes_on_and_its_task_is_done(tell: Tell, account: SendingAccount) -> None:
    tell("account_update", ban("DISABLE"), at=1)
    tell("account_update", ban("REINSTATE"), at=2)

    assert again(account).state == AccountState.ACTIVE
    assert StaffTask.unscoped.get().state == TaskState.DONE


def test_news_do_not_undo_what_staff_did(tell: Tell, account: SendingAccount, now: datetime) -> None:
    pause_account(account.clinic_id, account_id=account.pk, reason="holiday", actor=Actor.system(), now=now)

    tell("account_update", ban("REINSTATE"))

    assert again(account).state == AccountState.PAUSED


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("account_update", {"event": "ACCOUNT_VIOLATION", "violation_info": {"violation_type": "SCAM"}}),
        ("account_update", ban("SCHEDULE_FOR_DISABLE")),
        ("account_alerts", {"entity_type": "WABA", "alert_severity": "CRITICAL"}),
        ("account_review_update", {"decision": "REJECTED"}),
        ("security", {"event": "PIN_RESET_REQUEST"}),
        ("phone_number_quality_update", {"display_phone_number": "15550783881", "event": "FLAGGED"}),
    ],
)
def test_what_staff_should_look_at_becomes_one_task_and_stops_nothing(
    tell: Tell, account: SendingAccount, field: str, value: dict[str, Any]
) -> None:
    tell(field, value, at=1)
    tell(field, value, at=2)

    assert StaffTask.unscoped.get().reason == TaskReason.ACCOUNT_TROUBLE
    assert again(account).state == AccountState.ACTIVE


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("account_update", {"event": "PARTNER_ADDED"}),
        ("account_update", {"event": "VERIFIED_ACCOUNT"}),
        ("account_update", {}),
        ("account_review_update", {"decision": "APPROVED"}),
        ("business_capability_update", {"max_daily_conversation_per_phone": 2000}),
        ("user_preferences", {"user_preferences": [{"wa_id": "34999", "value": "stop"}]}),
        ("user_preferences", {"user_preferences": "x"}),
        ("user_id_update", {"user_id": {"previous": "ES.1", "current": "ES.2"}}),
        ("user_id_update", {"user_id": "x"}),
        ("message_template_status_update", {"event": "APPROVED"}),
        ("template_category_update", {"message_template_name": "x", "new_category": "MARKETING"}),
        ("message_template_quality_update", {}),
        ("message_template_components_update", {"message_template_name": 3}),
        ("group_lifecycle_update", {"groups": []}),
        ("messages", {"errors": [{"code": 131000}]}),
        ("", {}),
    ],
)
def test_other_news_are_taken_in_without_a_stir(tell: Tell, field: str, value: dict[str, Any]) -> None:
    tell(field, value)

    assert not StaffTask.unscoped.exists()
    assert WebhookItem.objects.get().handled_at is not None


def test_the_quality_of_a_number_is_kept_with_that_number(tell: Tell, account: SendingAccount) -> None:
    sibling = make_account(account.clinic, number_id="sibling", display_address="+34 910 000 000")

    tell("phone_number_quality_update", {"display_phone_number": "15550783881", "event": "THROUGHPUT_UPGRADE"})

    assert again(account).quality == "THROUGHPUT_UPGRADE"
    assert again(sibling).quality == ""
    assert sorted(outcomes()) == ["applied", "other_number"]


def test_a_template_s_news_are_given_to_who_keeps_the_templates(
    tell: Tell, account: SendingAccount, now: datetime
) -> None:
    template = MessageTemplate.objects.create(
        clinic=account.clinic, account=account, name="visit_reminder", language="es", status="PENDING", synced_at=now
    )

    tell(
        "message_template_status_update",
        {
            "event": "APPROVED",
            "message_template_id": 1,
            "message_template_name": "visit_reminder",
            "message_template_language": "es",
            "reason": "NONE",
        },
    )

    template.refresh_from_db()
    assert template.status == "APPROVED"
    assert outcomes() == ["applied"]


def test_a_person_who_changed_the_number_is_found_by_both_and_staff_are_asked(
    client: Client, account: SendingAccount, now: datetime
) -> None:
    ana = make_contact(account.clinic, now=now)
    system = {"type": "user_changed_number", "wa_id": "34600999888", "body": "Ana changed"}

    post(client, call(value_of(messages=[message("system", wamid="w1", at=now, system=system)])))
    post(
        client, call(value_of(messages=[message("text", wamid="w2", at=now, sender="34600999888", text={"body": "x"})]))
    )
    handle_stored(now=now)

    assert InboundMessage.unscoped.get().contact == ana
    ana.refresh_from_db()
    assert ana.address == "+34600111222"  # Where we write to is for a person to change.
    task = StaffTask.unscoped.get()
    assert (task.reason, task.detail) == (TaskReason.WRONG_NUMBER, "number_changed")


def test_a_number_that_changed_to_one_we_know_joins_nobody(
    client: Client, account: SendingAccount, now: datetime
) -> None:
    ana = make_contact(account.clinic, now=now)
    make_contact(account.clinic, now=now, address="+34600999888")
    system = {"type": "user_changed_number", "wa_id": "34600999888"}

    post(client, call(value_of(messages=[message("system", wamid="w1", at=now, system=system)])))
    handle_stored(now=now)

    ana.refresh_from_db()
    assert ana.whatsapp_id == ""
    assert StaffTask.unscoped.count() == 1


@pytest.mark.parametrize("as_message", [True, False])
def test_a_user_id_that_changed_is_followed(
    client: Client, account: SendingAccount, now: datetime, as_message: bool
) -> None:
    contact = make_contact(account.clinic, now=now, address="", user_id="ES.1")
    if as_message:
        system = {"type": "user_changed_user_id", "user_id": "ES.2"}
        changed = message("system", wamid="w1", at=now, sender="", from_user_id="ES.1", system=system)
        news = call(value_of(messages=[changed]))
    else:
        news = call({**value_of(), "user_id": {"previous": "ES.1", "current": "ES.2"}}, field="user_id_update")

    post(client, news)
    handle_stored(now=now)

    contact.refresh_from_db()
    assert contact.user_id == "ES.2"
    assert Contact.unscoped.count() == 1
    assert not StaffTask.unscoped.exists()
