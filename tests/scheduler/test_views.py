"""POST /tick/: for whoever knows the secret, and nobody else."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.db import connection
from django.test import Client
from django.urls import resolve
from pytest_django import DjangoAssertNumQueries, Settings
from pytest_django.live_server_helper import LiveServer

from clinicbot import clock
from clinicbot.models import Clinic
from scheduler.models import JobState, TickRun
from tests.scheduler.bench import at_once, queue_deeds, states
from tests.scheduler.deeds import Call, deeds_done

NEWEST = {"Authorization": "Bearer tick-new"}


def post(client: Client, path: str = "/tick/", **headers: str) -> Any:
    return client.post(path, headers=headers)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("secret", ["tick-new", "tick-old"])
def test_either_secret_starts_a_tick(client: Client, clinic: Clinic, secret: str) -> None:
    queued = queue_deeds(clinic, "write", now=clock.now())

    response = post(client, Authorization=f"Bearer {secret}")

    assert (response.status_code, response.json()["counts"]["jobs_done"]) == (200, 1)
    assert states(queued) == [JobState.DONE]
    assert TickRun.objects.get().source == "http"


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Bearer wrong", "Bearer tick-new,tick-old", "Basic tick-new", "tick-new", "Bearer ñandú"],
)
@pytest.mark.django_db
def test_a_wrong_secret_reaches_no_table(
    client: Client, header: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        response = post(client, Authorization=header)

    assert (response.status_code, response.json()) == (401, {"error": "wrong_tick_secret"})


@pytest.mark.django_db
def test_without_a_secret_in_the_settings_nobody_may(client: Client, settings: Settings) -> None:
    settings.TICK_SECRET = [""]

    assert post(client, Authorization="Bearer ").status_code == 401
    assert not TickRun.objects.exists()


@pytest.mark.parametrize("method", ["get", "head", "put", "delete", "options"])
@pytest.mark.django_db
def test_only_post_does_anything(client: Client, method: str) -> None:
    response = getattr(client, method)("/tick/", headers=NEWEST)

    assert response.status_code == 405
    assert not TickRun.objects.exists()


@pytest.mark.django_db
def test_no_form_token_and_no_session_are_needed() -> None:
    strict = Client(enforce_csrf_checks=True)

    response = post(strict, **NEWEST)

    assert response.status_code == 200
    assert not response.cookies


@pytest.mark.parametrize(("asked", "given"), [("", 20), ("?budget=5", 5), ("?budget=3600", 20)])
@pytest.mark.django_db
def test_the_budget_is_capped(client: Client, asked: str, given: float) -> None:
    post(client, f"/tick/{asked}", **NEWEST)

    assert TickRun.objects.get().budget_seconds == given


@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf", "soon"])
@pytest.mark.django_db
def test_a_bad_budget_is_refused_in_words(client: Client, budget: str) -> None:
    response = post(client, f"/tick/?budget={budget}", **NEWEST)

    assert (response.status_code, response.json()["error"]) == (400, "bad_budget")
    assert not TickRun.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_around_the_view_whatever_the_project_sets(client: Client, clinic: Clinic) -> None:
    queued = queue_deeds(clinic, Call(), now=clock.now())
    connection.settings_dict["ATOMIC_REQUESTS"] = True
    try:
        response = post(client, **NEWEST)
    finally:
        connection.settings_dict["ATOMIC_REQUESTS"] = False

    assert response.status_code == 200
    assert states(queued) == [JobState.DONE]
    assert "default" in resolve("/tick/").func._non_atomic_requests  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_harmless(live_server: LiveServer, clinic: Clinic) -> None:
    queued = queue_deeds(clinic, *["write"] * 50, now=clock.now())

    def post_to_server() -> dict[str, Any]:
        request = Request(f"{live_server.url}/tick/", method="POST", headers=NEWEST, data=b"")  # noqa: S310
        with urlopen(request, timeout=60) as response:  # noqa: S310
            answer: dict[str, Any] = json.load(response)
            return answer

    answers = at_once(2, post_to_server)

    assert sum(answer["counts"].get("jobs_done", 0) for answer in answers) == 50
    assert states(queued) == [JobState.DONE] * 50
    assert len(deeds_done()) == 50
