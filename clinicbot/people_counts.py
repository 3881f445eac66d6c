"""How many work at a clinic, as what, and how many have been asked to. For pages that sum the clinic up."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q, Subquery
from django.db.models.functions import Coalesce

from clinicbot.inviting import PENDING
from clinicbot.models import Clinic, Invitation, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCounts:
    """`by_role`: members with a login that is open. invited: who has not answered yet. ever_invited: whoever did or did not."""

    by_role: dict[Role, int]
    invited: int
    ever_invited: int

    @property
    def members(self) -> int:
        return sum(self.by_role.values())


def count_people(clinic: Clinic) -> PeopleCounts:
    """One query."""
    all_invitations = Invitation.objects.for_clinic(clinic).order_by().values("clinic")
    pending = all_invitations.filter(**PENDING).annotate(count=Count("pk")).values("count")
    ever = all_invitations.annotate(count=Count("pk")).values("count")
    active = Q(memberships__user__is_active=True)
    counts = {f"of_{role}": Count("memberships", filter=active & Q(memberships__role=role)) for role in Role}
    found = (
        Clinic.objects.filter(pk=clinic.pk)
        .annotate(invited=Coalesce(Subquery(pending), 0), ever_invited=Coalesce(Subquery(ever), 0), **counts)
        .values("invited", "ever_invited", *counts)
        .get()
    )
    return PeopleCounts(
        by_role={role: found[f"of_{role}"] for role in Role},
        invited=found["invited"],
        ever_invited=found["ever_invited"],
    )
