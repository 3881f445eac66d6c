"""A clinic in the middle of its day, with a row of every kind that the admin lists."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from uuid import uuid4

from django.test import Client

from appointments.models import Appointment, AppointmentStatus, CallAttempt, CallOutcome, Closure
from appointments.usecases.booking import cancel_appointment
from appointments.usecases.clinics import add_default_rules
from appointments.usecases.closing import ClosureWish, draft_closure
from appointments.usecases.deciding import Decided, decide
from appointments.usecases.feeds import open_feed
from clinicbot import audit
from clinicbot.actors import Actor, ActorKind
from clinicbot.models import BulkBatch
from messaging.contracts import Person, TaskReason
from messaging.models import ParkedReceipt, SavedText, TextOverride, WebhookCall, WebhookProbe
from messaging.queries.conversation_news import seen_now
from messaging.texts.definitions import list_template_texts
from messaging.usecases.conversations import assign
from messaging.usecases.switches import throw_switch
from messaging.usecases.tasks import open_task
from messaging.usecases.writing import Answer, write_answer
from retention.models import Purged, PurgeRun
from scheduler.models import Queue, ScheduleRun, TickRun
from tests.appointments.chat import hear, run
from tests.appointments.making import DESK, Practice, make_practice
from tests.clinicbot.inviting import invite_to
from tests.drive import deliver_all
from tests.factories import ClinicFactory, MembershipFactory, UserFactory
from tests.messaging.meta import call, post, text, value_of
from tests.messaging.templates import make_account, make_template
from tests.scheduler.schedules import madrid_nine

ANSWERED = "Que se mejore; le damos otra hora cuando quiera"
WRITTEN = "No puedo ir, tengo fiebre desde ayer"
OWN_WORDS = "Hola {patient}, le esperamos {when} en {where}."


def make_world(*, now: datetime) -> Practice:
    """Ana has booked twice, cancelled once, was told, and has written."""
    clinic = ClinicFactory.create(language="es")
    practice = make_practice(clinic, now=now)
    add_default_rules(clinic)
    account = make_account(clinic)
    for name in list_template_texts():
        make_template(account, name, now=now)
    visit = practice.book(now=now, note=f"Sister of {practice.ana.full_name}")
    practice.book(now=now, day=(now + timedelta(days=8)).date(), at=time(9))
    run(now=now)
    inbound = hear(clinic, now=now, text=WRITTEN)
    run(now=now)
    cancel_appointment(clinic, appointment_id=visit.pk, actor=DESK, reason="ill", now=now)
    run(now=now)
    called = text(WRITTEN, wamid="wamid.canary", at=now, sender="34612345678")
    post(Client(), call(value_of(messages=[called], number_id=account.external_id), business_id=account.parent_id))
    deliver_all(now=now)
    open_task(
        clinic.pk, reason=TaskReason.UNCLEAR_ANSWER, unique_key=f"heard:{inbound.pk}", inbound_id=inbound.pk, now=now
    )
    ParkedReceipt.objects.create(
        clinic=clinic,
        channel="whatsapp",
        account=account,
        provider_message_id="wamid.strange",
        status="delivered",
        fact={},
        parked_at=now,
    )
    TextOverride.objects.create(clinic=clinic, text_name="visit_booked", language="es", body=OWN_WORDS)
    SavedText.objects.create(
        clinic=clinic, title="Llamar", language="es", body="{{ patient }}, ¿puede llamar al {{ phone }}?"
    )
    _answer_by_hand(practice, now=now)
    _add_what_machines_keep(practice, now=now)
    return practice


def _answer_by_hand(practice: Practice, *, now: datetime) -> None:
    """A colleague has answered Ana, and has taken it over."""
    clinic = practice.clinic
    contact_id = practice.ana.reached_at.get().contact_id
    colleague = MembershipFactory.create(clinic=clinic).user
    writer = Actor(ActorKind.STAFF, colleague.pk)
    answer = Answer(
        contact_id=contact_id,
        text=ANSWERED,
        person=Person("patient", practice.ana.pk),
        token=uuid4(),
        seen=seen_now(clinic.pk, contact_id=contact_id),
    )
    write_answer(clinic, answer=answer, actor=writer, now=now)
    assign(clinic, contact_id=contact_id, to=colleague.pk, actor=writer, now=now)
    run(now=now)


def _add_what_machines_keep(practice: Practice, *, now: datetime) -> None:
    clinic = practice.clinic
    Closure.objects.create(clinic=clinic, begins_on=date(2026, 8, 1), ends_on=date(2026, 8, 2))
    schedule = madrid_nine(clinic, now=now)
    ScheduleRun.objects.create(
        clinic=clinic,
        schedule=schedule,
        local_at="2026-04-14T09:00",
        due_at=now,
        state="planned",
        job_id=1,
        planned_at=now,
    )
    TickRun.objects.create(started_at=now, finished_at=now, budget_seconds=50, counts={"sent": 2}, errors={})
    Queue.objects.get_or_create(name="appointment-reminders")
    PurgeRun.objects.create(
        what=Purged.TICKS, removed=1, older_than=now - timedelta(days=30), is_complete=True, ran_at=now
    )
    WebhookProbe.objects.create(probed_at=now, was_up=True)
    WebhookCall.objects.create(begun_at=now, status=403)
    invite_to(clinic, now=now)
    visit = Appointment.objects.for_clinic(clinic).filter(status=AppointmentStatus.BOOKED).latest("pk")
    CallAttempt.objects.create(
        clinic=clinic,
        appointment=visit,
        outcome=CallOutcome.NO_ANSWER,
        notice_version=visit.notice_version,
        by=UserFactory.create(),
        at=now,
    )
    day = visit.local_date
    wish = ClosureWish(practitioner_id=practice.practitioner.pk, begins_on=day, ends_on=day, reason="exercise")
    plan = draft_closure(clinic, wish=wish, actor=DESK, now=now)
    decide(clinic, plan_id=plan.pk, wishes={visit.pk: Decided(decision="keep", note="Brings an X-ray")})
    open_feed(clinic, practitioner_id=practice.practitioner.pk, shows_names=True, actor=DESK, now=now)
    throw_switch(clinic, reason="exercise", actor=DESK, now=now)
    BulkBatch.objects.create(
        clinic=clinic, first_clinic=clinic, act="scheduler.cancel_jobs", ids=[1], count=1, drafted_by=1, drafted_at=now
    )
    audit.record(DESK, clinic=clinic, action="changed", subject=practice.ana, now=now)
