"""The demo's clock: lets a day pass in a second, here and at the simulator. Nowhere but in a demo."""

from __future__ import annotations

import logging
import math
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from clinicbot import clock
from clinicbot.errors import BadClockWishError, ClockNotMovableError, HttpError
from clinicbot.http import HttpClient
from scheduler.queries import next_run_at

logger = logging.getLogger(__name__)

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LONGEST_JUMP = timedelta(days=366)


@require_POST
@csrf_exempt
@login_not_required
def move_clock(request: HttpRequest) -> HttpResponse:
    """`by`: seconds; or `to`: an ISO moment with its offset, or "next" for the next thing planned. Forwards only.

    From the product's pages it takes a login and a CSRF token, as any form does. The simulator's panel is another site of the
    same machine and can have neither, so its origin has to do.
    """
    if not settings.DEMO:
        raise Http404
    origin = _foreign_loopback_origin(request)
    if origin is None:
        return _move_from_our_pages(request)
    response = _move(request)
    response["Access-Control-Allow-Origin"] = origin
    return response


@csrf_protect
def _move_from_our_pages(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return redirect_to_login("/")
    response = _move(request)
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()})
    return HttpResponseRedirect(target) if is_ours and response.status_code == 200 else response


def _move(request: HttpRequest) -> JsonResponse:
    now = clock.now()
    try:
        clock.move_forward(_wished(request, now=now))
    except (BadClockWishError, ClockNotMovableError) as error:
        return JsonResponse({"error": error.code, "message": str(error)}, status=400)
    now = clock.now()
    return JsonResponse({"now": now.isoformat(), "simulator": _tell_simulator(now)})


def _wished(request: HttpRequest, *, now: datetime) -> timedelta:
    """
    Raises:
        BadClockWishError: neither a number of seconds nor a moment, or further than a year.
    """
    by, to = request.POST.get("by"), request.POST.get("to")
    try:
        jump = timedelta(seconds=_finite(by)) if by else _moment(to, now=now) - now
    except (ValueError, OverflowError):
        raise BadClockWishError from None
    if jump > LONGEST_JUMP:
        raise BadClockWishError
    return jump


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _moment(text: str | None, *, now: datetime) -> datetime:
    if text == "next":
        return next_run_at(now=now) or now
    moment = datetime.fromisoformat(text or "")
    if moment.tzinfo is None:
        raise ValueError
    return moment


def _tell_simulator(now: datetime) -> bool:
    """False when it did not move along: it is off, or ahead already. Ours has moved all the same."""
    if not settings.SIMULATOR_URL:
        return False
    client = HttpClient(
        settings.SIMULATOR_URL, connect_timeout_seconds=1, total_timeout_seconds=5, max_body_bytes=64 * 1024
    )
    try:
        response = client.post("simulator.clock", path="/control/clock", json={"set": now.isoformat()})
    except HttpError as error:
        logger.warning("The simulator's clock did not move along.", extra={"cause": error.cause})
        return False
    return response.status == 200


def _foreign_loopback_origin(request: HttpRequest) -> str | None:
    """The Origin of a page of this machine that is not ours."""
    origin = request.headers.get("Origin", "")
    parts = urlsplit(origin)
    is_foreign = parts.netloc != request.get_host()
    return origin if parts.scheme == "http" and parts.hostname in LOOPBACK and is_foreign else None
