"""Every address of the site with a clinic's ids in it, and what is asked there: generated from the resolver, so that a new page
is among them. The same requests are made by a foreign clinic, which must be refused, and by the clinic itself, which must not."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import time, timedelta
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Model
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.converters import IntConverter, UUIDConverter

from appointments.brought_files.columns import COLUMNS, PATIENTS
from appointments.models import (
    Appointment,
    AppointmentChange,
    CallAttempt,
    ClosurePlan,
    ImportRun,
    ImportState,
    Patient,
    Practitioner,
    ReminderRule,
)
from appointments.queries.offers import code_of
from clinicbot import clock
from clinicbot.models import Invitation, Membership
from messaging.models import (
    Contact,
    KillSwitch,
    Message,
    MessageTemplate,
    SendingAccount,
    StaffTask,
    TextOverride,
)
from messaging.queries.conversation_news import Seen, seen_now
from tests.appointments.making import Practice
from tests.appointments.pages import day_ahead
from tests.tenancy.world import rows_of, tenant_models

SETTINGS = "admin/settings/"
LEFT_OUT = ("admin/", "logout/", "healthz")
"""The admin has a matrix of its own, but for its pages of settings; logging out ends ours; health is nobody's."""

NUMBERS_OF: dict[str, type[Model]] = {
    "visit_id": Appointment,
    "patient_id": Patient,
    "other_id": Patient,
    "task_id": StaffTask,
    "contact_id": Contact,
    "change_id": AppointmentChange,
    "call_id": CallAttempt,
    "run_id": ImportRun,
    "practitioner_id": Practitioner,
    "stop_id": KillSwitch,
    "switch_id": KillSwitch,
    "template_id": MessageTemplate,
    "account_id": SendingAccount,
    "invitation_id": Invitation,
    "plan_id": ClosurePlan,
}
"""What a place of an address is the number of; in any other place every number of the clinic is tried."""

Wish = Mapping[str, Any]


@dataclass(frozen=True)
class Ask:
    """`query` stands in the address, `form` is posted; None: it is only looked at."""

    address: str
    query: Wish = field(default_factory=dict)
    form: Wish | None = None

    @property
    def method(self) -> str:
        return "GET" if self.form is None else "POST"

    def by(self, client: Client) -> HttpResponseBase:
        query = {name: value for name, value in self.query.items() if not isinstance(value, list | bytes)}
        if self.form is None:
            return client.get(self.address, query)
        form = {name: _as_file(value) if isinstance(value, bytes) else value for name, value in self.form.items()}
        return client.post(self.address, form, query_params=query)


def _as_file(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("stolen.csv", content)


def body_of(answer: Any) -> str:
    """Of a file too."""
    is_file = isinstance(answer, StreamingHttpResponse)
    return (b"".join(answer) if is_file else answer.content).decode()


def patterns(resolver: Any = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry, route)
        elif route.startswith(SETTINGS) or not route.startswith(LEFT_OUT):
            yield route, entry


def asks(route: str, pattern: URLPattern, *, of: Practice, by: Practice) -> Iterator[Ask]:
    """All that is asked at one route. of: whose ids are in it; by: who asks, and holds the links that were sent to their patients."""
    wishes = wishes_at(str(pattern.name), of)
    for address in addresses(route, pattern, of=of, by=by):
        yield Ask(address)
        yield Ask(address, form={})
        for wish in wishes:
            yield Ask(address, query=wish)
            yield Ask(address, form=wish)
            yield Ask(address, query=wish, form=wish)


def addresses(route: str, pattern: URLPattern, *, of: Practice, by: Practice) -> Iterator[str]:
    """The route with every id that could stand in each of its places."""
    places = pattern.pattern.converters
    choices = [_choices(name, place, route=route, of=of, by=by) for name, place in places.items()]
    for values in itertools.product(*choices):
        address = route
        for name, value in zip(places, values, strict=True):
            kind = next(part for part in address.split("<") if f":{name}>" in part or part.startswith(f"{name}>"))
            address = address.replace(f"<{kind.split('>')[0]}>", value)
        yield f"/{address}"


def _choices(name: str, place: object, *, route: str, of: Practice, by: Practice) -> list[str]:
    if isinstance(place, IntConverter):
        models = [NUMBERS_OF[name]] if name in NUMBERS_OF else list(tenant_models())
        ids = {pk for model in models for pk in rows_of(of.clinic, model).order_by("pk").values_list("pk", flat=True)}
        return [str(one) for one in sorted(one for one in ids if isinstance(one, int))]
    if isinstance(place, UUIDConverter):
        return [str(one) for one in rows_of(of.clinic, Message).values_list("pk", flat=True)]
    if name in ("text_name", "language"):
        return [*rows_of(of.clinic, TextOverride).values_list(name, flat=True)]
    if route.startswith("visit/"):
        return [*rows_of(by.clinic, Appointment).filter(patient=by.ana.pk).values_list("link_token", flat=True)]
    return ["account", "clinic"] if name == "what" else ["x"]


def wishes_at(name: str, practice: Practice) -> list[Wish]:
    """What the page of that name is asked for, all of it that practice's: the usual words, in the page's own where it has some."""
    usual = _usual(practice)
    more = _MORE.get(name)
    return [{**usual, **one} for one in more(practice)] if more else [usual]


def _ids(practice: Practice, model: type[Model]) -> list[Any]:
    return list(rows_of(practice.clinic, model).order_by("pk").values_list("pk", flat=True))


def _usual(practice: Practice) -> dict[str, Any]:
    slot = practice.slot(day_ahead(practice.clinic, 10), time(11))
    today = clock.now().date()
    visit, patient = _ids(practice, Appointment)[-1], practice.ana.pk
    return {
        "patient": patient,
        "person": patient,
        "guardian": patient,
        "practitioner": practice.practitioner.pk,
        "who": practice.practitioner.pk,
        "service": practice.service.pk,
        "room": practice.room.pk,
        "visit": visit,
        "visit_id": visit,
        "hand": visit,
        "contact": _ids(practice, Contact)[0],
        "task": _ids(practice, StaffTask)[0],
        "message": _ids(practice, Message)[0],
        "clinic": practice.clinic.pk,
        "date": slot.local_date.isoformat(),
        "day": slot.local_date.isoformat(),
        "from": today.isoformat(),
        "to": (today + timedelta(days=30)).isoformat(),
        "time": "11:00",
        "at": code_of(slot),
        "version": 1,
        "q": "Ana",
        "common": "other",
        "own": "because",
        "reason": "because",
        "note": "Stolen",
        "full_name": "Stolen",
        "name": "Stolen",
        "phone": "612 345 679",
        "language": "pt",
        "agreed": "on",
        "notify": "no",
        "token": str(uuid4()),
    }


def _forms_of_visits(practice: Practice) -> list[str]:
    visits = rows_of(practice.clinic, Appointment).order_by("pk").values_list("pk", "notice_version")
    return [f"{pk}:{version}" for pk, version in visits]


WORDS = "From {{ clinic }} for {{ patient }}: the visit is on {{ when }} at {{ where }}, and we look forward to it."
SAMPLE = {
    "sample-service": "",
    "sample-booked": "2026-04-14T09:00",
    "sample-visit": "2026-04-23T10:30",
    "sample-language": "en",
}


def _other_words(practice: Practice) -> list[dict[str, Any]]:
    return [
        {"body": WORDS, "drawn_from": body}
        for body in rows_of(practice.clinic, TextOverride).values_list("body", flat=True)
    ]


def _rules(practice: Practice) -> list[dict[str, Any]]:
    ids = _ids(practice, ReminderRule)
    return [{**SAMPLE, "rule": pk, "days_before": "3", "least_lead_hours": "0", "service": ""} for pk in ids]


def _series_ahead(practice: Practice) -> list[dict[str, Any]]:
    """One that may be booked: two times, a week apart."""
    days = [day_ahead(practice.clinic, days) for days in (50, 57)]
    codes = [code_of(practice.slot(day, time(12))) for day in days]
    asked = {"every": 1, "unit": "weeks", "times": 2, "until": ""}
    return [{"at": codes[0], **asked, **{f"visit-{number}": code for number, code in enumerate(codes, 1)}}]


def _series_later(practice: Practice) -> list[dict[str, Any]]:
    """The one that is booked, every visit a day later than it stands; from each of them on."""
    visits = list(rows_of(practice.clinic, Appointment).exclude(series=None).order_by("local_date"))
    later = {
        visit.pk: code_of(practice.slot(visit.local_date + timedelta(days=1), visit.local_time)) for visit in visits
    }
    seen = {f"version-{visit.pk}": visit.notice_version for visit in visits}
    return [{"at": code, **seen, **{f"visit-{pk}": one for pk, one in later.items()}} for code in later.values()]


def _seen(practice: Practice) -> list[Seen]:
    return [seen_now(practice.clinic.pk, contact_id=pk) for pk in _ids(practice, Contact)]


def _members(practice: Practice) -> list[int]:
    members = Membership.objects.filter(clinic=practice.clinic).order_by("pk")
    return list(members.values_list("user_id", flat=True))


_MORE: dict[str, Callable[[Practice], list[dict[str, Any]]]] = {
    "settings-text": _other_words,
    "settings-sample": lambda practice: [SAMPLE, *_rules(practice)],
    "settings-effect": _rules,
    "settings-stop": lambda practice: [{"reason": "because", "knows": "on"}],
    "book": lambda practice: [{}, {"new": "1", "q": ""}],
    "book-series": _series_ahead,
    "visit-move-following": _series_later,
    "visit-cancel-following": _series_later,
    "imports": lambda practice: [{"what": "patients", "file": b"Name;Phone\nStolen;612345677\n"}],
    "import-stop": lambda practice: [{"state": ImportState.LOOKED_AT}],
    "import-columns": lambda practice: [
        {**dict.fromkeys(COLUMNS[PATIENTS], ""), "patient": "0", "phone": "1", "all_agreed": "on"}
    ],
    "calendar-hand": lambda practice: [{"hand": pk} for pk in _ids(practice, Appointment)],
    "closure-new": lambda practice: [{"begins_on": day_ahead(practice.clinic, 30).isoformat()}],
    "closure-decide": lambda practice: [{"act": "cancel_all"}],
    "call-note": lambda practice: [{"outcome": "told"}, {"outcome": "will_come"}],
    "visit-step": lambda practice: [{"step": "here"}, {"step": "no_show"}],
    "visit-outcome": lambda practice: [{"outcome": "attended"}],
    "patient-way-end": lambda practice: [{"reason": "changed"}],
    "patient-way-whose": lambda practice: [{"role": "guardian"}, {"role": "own"}],
    "patient-agreements": lambda practice: [{"category": "recalls", "answer": "yes"}],
    "patient-guardian-choose": lambda practice: [{}, {"end": "1"}],
    "patient-merge": lambda practice: [
        {"typed": name} for name in rows_of(practice.clinic, Patient).values_list("full_name", flat=True)
    ],
    "patient-confirm": lambda practice: [{"visit": one} for one in _forms_of_visits(practice)],
    "patient-change": lambda practice: [{"visit": one} for one in _forms_of_visits(practice)],
    "patient-cancel": lambda practice: [{"visit": _forms_of_visits(practice)}],
    "inbox-answer": lambda practice: [{"text": "Stolen", "seen": str(seen)} for seen in _seen(practice)],
    "inbox-ask": lambda practice: [{"seen": str(seen)} for seen in _seen(practice)],
    "inbox-assign": lambda practice: [{"to": pk} for pk in _members(practice)],
    "inbox-done": lambda practice: [
        {"seen": str(seen), "tasks": ",".join(map(str, _ids(practice, StaffTask)))} for seen in _seen(practice)
    ],
    "inbox-seen": lambda practice: [{"until": (clock.now() - timedelta(seconds=1)).isoformat()}],
    "patient-hearing": lambda practice: [
        {"contact": pk, "category": "visits", "wants": "no"} for pk in _ids(practice, Contact)
    ],
}
"""Where the usual words do nothing even with one's own rows."""
