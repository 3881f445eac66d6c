"""What each text is called where staff choose or read about it."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

_TITLES = {
    "visit_booked": _("Visit booked"),
    "visit_booked_ask": _("Visit booked, asks for an answer"),
    "visit_reminder_ask": _("Reminder, asks for an answer"),
    "visit_reminder": _("Reminder of a confirmed visit"),
    "visits_reminder_ask": _("Reminder of several visits, asks for an answer"),
    "visits_reminder": _("Reminder of several confirmed visits"),
    "visit_moved": _("Visit moved"),
    "visit_reassigned": _("Visit with another person"),
    "visit_restored": _("Visit stands after all"),
    "visits_booked": _("Several visits booked"),
    "visits_moved": _("Several visits moved"),
    "visits_cancelled_by_clinic": _("Several visits cancelled by the clinic"),
    "visits_relocated": _("The clinic has moved"),
    "visit_cancelled_by_clinic": _("Visit cancelled by the clinic"),
    "visits_changed_by_clinic": _("Several visits changed by the clinic"),
    "visit_cancelled_by_patient": _("Visit cancelled by the patient on their page"),
    "visit_answer_waits": _("An answer waits: please write"),
    "written_answer": _("Written by staff"),
    "answer_confirmed": _("Answer: confirmed"),
    "answer_confirmed_several": _("Answer: several confirmed"),
    "answer_confirmed_some": _("Answer: some of several confirmed"),
    "answer_cancelled": _("Answer: cancelled"),
    "answer_cancelled_several": _("Answer: several cancelled"),
    "answer_cancelled_some": _("Answer: some of several cancelled"),
    "answer_choose_act": _("Answer: how the visit stands, with its buttons"),
    "answer_moved": _("Answer: moved"),
    "answer_choose_time": _("Answer: times to choose from"),
    "answer_no_times": _("Answer: no free times"),
    "answer_slot_taken": _("Answer: that time was taken"),
    "answer_state_booked": _("Answer to an old button: the visit is booked"),
    "answer_state_confirmed": _("Answer to an old button: the visit is confirmed"),
    "answer_state_cancelled": _("Answer to an old button: the visit is cancelled"),
    "answer_state_past": _("Answer to an old button: the visit is over"),
    "answer_state_several": _("Answer to an old button: how several visits stand"),
    "answer_unclear": _("Answer: passed on to a person"),
    "answer_which": _("Answer: which visit?"),
    "answer_which_change": _("Answer: which visit to change?"),
    "answer_which_cancel": _("Answer: which visit to cancel?"),
    "opted_out": _("No more messages"),
    "opted_out_recalls": _("No more invitations"),
    "opted_in": _("Messages again"),
}

TITLED = tuple(_TITLES)
"""Texts to patients, in the order in which staff look for them."""

VARIABLES = {
    "clinic": _("the clinic's name"),
    "patient": _("the patient's first name"),
    "when": _("day and hour of the visit"),
    "old_when": _("day and hour before it moved"),
    "where": _("the clinic's address"),
    "old_where": _("the address before the clinic moved"),
    "practitioner": _("who treats"),
    "phone": _("the clinic's phone"),
    "link": _("the patient's page of the visit"),
    "day": _("the day of the visits"),
    "visits": _("the visits, each with its hour and name"),
    "others": _("how the other visits stand"),
    "dates": _("the visits, each with its day and hour"),
    "count": _("how many visits"),
}


def title_of(text_name: str) -> str:
    """In the reader's language; the name itself for a text that is not ours."""
    return str(_TITLES.get(text_name, text_name))
