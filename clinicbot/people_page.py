"""Who works at the clinic and what they may do, since when and by whom; who has been asked to. Part of the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from clinicbot import clock
from clinicbot.access import ClinicRequest
from clinicbot.actors import Actor
from clinicbot.admin_forms import TOO_OFTEN
from clinicbot.admin_pages import render_settings, settings_page
from clinicbot.errors import TooOftenError
from clinicbot.inviting import MOST_AN_HOUR, PENDING, resend, revoke
from clinicbot.models import Clinic, Invitation, Membership, Role
from clinicbot.redaction import mask_address

SECTION = "settings-people"
MOST_SHOWN = 200

MAY = {
    Role.CLINIC_ADMIN: gettext_lazy(
        "everything at this clinic: these settings, texts, people, numbers and export, and all that the desk does"
    ),
    Role.FRONT_DESK: gettext_lazy(
        "books, moves and cancels visits, keeps patients and their numbers, answers messages, works the call list"
    ),
    Role.PRACTITIONER: gettext_lazy("sees the calendar and the patients, and notes who came"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """`since` and `invited_by` are known of whoever came by an invitation that is still kept."""

    membership: Membership
    name: str
    since: datetime | None
    invited_by: str
    is_own: bool


@require_safe
@settings_page(SECTION)
def people(request: ClinicRequest) -> HttpResponse:
    members = list_members(request.clinic, own_id=request.user.pk)
    context = {
        "roles": [(role.label, MAY[role], [one for one in members if one.membership.role == role]) for role in Role],
        "invitations": [(one, mask_address(one.email)) for one in list_open_invitations(request.clinic)],
        "has_one_admin": sum(
            one.membership.role == Role.CLINIC_ADMIN and one.membership.user.is_active for one in members
        )
        == 1,
        "may_change": request.user.has_perm("clinicbot.change_membership"),
        "may_remove": request.user.has_perm("clinicbot.delete_membership"),
        "may_invite": request.user.has_perm("clinicbot.add_invitation"),
        "now": clock.now(),
    }
    return render_settings(request, "settings/people.html", context, section=SECTION, title=_("People"))


@require_POST
@settings_page(SECTION)
def send_again(request: ClinicRequest, invitation_id: int) -> HttpResponse:
    _allow(request, "clinicbot.resend_invitation")
    try:
        done = _act(resend, request, invitation_id)
    except TooOftenError:
        messages.error(request, TOO_OFTEN % MOST_AN_HOUR)
    else:
        _tell(request, done, _("The letter goes out again, and the invitation is open for a week."))
    return HttpResponseRedirect(resolve_url(SECTION))


@require_POST
@settings_page(SECTION)
def take_back(request: ClinicRequest, invitation_id: int) -> HttpResponse:
    _allow(request, "clinicbot.revoke_invitation")
    _tell(request, _act(revoke, request, invitation_id), _("The invitation is taken back. Its link no longer works."))
    return HttpResponseRedirect(resolve_url(SECTION))


def list_members(clinic: Clinic, *, own_id: int | None) -> list[Member]:
    """By name. One query."""
    accepted = Invitation.objects.for_clinic(clinic).filter(accepted_by_id=OuterRef("user_id")).order_by("-pk")
    rows = (
        Membership.objects.filter(clinic=clinic)
        .select_related("user")
        .annotate(
            since=Subquery(accepted.values("accepted_at")[:1]),
            inviter_first=Subquery(accepted.values("invited_by__first_name")[:1]),
            inviter_last=Subquery(accepted.values("invited_by__last_name")[:1]),
            inviter_login=Subquery(accepted.values("invited_by__username")[:1]),
        )
        .order_by("user__last_name", "user__first_name", "user__username")[:MOST_SHOWN]
    )
    return [
        Member(
            membership=row,
            name=row.user.get_full_name() or row.user.get_username(),
            since=row.since,
            invited_by=f"{row.inviter_first or ''} {row.inviter_last or ''}".strip() or row.inviter_login or "",
            is_own=row.user_id == own_id,
        )
        for row in rows
    ]


def list_open_invitations(clinic: Clinic) -> list[Invitation]:
    """Those nobody has accepted, the latest first, those whose week is over too. One query."""
    pending = Invitation.objects.for_clinic(clinic).filter(**PENDING).select_related("invited_by")
    return list(pending.order_by("-sent_at")[:MOST_SHOWN])


def _allow(request: ClinicRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _act(use_case: Callable[..., bool], request: ClinicRequest, invitation_id: int) -> bool:
    if not Invitation.objects.for_clinic(request.clinic).filter(pk=invitation_id).exists():
        raise Http404
    return use_case(request.clinic.pk, invitation_id=invitation_id, actor=Actor.of(request), now=clock.now())


def _tell(request: ClinicRequest, done: bool, words: str) -> None:
    if done:
        messages.success(request, words)
    else:
        messages.info(request, _("It was accepted or taken back already."))
