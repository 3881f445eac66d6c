"""The tick for hosts without cron: whoever knows the secret may start one."""

from __future__ import annotations

import hmac
import math

from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from scheduler import conf
from scheduler.errors import BadBudgetError
from scheduler.usecases.ticking import Source, run_tick


@require_POST
@csrf_exempt
@login_not_required
@never_cache
@transaction.non_atomic_requests
def tick(request: HttpRequest) -> HttpResponse:
    """One tick within the time a proxy waits. Two at once are harmless, and so is one that is called twice.

    budget: seconds, in the query or the body; less than the default, never more.
    """
    if not _knows_a_secret(request):
        return JsonResponse({"error": "wrong_tick_secret"}, status=401, headers={"WWW-Authenticate": "Bearer"})
    try:
        budget_seconds = _budget_seconds(request)
    except BadBudgetError as error:
        return JsonResponse({"error": error.code, "message": str(error)}, status=400)
    summary = run_tick(budget_seconds=budget_seconds, source=Source.HTTP)
    return HttpResponse(summary.as_json(), content_type="application/json")


def _knows_a_secret(request: HttpRequest) -> bool:
    """Compared with every secret to the end, so that time tells neither which nor how much of it was right."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    matches = [hmac.compare_digest(given.strip().encode(), secret.encode()) for secret in conf.tick_secrets()]
    return scheme.lower() == "bearer" and any(matches)


def _budget_seconds(request: HttpRequest) -> float:
    """
    Raises:
        BadBudgetError
    """
    text = request.GET.get("budget") or request.POST.get("budget")
    if not text:
        return conf.HTTP_BUDGET_SECONDS
    try:
        seconds = float(text)
    except ValueError:
        raise BadBudgetError from None
    if not math.isfinite(seconds) or seconds <= 0:
        raise BadBudgetError
    return min(seconds, conf.HTTP_BUDGET_SECONDS)
