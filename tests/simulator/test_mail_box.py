"""An invitation on its whole way: over SMTP into the simulator's mail box, and by its link into the clinic."""

from __future__ import annotations

import re

import pytest
import requests
from django.test import Client
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import Clinic, Membership
from clinicbot.ticks import Deadline
from messaging.usecases.rounds import send_batch
from tests.clinicbot.inviting import EMAIL, invite_to
from tests.simulator.running import running_simulator


def get(url: str) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False
        return session.get(url, timeout=10)


@pytest.mark.django_db
def test_an_invited_person_reads_the_letter_follows_its_link_and_works_at_the_clinic(
    clinic: Clinic, settings: Settings, client: Client
) -> None:
    settings.EMAIL_HOST, settings.BASE_URL = "127.0.0.1", "http://testserver"
    reading = clock.read()
    invite_to(clinic, now=reading.now)

    with running_simulator() as simulator:
        settings.EMAIL_PORT = simulator.mail_port
        send_batch(real=reading.real, now=reading.now, deadline=Deadline(30))
        box = get(f"{simulator.url}/mail/").text
        [path] = re.findall(r'href="(/mail/\d+/)"', box)
        letter = get(f"{simulator.url}{path}").text

    assert EMAIL in box
    link = re.search(r'href="http://testserver(/invitation/[^"]+)"', letter)
    assert link is not None
    password = "un-secreto-largo"
    client.post(link.group(1), {"username": EMAIL, "password1": password, "password2": password})
    assert Membership.objects.get().clinic == clinic
    assert clinic.name in client.get("/").content.decode()


def test_an_empty_mail_box_says_how_to_fill_it_and_a_wrong_number_that_there_is_none() -> None:
    with running_simulator() as simulator:
        empty, wrong = get(f"{simulator.url}/mail/"), get(f"{simulator.url}/mail/7/")

    assert "No e-mail yet" in empty.text
    assert (wrong.status_code, "No such e-mail" in wrong.text) == (404, True)
    assert "frame-ancestors 'none'" in empty.headers["Content-Security-Policy"]
