from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from clinicbot.models import Clinic
from messaging.models import MessageTemplate, SendingAccount
from messaging.texts.definitions import list_template_texts
from messaging.usecases.template_jobs import WHATSAPP
from scheduler.models import Schedule, ScheduledJob
from tests.factories import ClinicFactory
from tests.messaging.templates import body_of, buttons_of, make_account, make_template

MOST_QUERIES = 12
PAGE = reverse("settings-templates")


def shown(chief: Client) -> str:
    response = chief.get(PAGE)
    assert response.status_code == 200
    return response.content.decode()


def test_without_a_number_it_offers_to_connect_one(chief: Client) -> None:
    assert reverse("admin:messaging_sendingaccount_add") in shown(chief)


def test_each_state_comes_with_what_it_means_and_what_to_do(chief: Client, clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic)
    make_template(account, "visit_booked", now=now)
    make_template(account, "visit_moved", now=now, status="REJECTED", rejected_reason="PROMOTIONAL")
    make_template(account, "visit_reminder", now=now, status="PENDING")
    other_buttons = [*body_of("Hola {{patient}}, le esperamos"), buttons_of("Nada", "Quizá")]
    make_template(account, "visit_restored", now=now, components=other_buttons)

    page = shown(chief)

    assert "rejected" in page and "PROMOTIONAL" in page and "send it for approval again" in page
    assert "in review" in page and "we take note by ourselves" in page
    assert "a button might mean something else" in page and "Quizá" in page  # Their words beside ours.
    assert "not asked for yet" in page


def test_present_words_go_for_approval_where_that_may_help(chief: Client, clinic: Clinic, now: datetime) -> None:
    template = make_template(make_account(clinic), "visit_moved", now=now, status="REJECTED")
    address = reverse("settings-template-submit", args=[template.pk])
    assert address in shown(chief)

    chief.post(address)

    assert ScheduledJob.objects.for_clinic(clinic).filter(kind="messaging.submit_template").count() == 1


def test_a_pause_of_ours_is_ended_here(chief: Client, clinic: Clinic, now: datetime) -> None:
    template = make_template(make_account(clinic), now=now, paused_at=now, paused_reason="by_staff")
    address = reverse("settings-template-resume", args=[template.pk])
    assert address in shown(chief)

    chief.post(address)

    template.refresh_from_db()
    assert template.paused_at is None


def test_the_list_is_looked_at_when_asked(chief: Client, clinic: Clinic) -> None:
    account = make_account(clinic)

    chief.post(reverse("settings-templates-look", args=[account.pk]))

    assert ScheduledJob.objects.for_clinic(clinic).filter(kind="messaging.sync_templates").exists()


def test_another_clinics_templates_are_not_found(chief: Client, now: datetime) -> None:
    foreign = make_template(make_account(ClinicFactory.create()), now=now, paused_at=now, paused_reason="by_staff")

    for name in ("settings-template-submit", "settings-template-resume"):
        assert chief.post(reverse(name, args=[foreign.pk])).status_code == 404
    assert chief.post(reverse("settings-templates-look", args=[foreign.account_id])).status_code == 404

    foreign.refresh_from_db()
    assert foreign.paused_at is not None
    assert not ScheduledJob.unscoped.exists()


def test_it_asks_as_much_for_one_template_as_for_all(chief: Client, clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic)
    for name in list_template_texts():
        make_template(account, name, now=now, status="REJECTED")

    with CaptureQueriesContext(connection) as queries:
        chief.get(PAGE)

    assert len(queries) <= MOST_QUERIES


def test_a_number_entered_in_the_admin_has_its_templates_asked_for(chief: Client, clinic: Clinic) -> None:
    """What nobody asks for is never approved, and then no reminder goes."""
    wish = {
        "label": "Reception",
        "external_id": "100200300400",
        "parent_id": "200300400500",
        "display_address": "+34954550120",
        "new_token": "EAAG",
    }

    assert chief.post(reverse("admin:messaging_sendingaccount_add"), wish).status_code == 302

    account = SendingAccount.objects.for_clinic(clinic).get()
    assert account.channel == WHATSAPP
    assert ScheduledJob.objects.for_clinic(clinic).filter(kind="messaging.sync_templates").count() == 1
    assert Schedule.objects.for_clinic(clinic).filter(key=f"sync_templates:{account.pk}").exists()
    assert not MessageTemplate.objects.for_clinic(clinic).exists()
