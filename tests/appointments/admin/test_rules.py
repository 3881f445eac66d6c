from __future__ import annotations

import pytest
from django.test import Client

from appointments.models import ReminderRule
from tests.appointments.admin.pages import add_to, page_of
from tests.appointments.making import Practice

THREE_DAYS = {"days_before": "3", "at_time": "10:00", "hours_before": "", "is_active": "on"}


@pytest.fixture
def rule(practice: Practice, chief: Client) -> ReminderRule:
    assert chief.post(add_to(ReminderRule), THREE_DAYS).status_code == 302
    return ReminderRule.objects.for_clinic(practice.clinic).get()


def test_a_changed_rule_is_a_new_version(rule: ReminderRule, chief: Client) -> None:
    chief.post(page_of(rule), THREE_DAYS | {"days_before": "2"})

    rule.refresh_from_db()
    assert (rule.days_before, rule.version) == (2, 2)


def test_saving_it_as_it_was_is_no_new_version(rule: ReminderRule, chief: Client) -> None:
    assert chief.post(page_of(rule), THREE_DAYS).status_code == 302

    rule.refresh_from_db()
    assert rule.version == 1


@pytest.mark.parametrize(
    "wrong",
    [{"days_before": ""}, {"hours_before": "2"}, {"days_before": "", "hours_before": "2"}, {"days_before": "-1"}],
)
def test_a_rule_that_means_nothing_is_refused_with_a_sentence(
    rule: ReminderRule, chief: Client, wrong: dict[str, str]
) -> None:
    response = chief.post(page_of(rule), THREE_DAYS | wrong)

    rule.refresh_from_db()
    assert response.status_code == 200
    assert "appointments_rule_counts" not in response.content.decode()
    assert (rule.days_before, rule.version) == (3, 1)


def test_a_rule_is_put_out_of_use_not_deleted(rule: ReminderRule, chief: Client) -> None:
    assert chief.post(page_of(rule, "delete"), {"post": "yes"}).status_code == 403

    chief.post(page_of(rule), {**THREE_DAYS, "is_active": ""})

    rule.refresh_from_db()
    assert not rule.is_active
