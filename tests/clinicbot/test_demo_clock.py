"""The demo's clock: who may move it, how far, and that the simulator's moves along."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import Clinic
from scheduler.models import Queue, ScheduledJob
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db

PANEL = {"Origin": "http://127.0.0.1:8001"}


@pytest.fixture(autouse=True)
def demo(settings: Settings) -> None:
    settings.DEMO = True
    settings.SIMULATOR_URL = ""


@pytest.fixture
def told(settings: Settings) -> Iterator[list[dict[str, Any]]]:
    """What a simulator on loopback was told."""
    heard: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.append({"path": self.path} | json.loads(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.02])
    thread.start()
    settings.SIMULATOR_URL = f"http://127.0.0.1:{server.server_address[1]}"
    yield heard
    server.shutdown()
    thread.join()
    server.server_close()


def ahead() -> timedelta:
    reading = clock.read()
    return reading.now - reading.real


def move(client: Client, **fields: str) -> Any:
    return client.post("/demo/clock/", fields, headers=PANEL)


def test_the_panel_moves_both_clocks_forwards(client: Client, told: list[dict[str, Any]]) -> None:
    response = move(client, by="3600")

    assert ahead() == timedelta(hours=1)
    assert response.json()["simulator"] is True
    assert told == [{"path": "/control/clock", "set": response.json()["now"]}]
    assert response["Access-Control-Allow-Origin"] == PANEL["Origin"]


def test_the_clock_moves_to_a_moment(client: Client) -> None:
    moment = clock.now() + timedelta(days=1)

    response = move(client, to=moment.isoformat())

    assert datetime.fromisoformat(response.json()["now"]) - moment < timedelta(minutes=1)


def test_the_clock_moves_to_the_next_thing_planned(client: Client, clinic: Clinic) -> None:
    planned = clock.now() + timedelta(hours=5)
    Queue.objects.get_or_create(name="q")
    ScheduledJob.objects.create(clinic=clinic, queue="q", kind="test.job", run_at=planned, created_at=clock.now())

    response = move(client, to="next")

    assert timedelta(0) <= datetime.fromisoformat(response.json()["now"]) - planned < timedelta(minutes=1)


def test_with_nothing_planned_the_clock_stands(client: Client) -> None:
    assert move(client, to="next").status_code == 200
    assert ahead() == timedelta(0)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"by": "-1"},
        {"by": "soon"},
        {"by": "nan"},
        {"by": "inf"},
        {"by": "1e300"},
        {"by": "999999999"},
        {"to": "2020-01-01T00:00:00+00:00"},
        {"to": "2040-01-01T00:00:00"},
        {"to": "yesterday"},
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_and_moves_nothing(client: Client, fields: dict[str, str]) -> None:
    response = move(client, **fields)

    assert response.status_code == 400
    assert response.json()["message"]
    assert ahead() == timedelta(0)


def test_a_simulator_that_is_off_does_not_stop_ours(client: Client, settings: Settings) -> None:
    settings.SIMULATOR_URL = "http://127.0.0.1:9"

    response = move(client, by="60")

    assert response.json()["simulator"] is False
    assert ahead() == timedelta(minutes=1)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1.evil.example", "https://127.0.0.1:1"]
)
def test_a_page_from_elsewhere_moves_nothing(origin: str) -> None:
    browser = Client(enforce_csrf_checks=True)

    response = browser.post("/demo/clock/", {"by": "60"}, headers={"Origin": origin})

    assert response.status_code == 403
    assert ahead() == timedelta(0)


def test_our_own_page_needs_a_csrf_token_and_a_login(client: Client) -> None:
    browser = Client(enforce_csrf_checks=True)
    ours = {"Origin": "http://testserver"}

    without_token = browser.post("/demo/clock/", {"by": "60"}, headers=ours)
    without_login = client.post("/demo/clock/", {"by": "60"}, headers=ours)

    assert without_token.status_code == 403
    assert without_login["Location"] == "/login/?next=/"
    assert ahead() == timedelta(0)


def test_our_own_page_goes_on_where_it_was(client: Client) -> None:
    client.force_login(MembershipFactory.create().user, backend="clinicbot.auth.ClinicRoleBackend")

    response = client.post("/demo/clock/", {"by": "60", "next": "/today/"})

    assert response["Location"] == "/today/"
    assert ahead() == timedelta(minutes=1)


def test_outside_a_demo_there_is_no_such_page(client: Client, settings: Settings) -> None:
    settings.DEMO = False

    assert move(client, by="60").status_code == 404
