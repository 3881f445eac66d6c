from __future__ import annotations

from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from appointments.models import Practitioner, ReminderRule, Service, WorkingHours
from appointments.queries.set_up import SetUp, set_up_of
from appointments.usecases.clinics import add_default_rules
from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.models import Clinic, Role
from messaging.models import AccountState, Attempt, AttemptState, SendingAccount, WebhookItem
from messaging.texts.definitions import list_template_texts
from messaging.usecases.switches import throw_switch
from tests.appointments.making import Practice
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.rows import make_contact, make_sent

MOST_QUERIES = 12
OVERVIEW, START = reverse("settings"), reverse("settings-start")


def state(clinic: Clinic) -> dict[str, bool]:
    clinic.refresh_from_db()
    return {str(step.title): step.is_done for step in set_up_of(clinic, real=clock.real()).steps}


def test_an_empty_clinic_is_told_what_comes_first(chief: Client) -> None:
    page = chief.get(START)
    set_up: SetUp = page.context["set_up"]

    assert set_up.done == 0
    assert "There is no service yet." in page.content.decode()
    assert "whoever runs the installation" in page.content.decode()
    assert "Set-up" in chief.get(OVERVIEW).content.decode()


def test_a_step_is_done_once_it_is_true_and_not_before(clinic: Clinic, practice: Practice, now: datetime) -> None:
    Clinic.objects.filter(pk=clinic.pk).update(address="", phone="954 55 01 20")
    assert not state(clinic)["The clinic's address and phone"]
    Clinic.objects.filter(pk=clinic.pk).update(address="Calle Feria 12")
    assert state(clinic)["The clinic's address and phone"]

    treats = "Somebody who treats, with working hours"
    assert state(clinic)[treats]
    WorkingHours.objects.for_clinic(clinic).delete()
    assert not state(clinic)[treats]

    assert not state(clinic)["A reminder rule"]
    add_default_rules(clinic)
    assert state(clinic)["A reminder rule"]
    ReminderRule.objects.for_clinic(clinic).update(is_active=False)
    assert not state(clinic)["A reminder rule"]

    assert not state(clinic)["Colleagues"]
    MembershipFactory.create_batch(2, clinic=clinic)
    assert state(clinic)["Colleagues"]


def test_a_practitioner_without_a_service_is_not_enough(clinic: Clinic, practice: Practice) -> None:
    Service.objects.for_clinic(clinic).update(is_active=False)

    step = next(step for step in set_up_of(clinic, real=clock.real()).steps if "treats" in str(step.title))

    assert step.missing == "Nobody who has working hours gives a service."


def test_the_number_and_what_it_brings(speaking: Practice, now: datetime) -> None:
    clinic = speaking.clinic
    assert state(clinic)["A WhatsApp number"]
    assert not state(clinic)["WhatsApp reaches us"]

    account = SendingAccount.objects.for_clinic(clinic).get()
    WebhookItem.objects.create(
        clinic=clinic, account=account, provider="whatsapp", field="messages", unique_key="m:1", received_at=now
    )
    assert state(clinic)["WhatsApp reaches us"]

    SendingAccount.objects.for_clinic(clinic).update(state=AccountState.PAUSED)
    assert not state(clinic)["A WhatsApp number"]


def test_templates_count_in_the_clinics_own_language(speaking: Practice) -> None:
    title = "Templates that WhatsApp has approved"
    Clinic.objects.filter(pk=speaking.clinic.pk).update(language="es")
    assert state(speaking.clinic)[title]

    Clinic.objects.filter(pk=speaking.clinic.pk).update(language="pt")
    assert not state(speaking.clinic)[title]


def test_a_message_on_a_phone_is_known_by_its_receipt(speaking: Practice, now: datetime) -> None:
    account = SendingAccount.objects.for_clinic(speaking.clinic).get()
    make_sent(account, contact=make_contact(speaking.clinic, now=now, address="+34600999888"), now=now)
    assert not state(speaking.clinic)["A message on your own phone"]

    Attempt.objects.for_clinic(speaking.clinic).update(state=AttemptState.DELIVERED)
    assert state(speaking.clinic)["A message on your own phone"]
    assert state(speaking.clinic)["The first reminder"]


@pytest.mark.usefixtures("default_rules")
def test_the_overview_says_it_in_sentences(speaking: Practice, chief: Client) -> None:
    page = chief.get(OVERVIEW).content.decode()

    assert "A reminder 3 days before, at 10:00, only when booked at least 4 days ahead." in page
    assert "Reminders go from 09:00 to 20:00" in page
    count = len(list_template_texts())
    assert f"{count} of {count} templates in use" in page
    for name in ("settings-reminders", "settings-texts", "settings-people", "settings-stop"):
        assert reverse(name) in page


def test_a_stop_is_seen_at_once(speaking: Practice, chief: Client, now: datetime) -> None:
    throw_switch(speaking.clinic, reason="wrong texts", actor=Actor.system(), now=now)

    page = chief.get(OVERVIEW).content.decode()

    assert "All messages of this clinic are stopped." in page and "wrong texts" in page


def test_an_empty_clinic_and_a_full_one_ask_as_little(speaking: Practice, chief: Client, clinic: Clinic) -> None:
    for number in range(5):
        Practitioner.objects.create(clinic=clinic, full_name=f"Dr {number}", initials="DR")
        ReminderRule.objects.create(clinic=clinic, days_before=number + 1)
        MembershipFactory.create(clinic=clinic)

    for address in (OVERVIEW, START):
        with CaptureQueriesContext(connection) as queries:
            assert chief.get(address).status_code == 200
        assert len(queries) <= MOST_QUERIES, (address, len(queries))


def test_nothing_of_another_clinic_counts(chief: Client, elsewhere: Practice) -> None:
    add_default_rules(elsewhere.clinic)

    assert chief.get(START).context["set_up"].done == 0


def test_who_has_chosen_no_clinic_is_asked_which(db: None) -> None:
    boss = Client()
    user = User.objects.create_superuser("boss")
    boss.force_login(user, backend="clinicbot.auth.ClinicRoleBackend")
    ClinicFactory.create()

    assert boss.get(OVERVIEW).headers["Location"].startswith(reverse("choose-clinic"))


def test_only_who_may_change_the_clinic_sees_its_settings(client: Client, clinic: Clinic, desk: Client) -> None:
    assert desk.get(OVERVIEW).status_code == 403
    assert desk.get(START).status_code == 403
    assert client.get(OVERVIEW).headers["Location"].startswith(reverse("login"))
    member = MembershipFactory.create(clinic=clinic, role=Role.PRACTITIONER)
    client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
    assert client.get(OVERVIEW).status_code == 403


def test_the_side_bar_leads_there(chief: Client, desk: Client) -> None:
    assert f'href="{OVERVIEW}"' in chief.get(reverse("admin:index")).content.decode()
    assert reverse("settings-reminders") not in desk.get(reverse("admin:index")).content.decode()
