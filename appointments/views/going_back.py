"""Where somebody came from, and goes back to after an act on another page: `?back=calls`, `?back=inbox:12`."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _

from appointments.views.pages import number_of

BACK, CALLS, INBOX = "back", "calls", "inbox"


@dataclass(frozen=True, slots=True)
class Home:
    """label: of the link that leads there."""

    url: str
    label: str


def home_of(request: HttpRequest) -> Home | None:
    """None where they came from the visit itself, or the address names nothing of ours."""
    where, _colon, which = request.GET.get(BACK, "").partition(":")
    if where == CALLS:
        return Home(resolve_url("calls"), _("Back to the calls"))
    contact_id = number_of(which)
    if where == INBOX and contact_id is not None:
        return Home(resolve_url("inbox-talk", contact_id), _("Back to the conversation"))
    return None


def url_after(request: HttpRequest, *, visit_id: int) -> str:
    """Where to go when it is done."""
    home = home_of(request)
    return home.url if home else resolve_url("visit", visit_id)
