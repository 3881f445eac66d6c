"""Gives each request its clinic, and its user the role they have there."""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from clinicbot.access import find_active, work_at


class ActiveClinicMiddleware:
    """Sets `request.clinic` and `request.membership`; both are None for strangers and those who must choose first.

    The clinic's zone is the page's.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        clinic, membership = find_active(request.user, request.session)
        request.clinic = clinic  # type: ignore[attr-defined]
        request.membership = membership  # type: ignore[attr-defined]
        if request.user.is_authenticated:
            work_at(request.user, membership)
        # The admin prints and reads times by this; the product's own pages say whose time they mean.
        with timezone.override(ZoneInfo(clinic.zone) if clinic else None):
            return self._get_response(request)
