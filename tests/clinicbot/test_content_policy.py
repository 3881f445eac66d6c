"""What a page may load, and the other headers a browser obeys."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db


def policy_of(client: Client, url: str) -> dict[str, str]:
    header = client.get(url)["Content-Security-Policy"]
    return {name: value for name, _, value in (part.strip().partition(" ") for part in header.split(";"))}


def test_a_page_loads_its_own_files_only_and_stands_in_no_frame(client: Client) -> None:
    policy = policy_of(client, "/healthz")

    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["object-src"] == "'none'"
    assert "unsafe" not in policy.get("script-src", "")


def test_the_admin_s_theme_may_evaluate_but_writes_no_scripts_into_pages(client: Client) -> None:
    client.force_login(MembershipFactory.create().user, backend="clinicbot.auth.ClinicRoleBackend")

    policy = policy_of(client, reverse("admin:index"))

    assert policy["script-src"] == "'self' 'unsafe-eval'"
    assert policy["default-src"] == "'self'"


def test_a_page_says_how_it_may_be_read_and_where_it_may_be_named(client: Client) -> None:
    headers = client.get("/healthz").headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
