"""News of templates, refusals, and what staff do."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from clinicbot.actors import Actor
from clinicbot.models import AuditEntry, Clinic
from messaging.errors import TemplateNotFoundError
from messaging.models import MessageTemplate, SendingAccount, StaffTask, TaskState
from messaging.texts.templates import TemplateReason, problem_of
from messaging.usecases.templates import apply_template_update, pause_after_refusal, pause_template, resume_template
from scheduler.models import ScheduledJob
from tests.factories import ClinicFactory
from tests.messaging.templates import make_account, make_template
from tests.simulator.running import WABA_ID

STATUS = "message_template_status_update"
CATEGORY = "template_category_update"


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


def news(field: str, *, now: datetime, business_account_id: str = WABA_ID, **value: Any) -> int:
    about = {"message_template_id": 77, "message_template_name": "visit_moved", "message_template_language": "es"}
    return apply_template_update(business_account_id, field=field, value={**about, **value}, now=now)


def open_details(clinic: Clinic) -> list[str]:
    return sorted(StaffTask.objects.for_clinic(clinic).filter(state=TaskState.OPEN).values_list("detail", flat=True))


def test_a_pending_template_becomes_approved_by_news(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, status="PENDING", now=now)

    changed = news(STATUS, event="APPROVED", now=now)

    template.refresh_from_db()
    assert changed == 1
    assert (template.status, template.provider_id) == ("APPROVED", "77")
    assert open_details(clinic) == []


def test_a_pause_asks_staff_to_look_and_an_unpause_ends_it(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, now=now)

    news(STATUS, event="PAUSED", other_info={"title": "FIRST_PAUSE"}, now=now)
    while_paused = open_details(clinic)
    news(STATUS, event="APPROVED", other_info={"title": "UNPAUSE"}, now=now)

    template.refresh_from_db()
    assert while_paused == ["template_paused"]
    assert open_details(clinic) == []
    assert problem_of(template) is None


def test_the_providers_approval_lifts_our_pause_but_not_that_of_staff(account: SendingAccount, now: datetime) -> None:
    ours = make_template(account, paused_at=now, paused_reason="132015", now=now)
    theirs = make_template(account, language="pt", paused_at=now, paused_reason="by_staff", now=now)

    news(STATUS, event="APPROVED", now=now)
    news(STATUS, event="APPROVED", message_template_language="pt_BR", now=now)

    ours.refresh_from_db()
    theirs.refresh_from_db()
    assert ours.paused_at is None
    assert theirs.paused_at == now


def test_a_template_that_became_marketing_is_flagged_and_still_sends(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, now=now)

    news(CATEGORY, new_category="UTILITY", correct_category="MARKETING", now=now)
    warned = open_details(clinic)
    news(CATEGORY, previous_category="UTILITY", new_category="MARKETING", now=now)

    template.refresh_from_db()
    assert warned == ["template_category_soon"]
    assert open_details(clinic) == ["template_category"]
    assert template.category == "MARKETING"
    assert problem_of(template) is None


def test_the_same_news_twice_asks_staff_once(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    make_template(account, now=now)

    for _time in range(2):
        news(STATUS, event="REJECTED", reason="PROMOTIONAL", now=now)

    assert open_details(clinic) == ["template_rejected"]


def test_every_number_of_the_business_account_hears(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    other = make_account(clinic, external_id="2")
    for one in (account, other):
        make_template(one, status="PENDING", now=now)

    assert news(STATUS, event="APPROVED", now=now) == 2


def test_news_of_a_template_we_do_not_have_lead_to_a_look(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    changed = news(STATUS, event="APPROVED", now=now)

    (job,) = ScheduledJob.objects.for_clinic(clinic)
    assert changed == 0
    assert (job.kind, job.args["account_id"]) == ("messaging.sync_templates", account.pk)


def test_many_news_within_a_minute_lead_to_one_look(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    for second in range(30):
        news(STATUS, event="APPROVED", now=now + timedelta(seconds=second))

    assert ScheduledJob.objects.for_clinic(clinic).count() == 1


@pytest.mark.parametrize("business_account_id", ["999", ""])
def test_news_of_a_stranger_change_nothing(account: SendingAccount, now: datetime, business_account_id: str) -> None:
    SendingAccount.unscoped.filter(pk=account.pk).update(parent_id="" if business_account_id == "" else WABA_ID)
    template = make_template(account, now=now)

    assert news(STATUS, event="DISABLED", business_account_id=business_account_id, now=now) == 0

    template.refresh_from_db()
    assert template.status == "APPROVED"


def test_a_refusal_pauses_the_template_alerts_and_leads_to_a_look(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    template = make_template(account, now=now)

    for _time in range(2):
        pause_after_refusal(clinic.pk, template_id=template.pk, code="132000", real=now, now=now)

    template.refresh_from_db()
    assert problem_of(template) == TemplateReason.PAUSED
    assert template.paused_reason == "132000"
    assert open_details(clinic) == ["template_paused"]
    assert ScheduledJob.objects.for_clinic(clinic).count() == 1


def test_staff_pause_and_resume_and_it_is_written_down(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)

    pause_template(clinic.pk, template_id=template.pk, actor=Actor.system(), real=now, now=now)
    template.refresh_from_db()
    paused = problem_of(template)
    resume_template(clinic.pk, template_id=template.pk, actor=Actor.system(), now=now)

    template.refresh_from_db()
    assert paused == TemplateReason.PAUSED
    assert problem_of(template) is None
    assert list(AuditEntry.objects.values_list("action", flat=True)) == [
        "messaging.pause_template",
        "messaging.resume_template",
    ]


def test_another_clinic_cannot_touch_a_template(account: SendingAccount, now: datetime) -> None:
    template = make_template(account, now=now)
    other = ClinicFactory.create()

    with pytest.raises(TemplateNotFoundError):
        pause_template(other.pk, template_id=template.pk, actor=Actor.system(), real=now, now=now)

    assert MessageTemplate.unscoped.get(pk=template.pk).paused_at is None
