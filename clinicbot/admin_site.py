"""The admin: for members at their active clinic and for superusers, behind the product's own login page."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from unfold.sites import UnfoldAdminSite

from clinicbot import clock
from clinicbot.access import active_membership, is_superuser
from clinicbot.admin_scope import active_clinic
from clinicbot.clinic_time import short_date
from clinicbot.panels import ask_of, find_panel, list_panels, list_troubles


class ClinicAdminSite(UnfoldAdminSite):  # type: ignore[misc]
    def has_permission(self, request: HttpRequest) -> bool:
        """A role decides what there is to see, not Django's staff flag, which would hold at every clinic."""
        return is_superuser(request.user) or active_membership(request.user) is not None

    @method_decorator(never_cache)
    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        target = request.GET.get("next") or reverse("admin:index", current_app=self.name)
        if not request.user.is_authenticated:
            return redirect_to_login(target)
        return HttpResponseRedirect(f"{resolve_url('choose-clinic')}?{urlencode({'next': target})}")

    @method_decorator(never_cache)
    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The dashboard: each house's panels, and what went wrong."""
        reading = clock.read()
        ask = ask_of(request, now=reading.now, real=reading.real)
        context = {
            **self.each_context(request),
            "title": _("Dashboard"),
            "ask": ask,
            "clinic": ask.clinic,
            "now": ask.now,
            "panels": list_panels(request.user, ask=ask),
            "troubles": list_troubles(request.user, ask=ask),
            **(extra_context or {}),
        }
        request.current_app = self.name
        return TemplateResponse(request, "admin/dashboard.html", context)

    def get_urls(self) -> list[Any]:
        return [path("panels/<str:name>/", self.admin_view(self.panel), name="panel"), *super().get_urls()]

    def panel(self, request: HttpRequest, name: str) -> HttpResponse:
        """One panel of the dashboard, for the page that shows it already without."""
        reading = clock.read()
        ask = ask_of(request, now=reading.now, real=reading.real)
        found = find_panel(name, user=request.user, ask=ask)
        if found is None:
            return HttpResponse(status=HTTPStatus.NO_CONTENT)
        context = {"panel": found.contents, "ask": ask, "clinic": ask.clinic, "now": ask.now}
        return render(request, found.template, context)

    def get_log_entries(self, request: HttpRequest) -> QuerySet[LogEntry]:
        """None on the index page: an entry does not say which clinic it was at. The audit trail does."""
        return LogEntry.objects.none()


def name_of_clinic(request: HttpRequest) -> str:
    """What stands under the product's name on each admin page."""
    clinic = active_clinic(request)
    return clinic.name if clinic else str(_("All clinics"))


def state_of_clinic(request: HttpRequest) -> list[str] | None:
    """A mark at the top of each admin page while the clinic's messages are off."""
    clinic = active_clinic(request)
    if clinic is None or clinic.suspended_at is None:
        return None
    return [_("Messages off since %(since)s") % {"since": short_date(clinic.suspended_at, clinic)}, "warning"]
