"""Answers about several visits at once: what was done of them, how the others stand, or the question which is meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from django.utils import translation
from django.utils.translation import gettext

from appointments.chat_actions import CANCEL, CONFIRM, all_action, visit_action
from appointments.models import Appointment, AppointmentStatus
from appointments.queries.talk import AskedVisit
from appointments.saying import said_when, variables_of_several
from messaging.contracts import Choice, ChoiceSection

CONFIRMED_SEVERAL, CANCELLED_SEVERAL = "answer_confirmed_several", "answer_cancelled_several"
SOME = {CONFIRMED_SEVERAL: "answer_confirmed_some", CANCELLED_SEVERAL: "answer_cancelled_some"}
STATE_OF_SEVERAL = "answer_state_several"
OF_SEVERAL = (*SOME, STATE_OF_SEVERAL)
FOR_ALL = (CONFIRM, CANCEL)
ROWS = 10


def words_of_several(
    text: str, asked: Sequence[AskedVisit], *, done_ids: Collection[int], language: str, now: datetime
) -> tuple[str, dict[str, str]]:
    """What was true when the answer was queued is said only of those of which it is true when the answer goes.

    done_ids: those with which the answered message did something. Another may stand the same by then, but of another day.
    """
    visits = [one.visit for one in asked]
    done = [one.visit for one in asked if text in SOME and one.visit.pk in done_ids and _is_done(text, one)]
    others = [visit for visit in visits if visit not in done]
    if not done:
        return STATE_OF_SEVERAL, {
            **variables_of_several(visits, language=language),
            "visits": _stands_of(visits, language=language, now=now),
        }
    variables = dict(variables_of_several(done, language=language))
    if not others:
        return text, variables
    return SOME[text], {**variables, "others": _stands_of(others, language=language, now=now)}


def which_sections(act: str, asked: Sequence[AskedVisit], *, language: str, now: datetime) -> tuple[ChoiceSection, ...]:
    """A row for each that still stands, and one for all of them where that can be done at one stroke."""
    visits = [one.visit for one in asked if one.stands(now=now)]
    if act == CONFIRM:
        visits = [visit for visit in visits if visit.status != AppointmentStatus.CONFIRMED]
    rows = [_row(act, visit, language=language) for visit in visits[:ROWS]]
    if act in FOR_ALL and 1 < len(visits) < ROWS and len({visit.local_date for visit in visits}) == 1:
        with translation.override(language):
            rows.append(Choice(action=all_action(act), title=gettext("All of them")))
    return (ChoiceSection(title="", choices=tuple(rows)),) if rows else ()


def _is_done(text: str, one: AskedVisit) -> bool:
    if one.version != one.visit.notice_version:
        return False
    if text == CANCELLED_SEVERAL:
        return not one.visit.is_live
    return one.visit.status == AppointmentStatus.CONFIRMED


def _row(act: str, visit: Appointment, *, language: str) -> Choice:
    return Choice(
        action=visit_action(act, visit.pk),
        title=_when(visit, language=language),
        description=f"{visit.patient.first_name}, {visit.practitioner.full_name}",
    )


def _stands_of(visits: Sequence[Appointment], *, language: str, now: datetime) -> str:
    with translation.override(language):
        return "; ".join(_stand_of(visit, language=language, now=now) for visit in visits)


def _stand_of(visit: Appointment, *, language: str, now: datetime) -> str:
    """ "Leo: Wed 22 Apr, 12:00", or what became of it."""
    said = {"name": visit.patient.first_name, "when": _when(visit, language=language)}
    if not visit.is_live:
        return gettext("%(name)s: cancelled (%(when)s)") % said
    if not visit.can_change(now=now):
        return gettext("%(name)s: no longer to be changed here (%(when)s)") % said
    if visit.status == AppointmentStatus.CONFIRMED:
        return gettext("%(name)s: confirmed (%(when)s)") % said
    return gettext("%(name)s: booked (%(when)s)") % said


def _when(visit: Appointment, *, language: str) -> str:
    return said_when(visit.clinic, local_date=visit.local_date, local_time=visit.local_time, language=language)
