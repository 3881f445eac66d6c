"""Why a message is where it is, as a stable word and as a sentence for staff."""

from __future__ import annotations

from enum import StrEnum

from django.utils.translation import gettext_lazy as _


class Reason(StrEnum):
    """The sender's own reasons. Message kinds and templates bring more."""

    # Held: every tick looks again.
    KILL_SWITCH = "kill_switch"
    CLINIC_SUSPENDED = "clinic_suspended"
    ACCOUNT_PAUSED = "account_paused"
    NO_ACCOUNT = "no_account"
    UNKNOWN_KIND = "unknown_kind"
    # Waiting, for a moment or for a retry.
    RETRY = "retry"
    RETRY_RECIPIENT = "retry_recipient"
    OLDER_ON_ITS_WAY = "older_on_its_way"
    TOO_FAST = "too_fast"
    USE_TEMPLATE = "use_template"
    NOT_SENT = "not_sent"
    NEXT_CONTACT = "next_contact"
    ONCE_MORE = "once_more"
    TROUBLE = "trouble"
    APART = "apart"
    # Left out or over.
    TOO_LATE = "too_late"
    OVERTAKEN = "overtaken"
    LEFT_OUT = "left_out"
    CANCELLED_BY_STAFF = "cancelled_by_staff"
    SENT_AGAIN = "sent_again"
    OPTED_OUT = "opted_out"
    INVITATION_OVER = "invitation_over"
    LOGIN_CLOSED = "login_closed"
    # Failed: a person must look.
    NO_CONTACT = "no_contact"
    UNREACHABLE = "unreachable"
    WRONG_NUMBER = "wrong_number"
    REJECTED = "rejected"
    REFUSED_AS_TEMPLATE = "refused_as_template"
    NOT_DELIVERED = "not_delivered"
    TEXT_BROKEN = "text_broken"
    CRASHED = "crashed"
    WINDOW_CLOSED = "window_closed"
    # Gone, but not as it should.
    OTHER_LANGUAGE = "other_language"
    # In doubt.
    IN_DOUBT = "in_doubt"
    NEEDS_PERSON = "needs_person"


_TEXTS = {
    Reason.KILL_SWITCH: _("Sending is stopped."),
    Reason.CLINIC_SUSPENDED: _("The clinic is suspended."),
    Reason.ACCOUNT_PAUSED: _("The account it is sent from is paused."),
    Reason.NO_ACCOUNT: _("The clinic has no account to send from."),
    Reason.UNKNOWN_KIND: _("This version does not know such messages."),
    Reason.RETRY: _("It did not go out and is tried again."),
    Reason.RETRY_RECIPIENT: _("This person was sent too much at once; it is tried again."),
    Reason.OLDER_ON_ITS_WAY: _("An older message about the same is on its way."),
    Reason.TOO_FAST: _("The account has reached its rate."),
    Reason.USE_TEMPLATE: _("Free text was refused; it goes as a template."),
    Reason.NOT_SENT: _("It was not begun in time and goes again."),
    Reason.NEXT_CONTACT: _("It did not arrive; another contact is tried."),
    Reason.ONCE_MORE: _("No sign that it went out; it is sent once more."),
    Reason.TROUBLE: _("It could not be prepared and is tried again."),
    Reason.APART: _("Its people are no longer reached together: each gets a message of their own."),
    Reason.TOO_LATE: _("Too late to be useful."),
    Reason.OVERTAKEN: _("A newer message says more."),
    Reason.LEFT_OUT: _("When it went, it spoke only of the other visits."),
    Reason.CANCELLED_BY_STAFF: _("Cancelled by staff."),
    Reason.SENT_AGAIN: _("Staff sent it again."),
    Reason.OPTED_OUT: _("This person wants no such messages."),
    Reason.LOGIN_CLOSED: _("The login was closed."),
    Reason.INVITATION_OVER: _("The invitation was accepted or taken back, or its week is over."),
    Reason.NO_CONTACT: _("No contact is known."),
    Reason.UNREACHABLE: _("Nobody can be reached there."),
    Reason.WRONG_NUMBER: _("The number belongs to somebody else."),
    Reason.REJECTED: _("The provider refused it."),
    Reason.REFUSED_AS_TEMPLATE: _("The provider refused it, as a template too."),
    Reason.NOT_DELIVERED: _("The provider could not deliver it."),
    Reason.TEXT_BROKEN: _("Its text cannot be filled in."),
    Reason.CRASHED: _("Preparing it stopped the sender three times."),
    Reason.WINDOW_CLOSED: _("WhatsApp takes free text for 24 hours after they wrote, and those were over."),
    Reason.OTHER_LANGUAGE: _("There is none in the patient's language, so messages go in the clinic's."),
    Reason.IN_DOUBT: _("Not known whether it went out."),
    Reason.NEEDS_PERSON: _("Not known whether it went out; a person must look."),
    "template_missing": _("The clinic has no such template."),
    "template_pending": _("The template is not approved yet."),
    "template_rejected": _("The template was rejected."),
    "template_paused": _("The template is paused."),
    "template_disabled": _("The template is disabled."),
    "template_mismatch": _("The template does not fit the text."),
    "template_unusable": _("The template cannot be used."),
    "template_category": _("WhatsApp charges the template as advertising, and may not deliver it."),
    "template_category_soon": _("WhatsApp will charge the template as advertising from tomorrow on."),
    "template_not_created": _("WhatsApp refused the template when it was asked for."),
    "template_not_changed": _("WhatsApp refused other words for the template."),
    "no_email_server": _("No e-mail server is set up for this installation."),
    "not_subscribed": _("WhatsApp sends us neither receipts nor answers: the app is not subscribed to the account."),
}


def describe(reason: str) -> str:
    """In the reader's language; empty for a word of another house, or none."""
    return str(_TEXTS.get(reason, ""))
