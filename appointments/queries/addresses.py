"""What a clinic's address was when somebody was told of it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from appointments.models import Appointment, ClinicMove
from appointments.search_key import search_key
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """One clinic's. moves: the first one first."""

    present: str
    moves: tuple[ClinicMove, ...]

    def told_at(self, moment: datetime) -> str:
        """What was said up to that moment, slips put right since: where the first move after it began."""
        return next((move.old_address for move in self.moves if moment <= move.moved_at), self.present)

    def is_known_since(self, moment: datetime) -> bool:
        """Whether who was told then, and never after, goes to the right place. Moved there and back is where they were."""
        return not is_elsewhere(self.told_at(moment), self.present)


def addresses(clinics: Collection[Clinic]) -> Mapping[int, Addresses]:
    """By clinic. One query."""
    moves: defaultdict[int, list[ClinicMove]] = defaultdict(list)
    pairs = {(clinic.pk, clinic.pk) for clinic in clinics}
    for move in ClinicMove.objects.for_pairs(pairs, by="clinic_id").order_by("moved_at", "pk"):
        moves[move.clinic_id].append(move)
    return {clinic.pk: Addresses(present=clinic.address, moves=tuple(moves[clinic.pk])) for clinic in clinics}


def is_elsewhere(old: str, new: str) -> bool:
    """Whether somebody who was told the one may miss the other. Where none was told, or none is known now, nobody can."""
    return bool(old.strip() and new.strip()) and _spoken(old) != _spoken(new)


def moves_since_booked(visit: Appointment) -> int:
    """How often the clinic has moved since. One query."""
    return ClinicMove.objects.for_clinic(visit.clinic_id).filter(moved_at__gte=visit.created_at).count()


def last_told_address(clinic: Clinic) -> str:
    """Where the clinic was said to be last, if nothing is said of it now. One query."""
    moves = ClinicMove.objects.for_clinic(clinic).exclude(old_address="").order_by("-moved_at", "-pk")
    return clinic.address or moves.values_list("old_address", flat=True).first() or ""


def _spoken(address: str) -> str:
    """Without accents, case, commas and blanks; but where one number ends and the next begins is kept: 12-34 is not 1-234."""
    plain = " ".join(search_key(word) for word in address.split())
    return re.sub(r"(?<!\d) | (?!\d)", "", re.sub(r"[\W_]+", " ", plain))
