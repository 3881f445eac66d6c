"""The same button, tapped again at once: whether its answer has been given."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from appointments.message_names import ANSWER
from appointments.models import Appointment
from appointments.queries.answers import WITH_TIMES, text_as_it_stands
from appointments.queries.known_visits import visit_subject
from messaging.contracts import InboundFact, QueuedMessage
from messaging.queries.inbound import equal_taps
from messaging.queries.lately import find_said_lately

AT_ONCE = timedelta(minutes=1)
INBOUND = "inbound"
STATES = "answer_state_"


def find_equal_answer(
    fact: InboundFact, *, visit: Appointment, params: Mapping[str, Any], now: datetime
) -> QueuedMessage | None:
    """What answers an equal tap, waiting or sent within the last minute, if `params` would say nothing else.

    Whoever answers taps holds the person's turn, so that of two at once the second sees the first one's answer.
    """
    taps = equal_taps(fact) if fact.action else []
    if not taps:
        return None
    said = find_said_lately(
        fact.clinic_id, kind=ANSWER, subject_type=INBOUND, subject_ids=map(str, taps), since=now - AT_ONCE
    )
    return said if said and _says_the_same(said, visit=visit, params=params, now=now) else None


def _says_the_same(said: QueuedMessage, *, visit: Appointment, params: Mapping[str, Any], now: datetime) -> bool:
    """Of the visit as it stands; and what was done then is not said once more as how it is now."""
    subject = visit_subject(said)
    if subject is None or (subject.id, subject.version) != (str(visit.pk), visit.notice_version):
        return False
    if said.params == params:
        return True
    text = str(said.params["text"])
    is_of_its_state = str(params["text"]).startswith(STATES) and text not in WITH_TIMES
    return is_of_its_state and text_as_it_stands(text, visit=visit, now=now) == text
