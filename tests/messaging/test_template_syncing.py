"""Our copy of the provider's templates, against the real simulator where it is asked."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connection
from pytest_django import Settings

from clinicbot.models import Clinic
from messaging.channels.whatsapp.templates_api import ProviderTemplate
from messaging.job_args import SubmitTemplate, SyncTemplates
from messaging.jobs import ask_for_review, look_at_templates
from messaging.models import MessageTemplate, SendingAccount, StaffTask, TaskState, TextOverride
from messaging.texts.definitions import list_template_texts, wanted_templates
from messaging.texts.templates import TemplateReason, problem_of
from messaging.usecases.template_jobs import ask_for_sync, look_every_night
from messaging.usecases.template_submitting import present_definition
from messaging.usecases.template_syncing import record_listed
from scheduler.contracts import Claimed, Verdict
from scheduler.models import Schedule, ScheduledJob
from tests.factories import ClinicFactory
from tests.messaging.templates import body_of, listed, make_account, make_template
from tests.simulator.running import Simulator

DAY = timedelta(days=1)


@pytest.fixture
def account(clinic: Clinic) -> SendingAccount:
    return make_account(clinic)


def record(account: SendingAccount, theirs: Sequence[ProviderTemplate], *, now: datetime) -> int:
    return record_listed(account, theirs, now=now, real=now)


def job_of(account: SendingAccount, *, now: datetime) -> Claimed[SyncTemplates]:
    return Claimed(
        job_id=1,
        lease_no=1,
        clinic_id=account.clinic_id,
        attempt=1,
        args=SyncTemplates(account_id=account.pk),
    )


def only_template() -> MessageTemplate:
    return MessageTemplate.unscoped.get()


def open_details(clinic: Clinic) -> list[str]:
    return sorted(StaffTask.objects.for_clinic(clinic).filter(state=TaskState.OPEN).values_list("detail", flat=True))


def test_what_is_new_changed_and_gone_is_taken_in(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    record(account, [listed(status="PENDING"), listed(language="pt")], now=now)

    changed = record(account, [listed(status="APPROVED"), listed(language="en")], now=now + DAY)

    rows = MessageTemplate.objects.for_clinic(clinic).order_by("language").values_list("language", "status")
    assert changed == 3
    assert list(rows) == [("en", "APPROVED"), ("es", "APPROVED"), ("pt_BR", "DELETED")]
    assert open_details(clinic) == ["template_missing"]


def test_the_same_list_again_changes_nothing(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    record(account, [listed()], now=now)

    assert record(account, [listed()], now=now + DAY) == 0


def test_a_template_listed_twice_is_one(account: SendingAccount, now: datetime) -> None:
    record(account, [listed(status="PENDING"), listed()], now=now)

    assert only_template().status == "APPROVED"


def test_a_template_stuck_in_review_is_freed_by_the_look(account: SendingAccount, now: datetime) -> None:
    make_template(account, status="PENDING", now=now)

    record(account, [listed()], now=now + DAY)

    assert problem_of(only_template()) is None


def test_news_that_came_while_the_list_was_read_win(account: SendingAccount, now: datetime) -> None:
    make_template(account, status="APPROVED", now=now + timedelta(seconds=2))

    record(account, [listed(status="PENDING")], now=now)

    assert only_template().status == "APPROVED"


def test_a_third_variable_is_caught_before_anything_is_sent(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    make_template(account, now=now)
    edited = body_of("Aviso de {{clinic}} para {{patient}}: el {{when}}. Su código es {{code}}, guárdelo bien.")

    record(account, [listed(components=edited)], now=now + DAY)

    assert problem_of(only_template()) == TemplateReason.MISMATCH
    assert open_details(clinic) == ["template_mismatch"]


def test_a_drift_to_marketing_is_told(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    make_template(account, now=now)

    record(account, [listed(category="MARKETING")], now=now + DAY)
    told = open_details(clinic)
    record(account, [listed(category="UTILITY")], now=now + 2 * DAY)

    assert told == ["template_category"]
    assert open_details(clinic) == []


def test_a_template_that_is_not_ours_is_kept_and_troubles_nobody(
    clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    theirs = listed()
    stranger = ProviderTemplate(
        **{
            **{name: getattr(theirs, name) for name in theirs.__slots__},
            "name": "summer_offer",
            "category": "MARKETING",
        }
    )

    record(account, [stranger], now=now)

    assert only_template().name == "summer_offer"
    assert open_details(clinic) == []


@pytest.mark.parametrize(
    ("age", "status", "components", "is_lifted"),
    [
        (timedelta(minutes=5), "APPROVED", None, False),
        (timedelta(hours=2), "APPROVED", None, True),
        (timedelta(hours=2), "PAUSED", None, False),
        (timedelta(minutes=5), "APPROVED", body_of("Otra cosa, de {{clinic}} a {{patient}} como antes."), True),
    ],
)
def test_our_pause_ends_when_a_look_finds_reason_to(
    account: SendingAccount,
    now: datetime,
    age: timedelta,
    status: str,
    components: list[dict[str, object]] | None,
    is_lifted: bool,
) -> None:
    make_template(account, paused_at=now - age, paused_reason="132000", now=now - age, provider_id="visit_moved-es")
    theirs = listed(status=status) if components is None else listed(status=status, components=components)

    record(account, [theirs], now=now)

    assert (only_template().paused_at is None) == is_lifted


def test_staffs_pause_outlasts_every_look(account: SendingAccount, now: datetime) -> None:
    make_template(account, paused_at=now - DAY, paused_reason="by_staff", now=now - DAY)

    record(account, [listed()], now=now)

    assert only_template().paused_at is not None


def test_another_clinics_templates_stay_as_they_are(account: SendingAccount, now: datetime) -> None:
    other = make_account(ClinicFactory.create(), external_id="2")
    theirs = make_template(other, now=now)

    record(account, [], now=now + DAY)

    theirs.refresh_from_db()
    assert theirs.status == "APPROVED"


def test_the_first_look_asks_for_every_text_in_every_language(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    result = look_at_templates(job_of(account, now=now), now=now)

    rows = MessageTemplate.objects.for_clinic(clinic)
    assert result.verdict == Verdict.DONE
    assert result.detail == {"listed": 0, "changed": 0, "created": 3 * len(list_template_texts()), "refused": 0}
    assert rows.count() == len(wanted_templates())
    assert {row.status for row in rows} == {"PENDING"}
    assert open_details(clinic) == []


def test_the_second_look_asks_for_nothing_and_finds_them_approved(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    look_at_templates(job_of(account, now=now), now=now)
    simulator.advance(timedelta(minutes=1))

    result = look_at_templates(job_of(account, now=now), now=now + timedelta(minutes=1))

    assert result.detail["created"] == 0
    assert {problem_of(row) for row in MessageTemplate.objects.for_clinic(clinic)} == {None}


def test_a_template_taken_as_marketing_is_told_at_once(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    simulator.knobs(switches={"create_as_marketing": True})

    look_at_templates(job_of(account, now=now), now=now)

    assert set(open_details(clinic)) == {"template_category"}


def test_a_refused_template_is_told_and_asked_for_again_the_next_night(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    look_at_templates(job_of(account, now=now), now=now)
    row = MessageTemplate.objects.for_clinic(clinic).get(name="visit_moved", language="es")
    simulator.graph("DELETE", f"{account.parent_id}/message_templates", params={"name": "visit_moved"})
    simulator.advance(timedelta(minutes=1))

    result = look_at_templates(job_of(account, now=now), now=now + timedelta(minutes=1))

    row.refresh_from_db()
    assert result.detail["refused"] == 3  # A deleted name is blocked for thirty days.
    assert row.status == "NOT_CREATED"
    assert "template_not_created" in open_details(clinic)


def test_the_clinics_own_words_are_what_is_asked_for(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    words = "Desde {{ clinic }} para {{ patient }}: el {{ when }} le esperamos en {{ where }}, que es donde estamos."
    TextOverride.objects.create(clinic=clinic, text_name="visit_booked", language="es", body=words)

    look_at_templates(job_of(account, now=now), now=now)

    row = MessageTemplate.objects.for_clinic(clinic).get(name="visit_booked", language="es")
    assert row.components[0]["text"].startswith("Desde {{clinic}} para {{patient}}")
    assert present_definition(row).body == row.components[0]["text"]


def test_when_time_is_short_the_rest_is_asked_for_soon(
    simulator: Simulator, account: SendingAccount, now: datetime, settings: Settings
) -> None:
    settings.TEMPLATE_CREATING_SECONDS = -1

    result = look_at_templates(job_of(account, now=now), now=now)

    assert (result.verdict, result.reason) == (Verdict.SNOOZE, "more_to_create")


def test_an_account_nobody_listens_to_is_told_until_it_is_heard(
    simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime
) -> None:
    simulator.event("subscription", on=False)

    look_at_templates(job_of(account, now=now), now=now)
    told = open_details(clinic)
    simulator.event("subscription", on=True)
    look_at_templates(job_of(account, now=now), now=now + timedelta(minutes=1))

    assert told == ["not_subscribed"]
    assert open_details(clinic) == []


def test_a_look_without_an_answer_is_tried_again(settings: Settings, account: SendingAccount, now: datetime) -> None:
    settings.WHATSAPP_GRAPH_URL = "http://127.0.0.1:1"

    result = look_at_templates(job_of(account, now=now), now=now)

    assert (result.verdict, result.reason) == (Verdict.RETRY, "no_answer")


def test_a_dead_token_ends_the_look_with_its_code(simulator: Simulator, clinic: Clinic, now: datetime) -> None:
    stranger = make_account(clinic, access_token="revoked")

    result = look_at_templates(job_of(stranger, now=now), now=now)

    assert (result.verdict, result.reason) == (Verdict.DEAD, "refused_190")


def test_an_account_without_business_account_is_left_out(clinic: Clinic, now: datetime) -> None:
    account = make_account(clinic, parent_id="")

    assert look_at_templates(job_of(account, now=now), now=now).verdict == Verdict.SKIPPED


def test_other_words_go_to_review(simulator: Simulator, clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    look_at_templates(job_of(account, now=now), now=now)
    simulator.advance(timedelta(minutes=1))
    look_at_templates(job_of(account, now=now), now=now + timedelta(minutes=1))
    words = "Desde {{ clinic }} para {{ patient }}: el {{ when }} le esperamos en {{ where }}, que es donde estamos."
    TextOverride.objects.create(clinic=clinic, text_name="visit_booked", language="es", body=words)
    row = MessageTemplate.objects.for_clinic(clinic).get(name="visit_booked", language="es")
    args = SubmitTemplate(template_id=row.pk)
    job = Claimed(job_id=1, lease_no=1, clinic_id=clinic.pk, attempt=1, args=args)

    first = ask_for_review(job, now=now)
    again = ask_for_review(job, now=now)

    assert first.verdict == Verdict.DONE
    assert again.verdict == Verdict.DEAD  # In review it cannot be changed.
    assert open_details(clinic) == ["template_not_changed"]


def test_a_look_is_planned_once_a_night_at_the_clinics_clock(account: SendingAccount, now: datetime) -> None:
    for _time in range(2):
        look_every_night(account, now=now)

    schedule = Schedule.objects.for_clinic(account.clinic_id).get()
    assert schedule.kind == "messaging.sync_templates"
    assert schedule.cron == f"{account.pk % 60} 4 * * *"
    assert schedule.zone == "Europe/Madrid"
    assert schedule.args == {"account_id": account.pk}


def test_a_look_asked_for_while_one_runs_is_not_lost(clinic: Clinic, account: SendingAccount, now: datetime) -> None:
    ask_for_sync(account, now=now)
    ask_for_sync(account, now=now)

    ask_for_sync(account, after=timedelta(minutes=1), now=now)

    assert ScheduledJob.objects.for_clinic(clinic).count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_looks_at_once_make_one_row_each(now: datetime) -> None:
    account = make_account(ClinicFactory.create())
    theirs = [listed(name, language=language) for name, language in wanted_templates()]
    together = threading.Barrier(2)

    def look() -> int:
        try:
            together.wait(timeout=10)
            return record(account, theirs, now=now)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        changes = sorted(future.result() for future in [threads.submit(look), threads.submit(look)])

    assert changes == [0, len(theirs)]
    assert MessageTemplate.objects.for_clinic(account.clinic_id).count() == len(theirs)
