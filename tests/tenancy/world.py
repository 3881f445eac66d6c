"""Two clinics: ours, and a foreign one in the middle of its day, whose every word can be recognised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.test import Client

from appointments.models import (
    Appointment,
    ClosurePlan,
    Patient,
    PlanState,
    Practitioner,
    Room,
    SeriesUnit,
    Service,
    VisitDecision,
    VisitOutcome,
)
from appointments.queries.closure_plans import rows_of as rows_of_plan
from appointments.usecases.bringing.running import bring_in_some, start_import
from appointments.usecases.bringing.uploading import Upload, take_in_file
from appointments.usecases.deciding import decide_all
from appointments.usecases.importing import import_visit
from appointments.usecases.people import add_way_to_reach
from appointments.usecases.series import SeriesWish, book_series
from clinicbot.access import SESSION_KEY
from clinicbot.actors import Actor, ActorKind
from clinicbot.admin_scope import is_tenant
from clinicbot.clinic_time import at_clinic
from clinicbot.models import Clinic, Invitation, Role
from messaging.contracts import Category, Person, TaskReason
from messaging.models import (
    Attempt,
    Contact,
    InboundMessage,
    MessageState,
    SavedText,
    StaffTask,
    TextOverride,
    WrittenAnswer,
)
from messaging.models import Message as MessageRow
from messaging.usecases.tasks import finish_task, open_task
from tests.appointments.closing import closed, draft
from tests.appointments.making import DESK, Practice, make_practice
from tests.canary.world import make_world
from tests.factories import ClinicFactory, MembershipFactory
from tests.messaging.rows import make_account, make_contact

MARK = "Fremdwort"
NUMBER = "+34699123987"
MARKS = (MARK, MARK.lower(), "699123987", "699 12 39 87", "*** 3987")
HOUSES = ("clinicbot", "outbox", "scheduler", "messaging", "appointments", "retention")
WORDS: dict[type[models.Model], tuple[str, ...]] = {
    Patient: ("full_name", "search_key", "note"),
    Practitioner: ("full_name",),
    Room: ("name",),
    Service: ("name",),
    Appointment: ("note",),
    Attempt: ("text",),
    InboundMessage: ("text",),
    TextOverride: ("body",),
    SavedText: ("title", "body"),
    WrittenAnswer: ("text",),
    Invitation: ("email",),
}

Snapshot = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Tenants:
    own: Practice
    foreign: Practice

    def foreign_rows(self, model: Any) -> models.QuerySet[Any]:
        return rows_of(self.foreign.clinic, model)

    def foreign_id(self, model: Any) -> Any:
        return self.foreign_rows(model).order_by("pk").values_list("pk", flat=True).first()

    def sign_in(self, role: Role, *, pretending: bool = False) -> Client:
        """`pretending`: the session says that they work at the foreign clinic."""
        client = self.sign_in_at(self.own, role)
        if pretending:
            session = client.session
            session[SESSION_KEY] = self.foreign.clinic.pk
            session.save()
        return client

    def sign_in_at(self, practice: Practice, role: Role) -> Client:
        client = Client(raise_request_exception=False)
        member = MembershipFactory.create(clinic=practice.clinic, role=role)
        client.force_login(member.user, backend="clinicbot.auth.ClinicRoleBackend")
        return client


def make_tenants(*, now: datetime) -> Tenants:
    foreign = make_world(now=now)
    make_import(foreign.clinic, now=now)
    MembershipFactory.create(clinic=foreign.clinic, user__username=f"{MARK}-admin", role=Role.CLINIC_ADMIN)
    MessageRow.unscoped.filter(pk=MessageRow.unscoped.latest("pk").pk).update(state=MessageState.FAILED)
    _add_what_pages_act_on(foreign, now=now)
    _mark(foreign.clinic)
    own = make_practice(ClinicFactory.create(), now=now, name="Dr Own")
    make_account(own.clinic, number_id="100200300", business_id="300200100")
    own.book(now=now)
    return Tenants(own, foreign)


def _add_what_pages_act_on(practice: Practice, *, now: datetime) -> None:
    """A child with a number, somebody who may be Ana once more, a second number of hers, a visit of this hour, a task that is done,
    a stranger who wrote too long ago to be answered in one's own words."""
    clinic, service = practice.clinic, practice.service
    practice.add("Leo Ruiz", phone="612 345 698", guardian=practice.ana, now=now)
    practice.add("Anna Ruiz", now=now)
    add_way_to_reach(
        clinic, patient=practice.ana, phone="612 345 699", agreed_to=(Category.VISITS,), actor=DESK, now=now
    )
    begun = at_clinic(now - timedelta(minutes=30), clinic)
    slot = practice.slot(begun.date(), time(begun.hour, begun.minute))
    import_visit(clinic, patient=practice.ana, slot=slot, service=service, now=now, actor=DESK)
    open_task(clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key="done", now=now)
    done = StaffTask.objects.for_clinic(clinic).latest("pk")
    finish_task(clinic.pk, task_id=done.pk, actor=DESK, now=now)
    for reason in (TaskReason.OF_AGE, TaskReason.UNCLEAR_ANSWER):
        open_task(
            clinic.pk, reason=reason, unique_key=f"open:{reason}", person=Person("patient", practice.ana.pk), now=now
        )
    make_contact(clinic, now=now, address="+34699000777", last_inbound_at=now - timedelta(days=3))
    _add_closures(practice, now=now)
    slots = tuple(practice.slot((now + timedelta(days=days)).date(), time(9)) for days in (30, 37))
    wish = SeriesWish(patient=practice.ana, service=service, slots=slots, every=1, unit=SeriesUnit.WEEKS)
    book_series(clinic, wish=wish, actor=DESK, now=now)


def _add_closures(practice: Practice, *, now: datetime) -> None:
    """One that is drawn up, and hit by one visit more since; one that waits; one of which somebody has still to decide."""
    days = [(now + timedelta(days=days)).date() for days in (20, 21, 22)]
    for day in days:
        practice.book(now=now, day=day, at=time(9))
    drawn = draft(practice, now=now, day=days[0], reason=MARK, practitioner_id=practice.practitioner.pk)
    decide_all(practice.clinic, plan_id=drawn.pk, decision=VisitDecision.MOVE)
    practice.book(now=now, day=days[0], at=time(17))
    closed(practice, now=now, day=days[1], decision=VisitDecision.CANCEL, reason=MARK)
    left = closed(practice, now=now, day=days[2], decision=VisitDecision.LATER, reason=MARK)
    ClosurePlan.objects.for_clinic(practice.clinic).filter(pk=left.pk).update(state=PlanState.DONE)
    rows_of_plan(left).update(outcome=VisitOutcome.LEFT)


def make_import(clinic: Clinic, *, now: datetime) -> None:
    """A file of theirs that was brought in, but for a line that cannot be; and the same once more, looked at."""
    by = Actor(ActorKind.STAFF, MembershipFactory.create(clinic=clinic, role=Role.CLINIC_ADMIN).user.pk)
    data = f"Paciente;Teléfono;Importe\n{MARK};{NUMBER};5\n{MARK};x;5\n".encode()
    upload = Upload(what="patients", name=f"{MARK}.csv", language="en", data=data)
    over = take_in_file(clinic, upload=upload, actor=by, now=now)
    start_import(clinic, run_id=over.pk, remind_from=None, actor=by, now=now)
    while bring_in_some(clinic.pk, run_id=over.pk, now=now):
        pass
    take_in_file(clinic, upload=upload, actor=by, now=now)


def _mark(clinic: Clinic) -> None:
    Clinic.objects.filter(pk=clinic.pk).update(name=f"Clinic {MARK}", slug=MARK.lower())
    for model, columns in WORDS.items():
        change: dict[str, Any] = {column: Concat(Value(f"{MARK} "), F(column)) for column in columns}
        rows_of(clinic, model).update(**change)
    contact = Contact.objects.for_clinic(clinic).order_by("pk").first()
    assert contact is not None
    Contact.objects.for_clinic(clinic).filter(pk=contact.pk).update(address=NUMBER, typed=NUMBER)


def tenant_models() -> Iterator[Any]:
    for house in HOUSES:
        yield from (model for model in apps.get_app_config(house).get_models() if is_tenant(model))


def rows_of(clinic: Clinic, model: Any) -> models.QuerySet[Any]:
    if model is Clinic:
        return Clinic.objects.filter(pk=clinic.pk)
    rows: models.QuerySet[Any] = models.QuerySet(model).filter(clinic=clinic)
    return rows


def snapshot(clinic: Clinic) -> Snapshot:
    """Everything that the clinic has."""
    found = {model._meta.label: list(rows_of(clinic, model).order_by("pk").values()) for model in tenant_models()}
    return {**found, "clinic": [dict(row) for row in Clinic.objects.filter(pk=clinic.pk).values()]}


def changed(before: Snapshot, clinic: Clinic) -> list[str]:
    after = snapshot(clinic)
    return [label for label, rows in before.items() if rows != after[label]]


def betrays(content: str) -> str | None:
    """A word of the foreign clinic in a page of ours."""
    return next((mark for mark in MARKS if mark in content), None)
