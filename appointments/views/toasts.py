"""Saying what was just done, with the way back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.http import HttpRequest
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from appointments.models import Appointment
from appointments.queries.reach import is_reachable, reach_of
from appointments.queries.undoing import find_made, tells_when_undone
from clinicbot.access import ClinicRequest
from clinicbot.actors import Actor

BACK, TELLS = "back:", "tells"


@dataclass(frozen=True, slots=True)
class WayBack:
    """Where it is posted, and whether the patient hears of it then."""

    path: str
    tells: bool


def say_done(
    request: ClinicRequest, sentence: str, *, visit: Appointment, now: datetime, must_hear: bool = False
) -> None:
    """And offer to take it back, where this act changed something that can be.

    must_hear: the patient is to be told of it; who gets no messages has to be called.
    """
    if must_hear and not is_reachable(reach_of(visit.patient, now=now)):
        call = _("They get no message, so call them: it stands under “Calls”.")
        sentence = f"{sentence} {call}"
    change = find_made(visit, actor=Actor.of(request), now=now)
    if change is None:
        messages.success(request, sentence)
    else:
        say_with_way_back(request, sentence, WayBack(resolve_url("undo", change.pk), tells_when_undone(change)))


def say_with_way_back(request: HttpRequest, sentence: str, way: WayBack) -> None:
    messages.success(request, sentence, extra_tags=f"{BACK}{way.path} {TELLS if way.tells else ''}")


def way_back_of(message: Message) -> WayBack | None:
    """What `say_with_way_back` kept."""
    path, _, tells = (message.extra_tags or "").partition(" ")
    return WayBack(path.removeprefix(BACK), tells == TELLS) if path.startswith(BACK) else None


def next_page(request: HttpRequest, *, otherwise: str) -> str:
    """The page of ours that was left for this."""
    wanted = request.POST.get("next", "")
    return wanted if url_has_allowed_host_and_scheme(wanted, allowed_hosts=None) else otherwise
