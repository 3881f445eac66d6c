"""Stable words as sentences for staff."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from messaging.contracts import Category, ConsentSource, TaskReason
from messaging.reasons import describe
from messaging.texts.titles import title_of

TASKS = {
    TaskReason.UNCLEAR_ANSWER: _("A message that we did not understand"),
    TaskReason.WRONG_NUMBER: _("The number may be somebody else's"),
    TaskReason.NOT_DELIVERED: _("A message did not arrive"),
    TaskReason.NOT_KNOWN_WHETHER_SENT: _("It is not known whether a message went out"),
    TaskReason.NO_REACHABLE_CONTACT: _("Somebody cannot be reached"),
    TaskReason.WANTS_NO_MESSAGES: _("Call: the patient wants no messages"),
    TaskReason.MEDIA_RECEIVED: _("Somebody sent a picture, a recording or a file"),
    TaskReason.UNKNOWN_PERSON: _("Somebody we do not know wrote"),
    TaskReason.ASKS_FOR_PERSON: _("Somebody asks for a person"),
    TaskReason.NO_FREE_SLOT: _("No time could be offered"),
    TaskReason.ACCOUNT_TROUBLE: _("WhatsApp has a problem with our number"),
    TaskReason.TEMPLATE_TROUBLE: _("A WhatsApp template needs a look"),
    TaskReason.OLD_WORD_LAST: _("An old message arrived after a newer one: check that the right time was read"),
    TaskReason.CLOCKS_CHANGED: _("The clocks changed, and a visit needs another time"),
    TaskReason.CLOSED_TIME: _("A visit stands at a closed time"),
    TaskReason.OF_AGE: _("Of age now, and reached at a guardian's number: ask for their own"),
    TaskReason.LEFT_OPEN: _("A colleague has left this open"),
    TaskReason.MACHINE_TROUBLE: _("A fault in the program: something was not done"),
}
CATEGORIES = {
    Category.VISITS: _("visits"),
    Category.PAYMENTS: _("payments"),
    Category.RECALLS: _("invitations to check-ups"),
    Category.STAFF: _("messages to staff"),
}

SOURCES = {
    ConsentSource.DESK: _("said at the clinic"),
    ConsentSource.PATIENT_PAGE: _("on the patient's page"),
    ConsentSource.KEYWORD: _("written in the chat"),
    ConsentSource.PROVIDER: _("said to WhatsApp"),
    ConsentSource.IMPORT: _("brought in from elsewhere"),
    ConsentSource.MERGE: _("said at another number of theirs"),
    ConsentSource.DEMO: _("of the demo"),
}


def title_of_task(reason: str) -> str:
    """Of a reason that this version does not know, the word itself."""
    return str(TASKS[TaskReason(reason)]) if reason in list(TaskReason) else reason


def title_of_text(text_name: str) -> str:
    """What a text is called; the name itself for one that is not ours."""
    return title_of(text_name)


def title_of_category(category: str) -> str:
    return str(CATEGORIES[Category(category)]) if category in list(Category) else category


def title_of_source(source: str) -> str:
    """Where a yes or no was heard."""
    return str(SOURCES[ConsentSource(source)]) if source in list(ConsentSource) else source


def sentence_of_reason(reason: str) -> str:
    """Why a message is where it is; empty for a word of another house, or none."""
    return describe(reason)
