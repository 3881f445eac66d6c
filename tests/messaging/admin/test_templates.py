from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from clinicbot.models import Clinic, Role
from messaging.admin.templates import MessageTemplateAdmin
from messaging.models import MessageTemplate, SendingAccount
from scheduler.models import ScheduledJob
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.templates import body_of, make_account, make_template

LIST = reverse("admin:messaging_messagetemplate_changelist")


@pytest.fixture
def as_chief(client: Client, clinic: Clinic) -> Client:
    chief = MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN)
    client.force_login(chief.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


def act(client: Client, name: str, template: MessageTemplate) -> None:
    client.post(LIST, {"action": name, "_selected_action": [template.pk]})


def state(template: MessageTemplate) -> str:
    return MessageTemplateAdmin(MessageTemplate, admin.site).state(template)


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({}, "in use"),
        ({"status": "PENDING"}, "in review"),
        ({"status": "NOT_CREATED"}, "refused when it was asked for"),
        ({"paused_reason": "by_staff", "paused_at": datetime(2026, 4, 14, tzinfo=UTC)}, "paused by staff"),
        ({"paused_reason": "132015", "paused_at": datetime(2026, 4, 14, tzinfo=UTC)}, "a message with it was refused"),
        ({"components": body_of("Nothing of ours.")}, "does not fit our text"),
    ],
)
def test_the_state_is_told_in_words(
    account: SendingAccount, now: datetime, wishes: dict[str, object], words: str
) -> None:
    template = make_template(account, now=now)
    for name, value in wishes.items():
        setattr(template, name, value)

    assert words in state(template)


def test_a_page_shows_the_words_and_whether_it_will_be_charged_as_advertising(
    as_chief: Client, account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, correct_category="MARKETING", now=now)

    shown = as_chief.get(reverse("admin:messaging_messagetemplate_change", args=[template.pk])).content.decode()

    assert "Aviso de {{clinic}} para {{patient}}" in shown
    assert "Confirmo · Cambiar · Cancelar" in shown
    assert "service message, soon advertising" in shown


def test_staff_pause_and_resume(as_chief: Client, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)

    act(as_chief, "pause_selected", template)
    template.refresh_from_db()
    paused = state(template)
    act(as_chief, "resume_selected", template)

    template.refresh_from_db()
    assert paused == "paused by staff"
    assert template.paused_at is None


def test_present_words_are_given_for_review(as_chief: Client, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)
    pending = make_template(account, language="pt", status="PENDING", now=now)

    act(as_chief, "submit_selected", template)
    act(as_chief, "submit_selected", pending)

    (job,) = ScheduledJob.objects.for_clinic(account.clinic_id)
    assert (job.kind, job.args) == ("messaging.submit_template", {"template_id": template.pk})


def test_a_look_at_the_whole_list_of_an_account(as_chief: Client, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)

    act(as_chief, "look_now", template)

    (job,) = ScheduledJob.objects.for_clinic(account.clinic_id)
    assert (job.kind, job.args["account_id"]) == ("messaging.sync_templates", account.pk)


def test_nothing_can_be_edited_or_deleted_by_hand(as_chief: Client, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)

    edited = as_chief.post(reverse("admin:messaging_messagetemplate_change", args=[template.pk]), {"status": "X"})
    deleted = as_chief.post(reverse("admin:messaging_messagetemplate_delete", args=[template.pk]), {"post": "yes"})

    assert (edited.status_code, deleted.status_code) == (403, 403)


def test_another_clinics_templates_are_neither_seen_nor_paused(as_chief: Client, now: datetime) -> None:
    template = make_template(make_account(ClinicFactory.create(), external_id="2"), now=now)

    shown = as_chief.get(LIST)
    act(as_chief, "pause_selected", template)

    template.refresh_from_db()
    assert list(shown.context["cl"].result_list) == []
    assert template.paused_at is None


def test_the_front_desk_sees_no_templates(client: Client, clinic: Clinic) -> None:
    member = MembershipFactory.create(clinic=clinic, role=Role.FRONT_DESK)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")

    assert client.get(LIST).status_code == 403
