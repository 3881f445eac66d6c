"""What staff have written by hand, for whoever sends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from clinicbot.models import Clinic
from messaging.contracts import STILL_TRUE, Context, QueuedMessage, Standing
from messaging.models import WrittenAnswer
from messaging.reasons import Reason

BY_HAND = "written_answer"
"""The name of such a text; there is no file of it."""


def standings_of_written(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Standing]:
    """One query."""
    kept = set(_of(messages))
    return {
        message.message_id: STILL_TRUE if message.message_id in kept else Standing.skipped(Reason.TOO_LATE)
        for message in messages
    }


def words_written(messages: Sequence[QueuedMessage]) -> Mapping[UUID, Context]:
    """Two queries. In which language they are, nobody knows: the clinic's is noted."""
    written = _of(messages)
    clinics = Clinic.objects.in_bulk({message.clinic_id for message in messages})
    return {
        message.message_id: Context(
            text=BY_HAND,
            language=clinics[message.clinic_id].language,
            contact_ids=(written[message.message_id].contact_id,),
            words=written[message.message_id].text,
        )
        for message in messages
        if message.message_id in written
    }


def _of(messages: Sequence[QueuedMessage]) -> dict[UUID, WrittenAnswer]:
    pairs = {(message.clinic_id, message.message_id) for message in messages}
    written = WrittenAnswer.objects.for_pairs(pairs, by="message_id").exclude(text="")
    return {one.message_id: one for one in written}
