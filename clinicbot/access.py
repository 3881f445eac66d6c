"""At which clinic somebody is working, and what that lets them do."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeAlias

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url

from clinicbot.models import Clinic, Membership

SESSION_KEY = "clinic"

P = ParamSpec("P")
AnyUser: TypeAlias = AbstractBaseUser | AnonymousUser


class ClinicRequest(HttpRequest):
    """A request as `clinic_required` passes it on. A superuser may have a clinic without a membership."""

    clinic: Clinic
    membership: Membership | None


View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
ClinicView = Callable[Concatenate[ClinicRequest, P], HttpResponseBase]


def list_clinics(user: AnyUser) -> list[Clinic]:
    """Where this person may work, by name."""
    if not user.is_active:
        return []
    clinics = Clinic.objects.order_by("name", "pk")
    return list(clinics if is_superuser(user) else clinics.filter(memberships__user_id=user.pk))


def find_active(user: AnyUser, session: Mapping[str, Any]) -> tuple[Clinic | None, Membership | None]:
    """The clinic chosen in this session, else the only one of a person with one membership. Read anew at each request,
    so that a membership taken away ends at once."""
    if not user.is_active or user.pk is None:
        return None, None
    of_clinic = {one.clinic_id: one for one in Membership.objects.filter(user_id=user.pk).select_related("clinic")}
    chosen_id: int = session.get(SESSION_KEY, 0)
    membership = of_clinic.get(chosen_id)
    if membership is None and chosen_id and is_superuser(user):
        return Clinic.objects.filter(pk=chosen_id).first(), None
    if membership is None and len(of_clinic) == 1:
        membership = next(iter(of_clinic.values()))
    return (membership.clinic, membership) if membership else (None, None)


def work_at(user: AnyUser, membership: Membership | None) -> None:
    """From now on this user object has the permissions of that membership's role, and no others."""
    for cached in ("_perm_cache", "_user_perm_cache", "_group_perm_cache"):
        if hasattr(user, cached):
            delattr(user, cached)
    user.active_membership = membership  # type: ignore[union-attr]


def active_membership(user: AnyUser) -> Membership | None:
    return getattr(user, "active_membership", None)


def is_superuser(user: AnyUser) -> bool:
    return isinstance(user, User) and user.is_active and user.is_superuser


def clinic_required(view: ClinicView[P]) -> View[P]:
    """Sends those who have not said where they work to the page that asks."""

    @functools.wraps(view)
    def with_clinic(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if getattr(request, "clinic", None) is None:
            return HttpResponseRedirect(resolve_url("choose-clinic"))
        return view(request, *args, **kwargs)  # type: ignore[arg-type]

    return with_clinic


def permission_required_here(permission: str) -> Callable[[ClinicView[P]], View[P]]:
    """`clinic_required`, and the role at that clinic has this permission ("appointments.add_appointment")."""

    def decorate(view: ClinicView[P]) -> View[P]:
        @functools.wraps(view)
        def with_permission(request: ClinicRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.has_perm(permission):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return clinic_required(with_permission)

    return decorate
