"""How a WhatsApp template stands, in words: the state, what it means for patients, and what to do now."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from messaging.models import MessageTemplate
from messaging.texts.definitions import list_template_texts
from messaging.texts.templates import TemplateReason, problem_of

BY_STAFF = "by_staff"
NOT_CREATED = "NOT_CREATED"  # Our own word among Meta's: it would not take the template.


class Tone(StrEnum):
    """Whether somebody must act."""

    WELL = "ok"
    LOOK = "look"
    WRONG = "wrong"
    QUIET = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateWords:
    """short: what fits a cell of a table."""

    state: Promise | str
    short: Promise | str
    tone: Tone
    meaning: Promise | str = ""
    what_now: Promise | str = ""


FOREIGN = TemplateWords(state=_("not one of ours, so it is not used"), short=_("not ours"), tone=Tone.QUIET)
REFUSED = TemplateWords(
    state=_("refused when it was asked for"),
    short=_("refused"),
    tone=Tone.WRONG,
    meaning=_("WhatsApp did not take these words, so outside the 24 hours this message cannot go."),
    what_now=_("Change the words of the text. The next look asks for the template again."),
)
PAUSED_BY_STAFF = TemplateWords(
    state=_("paused by staff"),
    short=_("paused by staff"),
    tone=Tone.LOOK,
    meaning=_("Somebody here paused it. Messages that need it wait, and none is lost."),
    what_now=_("Resume it when it may go on."),
)
PAUSED_BY_US = TemplateWords(
    state=_("paused here, because a message with it was refused"),
    short=_("paused here"),
    tone=Tone.LOOK,
    meaning=_("Messages that need it wait. A look at WhatsApp's list ends the pause if the template is in use there."),
    what_now=_("Look at WhatsApp's list now."),
)
WAITS = _("Outside the 24 hours after a patient wrote, this message waits. Answers to patients go all the same.")

BY_PROBLEM = {
    None: TemplateWords(state=_("in use"), short=_("in use"), tone=Tone.WELL),
    TemplateReason.MISSING: TemplateWords(
        state=_("gone from WhatsApp"),
        short=_("gone"),
        tone=Tone.WRONG,
        meaning=WAITS,
        what_now=_("The next look at WhatsApp's list asks for it again; that can be done now."),
    ),
    TemplateReason.PENDING: TemplateWords(
        state=_("in review"),
        short=_("in review"),
        tone=Tone.LOOK,
        meaning=WAITS,
        what_now=_("Nothing to do: WhatsApp mostly answers within a day, and we take note by ourselves."),
    ),
    TemplateReason.REJECTED: TemplateWords(
        state=_("rejected"),
        short=_("rejected"),
        tone=Tone.WRONG,
        meaning=WAITS,
        what_now=_("Change the words of the text, without anything that advertises, and send it for approval again."),
    ),
    TemplateReason.PAUSED: TemplateWords(
        state=_("paused"),
        short=_("paused"),
        tone=Tone.WRONG,
        meaning=_("WhatsApp paused it, mostly because patients blocked or reported it. Messages that need it wait."),
        what_now=_("WhatsApp lets it go on by itself. Say less in it, or send it less often."),
    ),
    TemplateReason.DISABLED: TemplateWords(
        state=_("switched off for good"),
        short=_("off for good"),
        tone=Tone.WRONG,
        meaning=_("After several pauses WhatsApp does not take this template any more."),
        what_now=_("Tell whoever runs the installation: the text needs another template."),
    ),
    TemplateReason.MISMATCH: TemplateWords(
        state=_("does not fit our text, so it is not used"),
        short=_("does not fit"),
        tone=Tone.WRONG,
        meaning=_(
            "WhatsApp has other variables or buttons than our text. Sent like that, a button might mean something else, "
            "so the message waits instead."
        ),
        what_now=_("Send our words for approval. Until WhatsApp has approved them, this message waits."),
    ),
    TemplateReason.UNUSABLE: TemplateWords(
        state=_("cannot be used"),
        short=_("cannot be used"),
        tone=Tone.WRONG,
        meaning=WAITS,
        what_now=_("Look at WhatsApp's list now; if it stays so, tell whoever runs the installation."),
    ),
}
NEVER_ASKED = TemplateWords(
    state=_("not asked for yet"),
    short=_("not asked for"),
    tone=Tone.LOOK,
    meaning=WAITS,
    what_now=_("Look at WhatsApp's list now: what is missing is asked for."),
)

CATEGORIES = {
    "UTILITY": _("service message"),
    "MARKETING": _("advertising"),
    "AUTHENTICATION": _("login code"),
}


def words_of(template: MessageTemplate | None) -> TemplateWords:
    """Whose pause it is, is said too, because only the one who paused can end it."""
    if template is None:
        return NEVER_ASKED
    if template.status == NOT_CREATED:
        return REFUSED
    if template.name not in list_template_texts():
        return FOREIGN
    problem = problem_of(template)
    if problem == TemplateReason.PAUSED and template.paused_at is not None:
        return PAUSED_BY_STAFF if template.paused_reason == BY_STAFF else PAUSED_BY_US
    return BY_PROBLEM[problem]
