"""Where the link of an invitation leads. Looking changes nothing; accepting is a POST, by somebody with a login."""

from __future__ import annotations

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from clinicbot import clock
from clinicbot.access import SESSION_KEY
from clinicbot.errors import InvitationOverError
from clinicbot.inviting import accept, find_invitation, hold_open
from clinicbot.models import Invitation, InvitationState, Membership

BACKEND = "clinicbot.auth.ClinicRoleBackend"


class NewLoginForm(UserCreationForm):  # type: ignore[type-arg]
    """A name to log in with, and a password. The name is the address unless one says otherwise."""

    class Meta:
        model = User
        fields = ("username",)


@never_cache
@login_not_required
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Unknown, over, or open: then somebody logged in may accept, and everybody else make a login or log in first."""
    found, now = find_invitation(token), clock.now()
    if found is None:
        return render(request, "invitation/over.html", {"state": ""}, status=404)
    if (state := found.state_at(now)) != InvitationState.OPEN:
        return render(request, "invitation/over.html", {"state": state, "invitation": found}, status=410)
    form = NewLoginForm(request.POST if "username" in request.POST else None, initial={"username": found.email})
    if request.method == "POST":
        try:
            membership = _accept(request, token, found, form)
        except InvitationOverError:
            return HttpResponseRedirect(request.path)  # A moment ago: the page says how it stands now.
        if membership is not None:
            request.session[SESSION_KEY] = membership.clinic_id
            return HttpResponseRedirect(resolve_url("/"))
    return render(request, "invitation/page.html", {"invitation": found, "form": form})


@transaction.atomic
def _accept(request: HttpRequest, token: str, found: Invitation, form: NewLoginForm) -> Membership | None:
    """None when the new login is not as it must be."""
    if request.user.is_authenticated:
        return accept(token, user=request.user, now=clock.now())
    hold_open(token, now=clock.now())  # A form that is sent twice at once makes one login.
    if not form.is_valid():
        return None
    user: User = form.save(commit=False)
    user.email = found.email
    user.save()
    membership = accept(token, user=user, now=clock.now())
    login(request, user, backend=BACKEND)
    return membership
