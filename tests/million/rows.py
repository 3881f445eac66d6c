"""A million rows of each kind that the admin lists, written by SQL: most of one large clinic, the rest of twenty small ones."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection

from clinicbot.models import Clinic
from messaging.models import Contact, SendingAccount
from tests.factories import ClinicFactory, ContactFactory, SendingAccountFactory

SMALL_CLINICS = 20

# Four of five rows are the large clinic's. Times lie in the last sixty days, the newest row last.
_COMMON = """
    FROM generate_series(1, %(rows)s) AS g,
    LATERAL (SELECT CASE WHEN g %% 5 > 0 THEN %(large)s ELSE %(first)s + (g / 5) %% %(small)s END AS clinic_id,
                    %(now)s::timestamptz - (%(rows)s - g) * (interval '60 days' / %(rows)s) AS at) AS of
"""
_ID = "uuidv7(of.at - clock_timestamp())"
_FILL = {
    "outbox_outboxevent": f"""
        INSERT INTO outbox_outboxevent
            (id, clinic_id, aggregate_type, aggregate_id, aggregate_version, type, payload, occurred_at)
        SELECT {_ID}, of.clinic_id, 'visit', (g / 3)::text, 1, 'appointments.booked', '{{"appointment_id": 1}}', of.at
    """,
    "outbox_outboxdelivery": """
        INSERT INTO outbox_outboxdelivery
            (event_id, clinic_id, handler, state, attempt, reported, next_try_at, last_error, finished_at)
        SELECT id, clinic_id, 'appointments.plan_reminders',
               CASE WHEN n % 200 = 0 THEN 'dead' WHEN n % 301 = 0 THEN 'pending' ELSE 'delivered' END,
               1, 1, occurred_at, CASE WHEN n % 200 = 0 THEN 'ValueError' ELSE '' END,
               CASE WHEN n % 200 = 0 OR n % 301 > 0 THEN occurred_at END
        FROM (SELECT id, clinic_id, occurred_at, row_number() OVER (ORDER BY id) AS n FROM outbox_outboxevent) event
    """,
    "scheduler_scheduledjob": """
        INSERT INTO scheduler_scheduledjob
            (clinic_id, queue, kind, args, run_at, priority, state, attempt, crash_count, runs_alone, claimed_alone,
             claim_id, leased_until, lease_no, unique_key, reason, last_error, result, finished_at, created_at)
        SELECT of.clinic_id,
               (ARRAY['appointment-reminders', 'daily-agenda', 'dental-messages', 'maintenance'])[1 + g %% 4],
               (ARRAY['appointments.send_reminder', 'messaging.sync_templates'])[1 + (g %% 50 = 0)::int],
               '{"appointment_id": 1}', of.at + CASE WHEN s.state = 'queued' AND g %% 2 = 0 THEN interval '90 days'
                                                     ELSE interval '0' END,
               5, s.state, (g %% 97 = 0)::int, 0, false, false,
               CASE WHEN s.state = 'running' THEN gen_random_uuid() END, CASE WHEN s.state = 'running' THEN of.at END,
               0, 'key:' || g, CASE WHEN s.state = 'dead' THEN 'crashed' ELSE '' END, '', '{}',
               CASE WHEN s.state NOT IN ('queued', 'running') THEN of.at END, of.at
    """,
    "messaging_message": f"""
        INSERT INTO messaging_message
            (id, clinic_id, kind, category, urgency, rule, person_kind, person_id, generation, params, state, reason,
             text_name, due_at, expires_at, must_use_template, tries, lease_no, runs_alone, lapses, was_sent_once_more,
             superseded, asked_again_reason, answered_with, created_at, settled_at)
        SELECT {_ID}, of.clinic_id, (ARRAY['visits_reminder', 'visit_booked', 'opted_out'])[1 + (g %% 4 = 0)::int
               + (g %% 5000 = 0)::int], 'visits', 5, '', 'patient', g / 7, 1, '{{}}', s.state,
               CASE WHEN s.state = 'failed' THEN 'unreachable' ELSE '' END, 'visit_reminder', of.at,
               of.at + interval '1 day', false, 0, 0, false, 0, false, false, '', '', of.at, of.at
    """,
    "messaging_messagesubject": """
        INSERT INTO messaging_messagesubject
            (message_id, clinic_id, kind, rule, subject_type, subject_id, subject_version, person_kind, person_id,
             generation, is_left_out)
        SELECT id, clinic_id, kind, '', 'visit', id::text, 1, person_kind, person_id, 1, false FROM messaging_message
    """,
    "messaging_attempt": """
        INSERT INTO messaging_attempt
            (id, message_id, clinic_id, number, account_id, contact_id, channel, mode, language, instead_of, text_name,
             text, labels, state, provider_message_id, started_at, said_at, failure_verdict, failure_code,
             failure_detail, has_receipt, possibly_twice, price_category)
        SELECT uuidv7(created_at - clock_timestamp()), id, clinic_id, 1, %(account)s, %(contact)s, 'whatsapp',
               CASE WHEN person_id %% 3 = 0 THEN 'free' ELSE 'template' END, 'es', '', 'visit_reminder', 'Hola', '[]',
               CASE WHEN state IN ('delivered', 'failed', 'sent', 'unknown') THEN state ELSE 'accepted' END,
               'wamid.' || id, created_at, created_at, '', CASE WHEN state = 'failed' THEN '131026' ELSE '' END, '',
               state = 'delivered', person_id %% 9000 = 0, ''
        FROM messaging_message
    """,
    "messaging_inboundmessage": f"""
        INSERT INTO messaging_inboundmessage
            (id, clinic_id, account_id, contact_id, channel, provider_message_id, type, text, action, state, outcome,
             sent_at, received_at)
        SELECT {_ID}, of.clinic_id, %(account)s, %(contact)s, 'whatsapp', 'wamid.in.' || g, 'text', 'Hola', '',
               CASE WHEN g %% 500 = 0 THEN 'task' WHEN g %% 11 = 0 THEN 'noted' ELSE 'answered' END, 'confirmed',
               of.at, of.at
    """,
    "clinicbot_auditentry": """
        INSERT INTO clinicbot_auditentry
            (clinic_id, actor_kind, actor_id, action, subject_type, subject_id, detail, reason, happened_at)
        SELECT of.clinic_id, 'staff', 1 + g %% 40,
               (ARRAY['changed', 'added', 'scheduler.retry_jobs'])[1 + (g %% 9 = 0)::int + (g %% 900 = 0)::int],
               'appointments.appointment', (g / 4)::text, '{"message": []}', '', of.at
    """,
}
_OF_OTHER_ROWS = ("outbox_outboxdelivery", "messaging_messagesubject", "messaging_attempt")
_JOB_STATE = """, LATERAL (SELECT CASE WHEN g %% 100 = 1 THEN 'dead' WHEN g %% 25 = 2 THEN 'queued'
    WHEN g %% 50000 = 3 THEN 'running' WHEN g %% 33 = 4 THEN 'skipped' WHEN g %% 101 = 5 THEN 'cancelled'
    ELSE 'done' END AS state) AS s"""
_MESSAGE_STATE = """, LATERAL (SELECT CASE WHEN g %% 50 = 1 THEN 'failed' WHEN g %% 1000 = 2 THEN 'held'
    WHEN g %% 30 = 3 THEN 'skipped' WHEN g %% 5000 = 4 THEN 'unknown' WHEN g %% 20 = 5 THEN 'sent'
    WHEN g %% 2000 = 6 THEN 'queued' ELSE 'delivered' END AS state) AS s"""
_STATES = {"scheduler_scheduledjob": _JOB_STATE, "messaging_message": _MESSAGE_STATE}
TABLES = tuple(_FILL)
_INDEXES = """
    SELECT indexname, indexdef FROM pg_indexes
    WHERE tablename = ANY(%s)
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = quote_ident(indexname)::regclass)
"""


def make_clinics() -> tuple[Clinic, Clinic]:
    """The large one, and one of the small ones, whose rows are one of a hundred."""
    large = ClinicFactory.create(name="Large")
    small = [ClinicFactory.create() for _ in range(SMALL_CLINICS)]
    return large, small[0]


def fill(large: Clinic, first_small: Clinic, *, rows: int, now: datetime) -> None:
    contact: Contact = ContactFactory.create(clinic=large)
    account: SendingAccount = SendingAccountFactory.create(clinic=large)
    values: dict[str, Any] = {
        "rows": rows,
        "large": large.pk,
        "first": first_small.pk,
        "small": SMALL_CLINICS,
        "now": now,
        "account": account.pk,
        "contact": contact.pk,
    }
    with connection.cursor() as cursor:
        # Keys are right by making; checking them one by one would take most of the time.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute("SET synchronous_commit = off")
        indexes = _drop_indexes(cursor)
        for table, statement in _FILL.items():
            rest = "" if table in _OF_OTHER_ROWS else _COMMON + _STATES.get(table, "")
            cursor.execute(statement + rest, values if "%(" in statement + rest else None)
        for definition in indexes:
            cursor.execute(definition)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute(f"VACUUM (ANALYZE) {', '.join(_FILL)}")


def _drop_indexes(cursor: Any) -> list[str]:
    """All but those of constraints; to be made again at once, which takes a third of the time. Answers how."""
    cursor.execute(_INDEXES, [list(TABLES)])
    found = cursor.fetchall()
    for name, _definition in found:
        cursor.execute(f'DROP INDEX "{name}"')
    return [definition for _name, definition in found]
