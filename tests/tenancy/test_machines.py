"""What machines do with a clinic and another clinic's ids: nothing. And the database would not let them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, get_type_hints
from uuid import UUID

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection, transaction
from django.test import Client

from appointments.models import Appointment
from clinicbot.admin_scope import is_tenant
from clinicbot.errors import ClinicBotError
from clinicbot.models import Clinic
from messaging.models import Attempt, Message, SendingAccount, WebhookItem
from outbox.contracts import Event, subscriptions_of
from scheduler.contracts import Claimed, JobArgs, list_kinds
from tests.appointments.chat import run
from tests.messaging.meta import call, post, status, text, value_of
from tests.tenancy.world import Tenants, changed, snapshot, tenant_models

pytestmark = pytest.mark.django_db

REFUSALS = (ClinicBotError, ObjectDoesNotExist)  # To say that there is no such row is to leave it alone.


def filled(tenants: Tenants, cls: type[Any], *, now: datetime) -> list[dict[str, Any]]:
    """Arguments of which every id is the foreign clinic's: once for each kind of row an id could be of."""
    hints = get_type_hints(cls)
    ids = {tenants.foreign_id(model) for model in tenant_models()} - {None}
    ints, uuids = [one for one in ids if isinstance(one, int)], [one for one in ids if isinstance(one, UUID)]
    sets = []
    for number, uuid in [(number, uuids[0]) for number in ints] + [(ints[0], uuid) for uuid in uuids]:
        values: dict[type, Any] = {int: number, UUID: uuid, datetime: now, str: "", bool: True, float: 1.0}
        sets.append(
            {
                field.name: values.get(hints[field.name], (uuid,) if "UUID" in str(hints[field.name]) else None)
                for field in fields(cls)
                if field.name != "clinic_id"
            }
        )
    return sets


def subclasses(cls: type[Any]) -> list[type[Any]]:
    return [one for child in cls.__subclasses__() for one in (child, *subclasses(child))]


def test_every_job_told_of_foreign_rows_leaves_them_alone(tenants: Tenants, now: datetime) -> None:
    before, ran = snapshot(tenants.foreign.clinic), []

    for kind in list_kinds():
        if not kind.name.startswith(("appointments.", "messaging.")):
            continue  # Those that tests declare.
        for values in filled(tenants, kind.args_class, now=now):
            args: JobArgs = kind.args_class(**values)
            claimed = Claimed(job_id=1, lease_no=1, clinic_id=tenants.own.clinic.pk, attempt=1, args=args)
            with suppress(*REFUSALS), transaction.atomic():
                if kind.run_batch is not None:
                    kind.run_batch([claimed], now=now)
                elif kind.run_external is not None:
                    kind.run_external(claimed, now=now)
            ran.append(kind.name)

    assert {"appointments.send_reminder", "messaging.sync_templates", "messaging.submit_template"} <= set(ran)
    assert changed(before, tenants.foreign.clinic) == []
    assert (
        not Message.objects.for_clinic(tenants.own.clinic)
        .filter(subjects__subject_id=str(foreign_visit(tenants)))
        .exists()
    )


def foreign_visit(tenants: Tenants) -> Any:
    return tenants.foreign_id(Appointment)


def test_every_handler_told_of_foreign_rows_leaves_them_alone(tenants: Tenants, now: datetime) -> None:
    before, ran = snapshot(tenants.foreign.clinic), []

    for event_class in subclasses(Event):
        if not getattr(event_class, "name", "").startswith(("appointments.", "messaging.")):
            continue
        for subscription in subscriptions_of(event_class.name):
            for values in filled(tenants, event_class, now=now):
                event = event_class(clinic_id=tenants.own.clinic.pk, **values)
                with suppress(*REFUSALS), transaction.atomic():
                    subscription.run([event], now=now)
                ran.append(subscription.name)

    assert len(set(ran)) >= 7
    assert changed(before, tenants.foreign.clinic) == []


def test_a_call_on_our_number_touches_no_foreign_message(tenants: Tenants, now: datetime) -> None:
    run(now=now)  # What the foreign clinic has still to do itself.
    attempt = Attempt.objects.for_clinic(tenants.foreign.clinic).exclude(provider_message_id="").first()
    assert attempt is not None
    account = SendingAccount.objects.for_clinic(tenants.own.clinic).get(channel="whatsapp")
    before, wamid = snapshot(tenants.foreign.clinic), attempt.provider_message_id
    named = {"biz_opaque_callback_data": str(attempt.pk)}
    told = [
        status("read", wamid=wamid, at=now + timedelta(minutes=1), **named),
        status("failed", wamid="wamid.other", at=now, errors=[{"code": 131026}], **named),
    ]
    quoting = text("sí", wamid="wamid.quoting", at=now, context={"from": "1", "id": wamid})
    tapped = {"id": f"m:{attempt.message_id.hex}:cancel", "title": "Cancel"}
    tapping = {**text("x", wamid="wamid.tap", at=now), "type": "interactive"}
    tapping |= {"interactive": {"type": "button_reply", "button_reply": tapped}, "context": {"from": "1", "id": wamid}}

    answer = post(
        Client(),
        call(
            value_of(statuses=told, number_id=account.external_id),
            value_of(messages=[quoting, tapping], number_id=account.external_id),
            business_id=account.parent_id,
        ),
    )
    run(now=now)

    assert answer.status_code == 200
    assert WebhookItem.objects.filter(account=account).count() >= 4
    assert changed(before, tenants.foreign.clinic) == []


def test_every_key_between_rows_of_clinics_carries_the_clinic() -> None:
    """By the database's word, whatever the code does."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, confrelid::regclass::text,"
            " (SELECT array_agg(attname::text ORDER BY attname) FROM pg_attribute"
            "  WHERE attrelid = conrelid AND attnum = ANY(conkey))"
            " FROM pg_constraint WHERE contype = 'f'"
        )
        kept = {(table, target, *columns) for table, target, columns in cursor.fetchall()}

    wanted = [
        (model._meta.db_table, field.related_model._meta.db_table, *sorted(["clinic_id", field.column]))
        for model in tenant_models()
        for field in model._meta.concrete_fields
        if field.is_relation and field.related_model is not Clinic and is_tenant(field.related_model)
    ]

    assert len(wanted) > 25
    assert [key for key in wanted if key not in kept] == []
