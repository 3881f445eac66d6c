"""How many work at a clinic, as what, and how many have been asked to. For pages that sum the clinic up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Subquery
from django.db.models.functions import Coalesce

from clinicbot.inviting import PENDING
from clinicbot.models import Clinic, Invitation, Membership, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCounts:
    """`by_role`: members with a login that is open. invited: who has not answered yet. ever_invited: whoever did or did not."""

    by_role: dict[Role, int]
    invited: int
    ever_invited: int

    @property
    def members(self) -> int:
        return sum(self.by_role.values())


def people_annotations(clinic: Clinic) -> dict[str, Any]:
    """What to ask of the clinic's row, so that one question may ask more beside it."""
    invitations = Invitation.objects.for_clinic(clinic).order_by().values("clinic")
    members = Membership.objects.filter(clinic=clinic, user__is_active=True).order_by().values("clinic")
    counted = {
        "people_invited": invitations.filter(**PENDING),
        "people_ever_invited": invitations,
        **{f"people_of_{role}": members.filter(role=role) for role in Role},
    }
    return {name: Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0) for name, rows in counted.items()}


def people_counts(found: Mapping[str, Any]) -> PeopleCounts:
    """What was found under these names."""
    return PeopleCounts(
        by_role={role: found[f"people_of_{role}"] for role in Role},
        invited=found["people_invited"],
        ever_invited=found["people_ever_invited"],
    )
