"""Where somebody works today."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from clinicbot.access import SESSION_KEY, list_clinics


@require_http_methods(["GET", "POST"])
def choose_clinic(request: HttpRequest) -> HttpResponse:
    """A page with one button for each clinic the person may work at; the choice lasts as long as the session."""
    clinics = list_clinics(request.user)
    if request.method == "GET":
        return render(
            request, "clinicbot/choose_clinic.html", {"clinics": clinics, "next": request.GET.get("next", "")}
        )
    chosen = next((clinic for clinic in clinics if str(clinic.pk) == request.POST.get("clinic")), None)
    if chosen is None:
        raise PermissionDenied
    request.session[SESSION_KEY] = chosen.pk
    return HttpResponseRedirect(_safe_next(request))


def _safe_next(request: HttpRequest) -> str:
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if is_ours else resolve_url("/")
