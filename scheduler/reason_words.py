"""Why a job waits or ended, as a sentence."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from scheduler.contracts import Reason

_SENTENCES = {
    Reason.TRANSIENT: _("It failed and is tried again."),
    Reason.PERMANENT: _("It cannot succeed as it is."),
    Reason.RATE_LIMITED: _("The other side asked for patience."),
    Reason.UNKNOWN_KIND: _("This version does not know such jobs."),
    Reason.BAD_ARGS: _("This version cannot read what it was given."),
    Reason.CRASHED: _("It stopped its process three times."),
    Reason.EXPIRED: _("Its time was over."),
    Reason.SUPERSEDED: _("A newer job does the same."),
    Reason.CANCELLED_BY_STAFF: _("Cancelled by staff."),
    Reason.RETRIED_BY_STAFF: _("Staff let it be tried again."),
}


def words_of_cause(why: str) -> str:
    """Of a word that is not ours, or the class of a failure, that itself."""
    return str(_SENTENCES[Reason(why)]) if why in list(Reason) else why
