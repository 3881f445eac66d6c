"""Who did it: a member of staff, a patient, or the machine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.http import HttpRequest


class ActorKind(StrEnum):
    STAFF = "staff"
    PATIENT = "patient"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """Kind and id (of the user or the patient); the machine has no id."""

    kind: ActorKind
    id: int | None = None

    @classmethod
    def of(cls, request: HttpRequest) -> Actor:
        """The signed-in member of staff."""
        return cls(ActorKind.STAFF, request.user.pk)

    @classmethod
    def patient(cls, patient_id: int) -> Actor:
        return cls(ActorKind.PATIENT, patient_id)

    @classmethod
    def system(cls) -> Actor:
        return cls(ActorKind.SYSTEM)
