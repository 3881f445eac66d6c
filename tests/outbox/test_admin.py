from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot.models import AuditEntry, Clinic, Role
from outbox.models import DeliveryState, OutboxDelivery
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.outbox.telling import OBEY, WRITE, Behaviour, delivery, tell, tick

pytestmark = pytest.mark.django_db

DELIVERIES = "admin:outbox_outboxdelivery_changelist"
EVENTS = "admin:outbox_outboxevent_changelist"


@pytest.fixture
def failed(clinic: Clinic, now: datetime) -> OutboxDelivery:
    """A delivery that waits for its next try, and one of another clinic."""
    tell(clinic, thing=1, behaviour=Behaviour.FAILS, now=now)
    tell(ClinicFactory.create(), thing=2, behaviour=Behaviour.FAILS, now=now)
    tick(now=now)
    return delivery(OBEY, thing=1)


def client_of(role: Role, clinic: Clinic) -> Client:
    client = Client()
    client.force_login(MembershipFactory.create(clinic=clinic, role=role).user)
    return client


def superusers_client() -> Client:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True, is_staff=True))
    return client


def try_again(client: Client, *deliveries: OutboxDelivery) -> Any:
    chosen = [str(one.pk) for one in deliveries]
    return client.post(reverse(DELIVERIES), {"action": "retry_selected", "_selected_action": chosen}, follow=True)


def shown(response: Any) -> list[int]:
    return sorted(row.pk for row in response.context["cl"].result_list)


def test_a_clinic_admin_sees_the_own_clinics_deliveries_alone(clinic: Clinic, failed: OutboxDelivery) -> None:
    client = client_of(Role.CLINIC_ADMIN, clinic)
    others = delivery(OBEY, thing=2)

    assert shown(client.get(reverse(DELIVERIES))) == [delivery(WRITE, thing=1).pk, failed.pk]
    assert shown(client.get(reverse(EVENTS))) == [failed.event_id]
    assert client.get(reverse("admin:outbox_outboxdelivery_change", args=[others.pk])).status_code == 302
    assert client.get(reverse("admin:outbox_outboxevent_change", args=[others.event_id])).status_code == 302


@pytest.mark.parametrize("page", ["event", "delivery"])
def test_a_page_tells_the_story(clinic: Clinic, now: datetime, failed: OutboxDelivery, page: str) -> None:
    later = tell(clinic, thing=1, now=now)
    client = client_of(Role.CLINIC_ADMIN, clinic)
    url = {
        "event": reverse("admin:outbox_outboxevent_change", args=[failed.event_id]),
        "delivery": reverse("admin:outbox_outboxdelivery_change", args=[failed.pk]),
    }[page]

    body = client.get(url).content.decode()

    assert reverse("admin:outbox_outboxevent_change", args=[later]) in body
    assert "ToldToFailError told_to_fail" in body
    assert 'name="_save"' not in body


def test_trying_again_makes_it_due_at_once_and_says_so(clinic: Clinic, failed: OutboxDelivery) -> None:
    response = try_again(client_of(Role.CLINIC_ADMIN, clinic), failed)

    assert "1 delivery will be tried again." in response.content.decode()
    again = delivery(OBEY)
    assert (again.state, again.attempt) == (DeliveryState.PENDING, 0)
    assert AuditEntry.objects.filter(action="outbox.retry_delivery", subject_id=str(failed.pk)).count() == 1


@pytest.mark.parametrize("role", [Role.FRONT_DESK, Role.PRACTITIONER])
def test_without_the_permission_nothing_is_tried_again(clinic: Clinic, failed: OutboxDelivery, role: Role) -> None:
    assert try_again(client_of(role, clinic), failed).status_code == 403

    assert delivery(OBEY).attempt == 1


def test_another_clinics_delivery_cannot_be_tried_again(clinic: Clinic, failed: OutboxDelivery) -> None:
    try_again(client_of(Role.CLINIC_ADMIN, clinic), delivery(OBEY, thing=2))

    assert delivery(OBEY, thing=2).attempt == 1


def test_nothing_can_be_added_changed_or_deleted(failed: OutboxDelivery) -> None:
    client = superusers_client()

    for model, pk in (("outboxdelivery", failed.pk), ("outboxevent", failed.event_id)):
        assert client.get(reverse(f"admin:outbox_{model}_add")).status_code == 403
        assert client.post(reverse(f"admin:outbox_{model}_change", args=[pk]), {"handler": "x"}).status_code == 403
        assert client.post(reverse(f"admin:outbox_{model}_delete", args=[pk]), {"post": "yes"}).status_code == 403


@pytest.mark.parametrize("what", ["number", "event", "nonsense"])
def test_a_delivery_is_found_by_its_number_or_its_event(failed: OutboxDelivery, what: str) -> None:
    term = {"number": str(failed.pk), "event": str(failed.event_id), "nonsense": "Ada"}[what]

    found = shown(superusers_client().get(reverse(DELIVERIES), {"q": term}))

    assert found == {"number": [failed.pk], "event": [delivery(WRITE, thing=1).pk, failed.pk], "nonsense": []}[what]


def test_the_list_of_dead_ones_takes_the_same_queries_however_many(
    clinic: Clinic, now: datetime, failed: OutboxDelivery
) -> None:
    client = superusers_client()

    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse(DELIVERIES), {"state__exact": "pending"})
        return [query["sql"] for query in captured]

    few = queries()
    for thing in range(10, 40):
        tell(clinic, thing=thing, behaviour=Behaviour.FAILS, now=now)
    many = queries()

    assert len(many) == len(few)
    counts = [sql for sql in many if "COUNT(*)" in sql]
    assert counts
    assert all("LIMIT 10001" in sql for sql in counts)


@pytest.mark.parametrize("page", ["outboxevent", "outboxdelivery"])
def test_a_detail_page_asks_for_its_story_once(clinic: Clinic, failed: OutboxDelivery, page: str) -> None:
    """The theme asks for each read-only field five times."""
    client = client_of(Role.CLINIC_ADMIN, clinic)
    row = failed.event_id if page == "outboxevent" else failed.pk

    with CaptureQueriesContext(connection) as asked:
        assert client.get(reverse(f"admin:outbox_{page}_change", args=[row])).status_code == 200

    assert len(asked) <= 12
