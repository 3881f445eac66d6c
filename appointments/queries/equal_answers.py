"""The same button, tapped again at once: whether its answer has been given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from appointments.events import VISIT
from appointments.message_names import ANSWER
from appointments.models import Appointment
from appointments.queries.answers import WITH_TIMES, text_as_it_stands
from appointments.queries.answers_of_several import OF_SEVERAL, STATE_OF_SEVERAL
from messaging.contracts import InboundFact, QueuedMessage
from messaging.queries.inbound import equal_taps
from messaging.queries.lately import find_said_lately

AT_ONCE = timedelta(minutes=1)
INBOUND = "inbound"
STATES = "answer_state_"


def find_equal_answer(
    fact: InboundFact, *, visits: Sequence[Appointment], params: Mapping[str, Any], now: datetime
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
    return said if said and _says_the_same(said, visits=visits, params=params, now=now) else None


def _says_the_same(
    said: QueuedMessage, *, visits: Sequence[Appointment], params: Mapping[str, Any], now: datetime
) -> bool:
    """Of the visits as they stand; and what was done then is not said once more as how it is now."""
    spoken_of = {(one.id, one.version) for one in said.subjects if one.type == VISIT}
    if spoken_of != {(str(visit.pk), visit.notice_version) for visit in visits}:
        return False
    if said.params == params:
        return True
    text, wanted = str(said.params["text"]), str(params["text"])
    if len(visits) > 1:
        return wanted == STATE_OF_SEVERAL and text in OF_SEVERAL
    is_of_its_state = wanted.startswith(STATES) and text not in WITH_TIMES
    return is_of_its_state and text_as_it_stands(text, visit=visits[0], now=now) == text
