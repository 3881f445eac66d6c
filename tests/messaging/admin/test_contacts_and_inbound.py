from __future__ import annotations

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from clinicbot.models import Clinic, Role
from messaging.contracts import Category, TaskReason
from messaging.models import (
    Consent,
    Contact,
    InboundMessage,
    SendingAccount,
    StaffTask,
    TaskState,
    WebhookCall,
    WebhookItem,
    WebhookProbe,
)
from messaging.queries.contacts import opted_out_categories
from messaging.usecases.contacts import mark_wrong_number
from messaging.usecases.tasks import open_task
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.messaging.meta import call, post, text, value_of
from tests.messaging.rows import handle_stored, make_account, make_contact

MODELS = ["contact", "consent", "inboundmessage", "stafftask"]

pytestmark = pytest.mark.django_db


def sign_in(clinic: Clinic, role: Role) -> Client:
    client = Client()
    member = MembershipFactory.create(clinic=clinic, role=role)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
    return client


@pytest.fixture
def desk(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.FRONT_DESK)


@pytest.fixture
def chief(clinic: Clinic) -> Client:
    return sign_in(clinic, Role.CLINIC_ADMIN)


@pytest.fixture
def operator(db: None) -> Client:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True), backend="clinicbot.auth.ClinicRoleBackend")
    return client


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


@pytest.fixture
def ana(account: SendingAccount, client: Client, now: datetime) -> Contact:
    """Who has written once."""
    contact = make_contact(account.clinic, now=now)
    post(client, call(value_of(messages=[text("secreto", wamid="w1", at=now)])))
    handle_stored(now=now)
    return contact


def list_of(name: str) -> str:
    return reverse(f"admin:messaging_{name}_changelist")


def page_of(row: Contact | InboundMessage | StaffTask | WebhookItem) -> str:
    return reverse(f"admin:messaging_{row._meta.model_name}_change", args=[row.pk])


def ask(clinic: Clinic, *, now: datetime) -> StaffTask:
    task_id = open_task(clinic.pk, reason=TaskReason.UNKNOWN_PERSON, unique_key="x", now=now)
    return StaffTask.unscoped.get(pk=task_id)


def test_lists_show_neither_numbers_nor_words(desk: Client, ana: Contact) -> None:
    for name in MODELS:
        shown = desk.get(list_of(name)).content.decode()
        assert "600111222" not in shown
        assert "600 11 12 22" not in shown
        assert "secreto" not in shown


def test_a_number_and_words_stand_on_their_own_pages(desk: Client, ana: Contact) -> None:
    assert "+34 600 11 12 22" in desk.get(page_of(ana)).content.decode()
    assert "secreto" in desk.get(page_of(InboundMessage.unscoped.get())).content.decode()


def test_a_contact_is_found_by_the_whole_number(desk: Client, ana: Contact) -> None:
    assert f"/{ana.pk}/change/" in desk.get(list_of("contact"), {"q": "+34600111222"}).content.decode()
    assert f"/{ana.pk}/change/" not in desk.get(list_of("contact"), {"q": "+34600111"}).content.decode()


def test_the_desk_notes_a_stop_and_a_yes(desk: Client, ana: Contact) -> None:
    def act(name: str) -> None:
        desk.post(list_of("contact"), {"action": name, "_selected_action": [ana.pk]})

    act("stop_selected")
    assert opted_out_categories(ana.clinic_id, contact_ids=[ana.pk])[ana.pk] == set(Category)
    assert "invitations to check-ups" in desk.get(page_of(ana)).content.decode()

    act("start_selected")
    assert opted_out_categories(ana.clinic_id, contact_ids=[ana.pk])[ana.pk] == frozenset()
    assert set(Consent.unscoped.values_list("source", "actor_kind")) == {("desk", "staff")}


def test_a_number_said_to_be_wrong_can_be_used_again(desk: Client, ana: Contact, now: datetime) -> None:
    mark_wrong_number(ana.clinic_id, contact_id=ana.pk, now=now)

    desk.post(list_of("contact"), {"action": "clear_wrong_number_of_selected", "_selected_action": [ana.pk]})

    ana.refresh_from_db()
    assert ana.wrong_number_at is None


def test_a_task_is_done_from_the_list(desk: Client, clinic: Clinic, now: datetime) -> None:
    task = ask(clinic, now=now)
    assert (
        "Somebody we do not know wrote" in desk.get(list_of("stafftask"), {"reason": "unknown_person"}).content.decode()
    )

    desk.post(list_of("stafftask"), {"action": "finish_selected", "_selected_action": [task.pk]})

    task.refresh_from_db()
    assert task.state == TaskState.DONE
    assert task.done_by is not None


def test_who_may_not_finish_tasks_or_note_consents_cannot(clinic: Clinic, ana: Contact, now: datetime) -> None:
    task = ask(clinic, now=now)
    practitioner = sign_in(clinic, Role.PRACTITIONER)

    practitioner.post(list_of("stafftask"), {"action": "finish_selected", "_selected_action": [task.pk]})
    assert practitioner.get(list_of("contact")).status_code == 403

    task.refresh_from_db()
    assert task.state == TaskState.OPEN


def test_nothing_that_machines_write_can_be_changed_by_hand(chief: Client, ana: Contact) -> None:
    for row in (ana, InboundMessage.unscoped.get()):
        assert chief.post(page_of(row), {"text": "x"}).status_code == 403
        assert chief.get(f"{list_of(row._meta.model_name or '')}add/").status_code == 403


def test_another_clinic_s_rows_are_not_there(ana: Contact, clinic: Clinic, now: datetime) -> None:
    task = ask(clinic, now=now)
    stranger = sign_in(ClinicFactory.create(), Role.CLINIC_ADMIN)

    for row in (ana, InboundMessage.unscoped.get(), task):
        assert stranger.get(page_of(row)).status_code == 302  # To the index: there is no such row.
        assert f"/{row.pk}/change/" not in stranger.get(list_of(row._meta.model_name or "")).content.decode()
    stranger.post(list_of("contact"), {"action": "stop_selected", "_selected_action": [ana.pk]})
    stranger.post(list_of("stafftask"), {"action": "finish_selected", "_selected_action": [task.pk]})

    assert not Consent.unscoped.exists()
    task.refresh_from_db()
    assert task.state == TaskState.OPEN


def test_what_providers_sent_is_a_superuser_s_and_never_shows_its_body(
    operator: Client, chief: Client, ana: Contact, now: datetime
) -> None:
    WebhookProbe.objects.create(probed_at=now, was_up=False)
    WebhookCall.objects.create(begun_at=now, status=500)

    shown = operator.get(page_of(WebhookItem.objects.get())).content.decode()
    assert "m:w1" in shown
    assert "secreto" not in shown and "600111222" not in shown
    for name in ("webhookitem", "webhookprobe", "webhookcall"):
        assert operator.get(list_of(name)).status_code == 200
        assert chief.get(list_of(name)).status_code == 403
