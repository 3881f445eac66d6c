"""The door of a patient's page: the token in the address is the key, the language the patient's. Nobody logs in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from appointments.models import Appointment
from appointments.queries.patient_page import find_by_link
from appointments.usecases.patient_page import count_press
from clinicbot import clock

P = ParamSpec("P")
PageView = Callable[Concatenate[HttpRequest, Appointment, P], HttpResponse]
Page = Callable[..., HttpResponse]  # The address gives the token by name.

SAID = "said"
SAID_SECONDS = 10 * 60
LANGUAGE = "language"
LANGUAGE_COOKIE = "visit_language"
LANGUAGE_COOKIE_SECONDS = 365 * 24 * 3600


def patient_page(view: PageView[P]) -> Page:
    """Opens to whoever holds the link, and tells no other site of it.

    There is no login to be abused from elsewhere, so no CSRF token: who can make the request knows the link already. A browser
    that is told to send no referrer would send none to us either, and Django asks for one.
    """

    @functools.wraps(view)
    def opened(request: HttpRequest, token: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        visit = find_by_link(token)
        if visit is None:
            return _sealed(render(request, "patient_page/unknown.html", status=404))
        language = _language_of(request, visit)
        with translation.override(language):
            if request.method == "POST" and not count_press(visit, real=clock.real()):
                response = show(request, visit, "patient_page/too_often.html", {}, status=429)
            else:
                response = view(request, visit, *args, **kwargs)
        response.headers["Content-Language"] = language
        if LANGUAGE in request.GET:
            _remember(response, language)
        return _sealed(response)

    return csrf_exempt(never_cache(login_not_required(opened)))


def show(
    request: HttpRequest, visit: Appointment, template: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """One page of this link."""
    common = {
        "visit": visit,
        "clinic": visit.clinic,
        "token": visit.link_token,
        "phone_link": "".join(sign for sign in visit.clinic.phone if sign in "+0123456789"),
        "languages": settings.LANGUAGES,
    }
    return render(request, template, {**common, **context}, status=status)


def back(visit: Appointment, *, said: str = "", name: str = "patient-page") -> HttpResponseRedirect:
    """To the page, which says what was done and how things stand now."""
    query = {SAID: signing.dumps(said, salt=visit.link_token)} if said else None
    return HttpResponseRedirect(reverse(name, args=[visit.link_token], query=query))


def said_on(request: HttpRequest, visit: Appointment) -> str:
    """What was done here a moment ago; "" when nothing was, or the address is an old one."""
    try:
        said = signing.loads(request.GET.get(SAID, ""), salt=visit.link_token, max_age=SAID_SECONDS)
    except signing.BadSignature:
        return ""
    return str(said)


def _language_of(request: HttpRequest, visit: Appointment) -> str:
    """What was chosen, else what was chosen before, else the patient's."""
    known = dict(settings.LANGUAGES)
    wanted = (request.GET.get(LANGUAGE), request.COOKIES.get(LANGUAGE_COOKIE), visit.patient.language)
    return next((one for one in wanted if one in known), settings.LANGUAGE_CODE)


def _remember(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=LANGUAGE_COOKIE_SECONDS,
        path="/visit/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _sealed(response: HttpResponse) -> HttpResponse:
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
