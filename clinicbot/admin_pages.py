"""Pages of the admin about the active clinic's settings: who may see one, and what stands around it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from clinicbot.access import ClinicRequest, ClinicView, P, View
from clinicbot.admin_scope import active_clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One page of the settings: its route, its word in the menu, and the permission it takes."""

    name: str
    word: Promise
    permission: str


OVERVIEW = "settings"
SECTIONS = (
    Section(name=OVERVIEW, word=_("Overview"), permission="clinicbot.change_clinic"),
    Section(name="settings-start", word=_("Set-up"), permission="clinicbot.change_clinic"),
    Section(
        name="settings-reminders",
        word=_("Reminders"),
        permission="appointments.change_reminderrule",
    ),
    Section(name="settings-texts", word=_("Texts"), permission="messaging.change_textoverride"),
    Section(name="settings-templates", word=_("Templates"), permission="messaging.pause_messagetemplate"),
    Section(name="settings-people", word=_("People"), permission="clinicbot.view_membership"),
    Section(name="settings-stop", word=_("Stop"), permission="messaging.throw_killswitch"),
)
_BY_NAME = {section.name: section for section in SECTIONS}


def settings_page(section: str) -> Callable[[ClinicView[P]], View[P]]:
    """The view of one section, or of a part of it: for members who may, at the clinic where they work."""
    permission = _BY_NAME[section].permission

    def decorate(view: ClinicView[P]) -> View[P]:
        @functools.wraps(view)
        def at_clinic(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if active_clinic(request) is None:
                return HttpResponseRedirect(f"{resolve_url('choose-clinic')}?{urlencode({'next': request.path})}")
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(cast(ClinicRequest, request), *args, **kwargs)

        return cast(View[P], admin.site.admin_view(at_clinic))

    return decorate


def render_settings(
    request: ClinicRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    section: str,
    title: str,
    status: int = 200,
) -> HttpResponse:
    """A whole page, with the admin's frame and the menu of the settings."""
    around = {
        **admin.site.each_context(request),
        "title": title,
        "section": section,
        "sections": list_sections(request),
        "clinic": request.clinic,
    }
    return render(request, template, {**around, **context}, status=status)


def list_sections(request: HttpRequest) -> list[Section]:
    """What this member may open; nothing where no clinic is chosen."""
    if active_clinic(request) is None:
        return []
    return [section for section in SECTIONS if request.user.has_perm(section.permission)]
