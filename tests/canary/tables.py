"""What the database holds after a test: the columns that are there for people, and all others, which must not speak of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db import connection, models
from encrypted_model_fields.fields import EncryptedMixin, decrypt_str

from tests.canary.sightings import Canaries

HOUSES = ("clinicbot", "outbox", "scheduler", "messaging", "appointments", "retention")
ROWS_READ = 5_000

# The columns that exist to hold what people and places are called, reached at and told.
HOMES = {
    "clinicbot_clinic": {"name", "phone", "address"},
    "clinicbot_invitation": {"email"},
    "appointments_practitioner": {"full_name", "initials", "specialty"},
    "appointments_room": {"name"},
    "appointments_service": {"name"},
    "appointments_patient": {"full_name", "search_key", "note"},
    "appointments_mergedpatient": {"full_name"},
    "appointments_appointment": {"note", "link_token"},
    "appointments_appointmentchange": {"note_before"},
    "appointments_closure": {"reason"},
    "appointments_closureplan": {"reason"},
    "appointments_closurevisit": {"note"},
    "messaging_contact": {"address", "typed", "whatsapp_id", "user_id"},
    "messaging_inboundmessage": {"text"},
    "messaging_attempt": {"text", "labels"},
    "messaging_writtenanswer": {"text"},
    "messaging_textoverride": {"body"},
    "messaging_savedtext": {"title", "body"},
    "messaging_messagetemplate": {"components"},
}
# Where this test's own canaries are.
NESTS = {
    "name": "SELECT full_name FROM appointments_patient",
    "number": "SELECT unnest(ARRAY[address, typed, whatsapp_id]) FROM messaging_contact",
    "e-mail": "SELECT address FROM messaging_contact WHERE channel = 'email'",
    "heard": "SELECT text FROM messaging_inboundmessage WHERE action = ''",
    "said": "SELECT text FROM messaging_attempt UNION ALL SELECT text FROM messaging_writtenanswer",
    "link": "SELECT link_token FROM appointments_appointment",
    "token": "SELECT access_token FROM messaging_sendingaccount UNION ALL SELECT token FROM clinicbot_invitation",
}


@cache
def _statement() -> str:
    """One round trip: it follows every test."""
    nests = [f"(SELECT '{kind}', it FROM ({sql}) AS nest(it) LIMIT {ROWS_READ})" for kind, sql in NESTS.items()]
    others = [
        f"(SELECT '{table}', concat_ws(E'\\n', {', '.join(columns)}) FROM {table} LIMIT {ROWS_READ})"
        for table, columns in watched_columns().items()
    ]
    return " UNION ALL ".join([*nests, *others])


@cache
def watched_columns() -> dict[str, list[str]]:
    """Every column of words that is nobody's home, by table."""
    models_seen: list[type[models.Model]] = [LogEntry]
    for house in HOUSES:
        models_seen += apps.get_app_config(house).get_models()
    found = {model._meta.db_table: list(_columns(model)) for model in models_seen}
    return {table: columns for table, columns in found.items() if columns}


def _columns(model: type[models.Model]) -> Iterator[str]:
    homes = HOMES.get(model._meta.db_table, set())
    for field in model._meta.concrete_fields:
        has_words = isinstance(field, models.CharField | models.TextField | models.JSONField)
        if has_words and not isinstance(field, EncryptedMixin) and field.column not in homes:
            yield f"{field.column}::text"


def read() -> tuple[Canaries, list[tuple[str, str]]]:
    """This test's canaries, and (table, words) of every other row."""
    with connection.cursor() as cursor:
        cursor.execute(_statement())
        rows: list[tuple[str, str]] = cursor.fetchall()
    nests: dict[str, list[str]] = {kind: [] for kind in NESTS}
    for at, words in rows:
        if words and at in nests:
            nests[at].append(words)
    tokens = [decrypt_str(token) for token in nests["token"]]
    canaries = Canaries(
        names=nests["name"],
        numbers=nests["number"],
        texts=[*nests["heard"], *nests["said"], *nests["e-mail"], *nests["link"], *tokens],
    )
    return canaries, [(at, words) for at, words in rows if words and at not in nests]
