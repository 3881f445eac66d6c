"""Queueing the answer to what a person tapped or wrote."""

from __future__ import annotations

from collections.abc import Sequence
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
    fact: InboundFact, *, text: str, person: Person, now: datetime, visits: Sequence[Appointment] = (), **params: Any
) -> None:
    """One answer per inbound message, to the contact that wrote. `params`: ids and times that the text needs.

    visits: what it speaks of, each as it stands now. The inbound message's id is the rule, so that two questions about one
    visit get two answers. The same button tapped again at once is answered by the answer that it got.
    """
    params |= {"text": text, "contact_id": fact.contact_id}
    inbound = Subject(INBOUND, str(fact.inbound_id))
    if visits and (said := find_equal_answer(fact, visits=visits, params=params, now=now)):
        cover(fact.clinic_id, message_id=said.message_id, subject=inbound)
        return
    patients = {_subject_of(visit): Person("patient", visit.patient_id) for visit in visits}
    message = NewMessage(
        clinic_id=fact.clinic_id,
        kind=ANSWER,
        rule=fact.inbound_id.hex,
        person=person,
        subjects=(*patients, inbound),
        persons=patients,
        params=params,
    )
    queue_messages([message], now=now)


def reply_about(fact: InboundFact, *, text: str, visits: Sequence[Appointment], now: datetime, **params: Any) -> None:
    """To the first one's patient: whoever reads there reads for all of them."""
    reply(fact, text=text, person=Person("patient", visits[0].patient_id), visits=visits, now=now, **params)


def _subject_of(visit: Appointment) -> Subject:
    return Subject(VISIT, str(visit.pk), visit.notice_version)
