"""The admin's first page: what goes out, what went wrong, queues and ticks, of the own clinic alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot import clock
from clinicbot.models import Clinic, Role
from scheduler.models import TickRun
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.scheduler.busy import make_busy

pytestmark = pytest.mark.django_db

BACKEND = "clinicbot.auth.ClinicRoleBackend"
MOST_QUERIES = 12


def member(clinic: Clinic, role: Role = Role.CLINIC_ADMIN) -> Client:
    client = Client()
    client.force_login(MembershipFactory.create(clinic=clinic, role=role).user, backend=BACKEND)
    return client


def boss() -> Client:
    client = Client()
    client.force_login(UserFactory.create(is_superuser=True), backend=BACKEND)
    return client


def panels(client: Client) -> dict[str, object]:
    shown = client.get(reverse("admin:index")).context["panels"]
    return {one.name: one.contents for one in shown}


def test_a_clinics_day_is_told_with_what_went_wrong(clinic: Clinic) -> None:
    make_busy(clinic, now=clock.now())

    page = member(clinic).get(reverse("admin:index")).text

    assert "Nobody can be reached there." in page
    assert "Reminders: given up. It stopped its process three times." in page
    assert "?state__exact=failed&amp;reason=unreachable" in page


def test_another_clinics_day_is_not_told(clinic: Clinic) -> None:
    make_busy(ClinicFactory.create(), now=clock.now())

    response = member(clinic).get(reverse("admin:index"))
    found = {one.name: one.contents for one in response.context["panels"]}

    assert response.context["troubles"] == []
    assert found["appointments.going_out_today"]["is_empty"]
    assert {(one.waiting, one.delayed, one.dead) for one in found["scheduler.queues"]["depths"]} == {(0, 0, 0)}


def test_a_superuser_sees_all_clinics_together(clinic: Clinic) -> None:
    now = clock.now()
    make_busy(clinic, now=now)
    make_busy(ClinicFactory.create(), now=now)

    found = panels(boss())

    depths = {one.name: one for one in found["scheduler.queues"]["depths"]}  # type: ignore[index]
    assert depths["appointment-reminders"].dead == 6
    answer = boss().get(reverse("admin:panel", args=["appointments.arriving"]))
    assert answer.status_code == 204  # It is one clinic's.


def test_whether_messages_arrive_is_told_in_the_words_of_the_numbers(clinic: Clinic) -> None:
    answer = member(clinic).get(reverse("admin:panel", args=["appointments.arriving"]))

    assert "No message was sent about these visits." in answer.text
    for_desk = member(clinic, Role.FRONT_DESK).get(reverse("admin:panel", args=["appointments.arriving"]))
    assert (for_desk.status_code, for_desk.content) == (204, b"")
    assert member(clinic).get(reverse("admin:panel", args=["nowhere.nothing"])).status_code == 204


def test_who_may_not_see_jobs_sees_neither_queues_nor_their_troubles(clinic: Clinic) -> None:
    make_busy(clinic, now=clock.now())

    response = member(clinic, Role.PRACTITIONER).get(reverse("admin:index"))

    assert {one.name for one in response.context["panels"]} == {"appointments.going_out_today"}
    assert {one.mark for one in response.context["troubles"]} == {"failed", "held", "unknown"}
    assert not any("given up" in one.title for one in response.context["troubles"])


@pytest.mark.parametrize("name", ["admin:index", "queues"])
@pytest.mark.parametrize("whose", ["chief", "boss"])
def test_the_pages_ask_few_questions_however_much_there_is(clinic: Clinic, name: str, whose: str) -> None:
    now = clock.now()
    make_busy(clinic, now=now)
    make_busy(ClinicFactory.create(), now=now)
    client = member(clinic) if whose == "chief" else boss()

    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(reverse(name)).status_code == 200

    assert len(asked) <= MOST_QUERIES, "\n".join(one["sql"][:160] for one in asked)


def test_a_machine_that_has_not_ticked_for_long_says_so_and_asks_no_more(clinic: Clinic) -> None:
    TickRun.objects.create(started_at=clock.real() - timedelta(hours=5), budget_seconds=50, source="cron")
    client = member(clinic)

    with CaptureQueriesContext(connection) as asked:
        page = client.get(reverse("admin:index")).text

    assert "The last tick began 5 h ago." in page
    assert "Nothing has ticked for an hour" in page
    assert len(asked) <= MOST_QUERIES


@pytest.mark.parametrize("language", ["en", "es", "pt"])
def test_an_empty_clinic_has_a_dashboard_in_each_language(clinic: Clinic, language: str) -> None:
    response = member(clinic).get(reverse("admin:index"), headers={"accept-language": language})

    assert response.status_code == 200
    assert response.context["troubles"] == []
