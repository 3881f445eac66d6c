"""Queueing the answer to what a person tapped or wrote."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from appointments.events import VISIT
from appointments.message_names import ANSWER
from appointments.models import Appointment
from appointments.queries.equal_answers import INBOUND, find_equal_answer
from messaging.contracts import InboundFact, Person, Subject
from messaging.usecases.covering import cover
from messaging.usecases.sending import NewMessage, queue_messages


def reply(
    fact: InboundFact, *, text: str, person: Person, now: datetime, visit: Appointment | None = None, **params: Any
) -> None:
    """One answer per inbound message, to the contact that wrote. `params`: ids and times that the text needs.

    The inbound message's id is the rule, so that two questions about one visit get two answers. The same button tapped
    again at once is answered by the answer that it got.
    """
    params |= {"text": text, "contact_id": fact.contact_id}
    subjects = [Subject(INBOUND, str(fact.inbound_id))]
    if visit is not None and (said := find_equal_answer(fact, visit=visit, params=params, now=now)):
        cover(fact.clinic_id, message_id=said.message_id, subject=subjects[0])
        return
    if visit is not None:
        subjects.insert(0, Subject(VISIT, str(visit.pk), visit.notice_version))
    message = NewMessage(
        clinic_id=fact.clinic_id,
        kind=ANSWER,
        rule=fact.inbound_id.hex,
        person=person,
        subjects=tuple(subjects),
        params=params,
    )
    queue_messages([message], now=now)
