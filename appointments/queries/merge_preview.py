"""What will stand where once two patients are one, side by side, before anybody says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from appointments.models import Appointment, Patient
from appointments.models.people import ContactRole
from appointments.queries.reach import Reach, ReachRows, reach_of
from clinicbot.clinic_time import date_with_year
from clinicbot.tenancy import TenantModel
from clinicbot.together import fetch_together
from messaging.queries.words import title_of_category


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRow:
    what: str
    kept: str
    gone: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePreview:
    """also_stopped: others who hear less then, because a number that they share gets what neither wants no more."""

    rows: tuple[MergeRow, ...]
    also_stopped: tuple[str, ...]


def preview_of_merge(kept: Patient, gone: Patient, *, now: datetime) -> MergePreview:
    """Both come with their guardians. One query."""
    both = (kept, gone)
    reach, their_reach = (ReachRows.of(one.clinic_id, patient_id=one.pk) for one in both)
    visit_counts, child_counts = _counts(Appointment, both, by="patient"), _counts(Patient, both, by="guardian")
    fetch_together(*reach.all, *their_reach.all, visit_counts, child_counts)
    ways, theirs = reach_of(kept, now=now, rows=reach), reach_of(gone, now=now, rows=their_reach)
    numbers = list(dict.fromkeys(_number(way) for way in (*ways, *theirs)))
    own = [way for way in (*ways, *theirs) if way.role == ContactRole.OWN]
    stopped = {category for way in own for category in way.fact.opted_out_of}
    visits, children = ([dict(counts).get(one.pk, 0) for one in both] for counts in (visit_counts, child_counts))
    guardian = kept.guardian or gone.guardian
    return MergePreview(
        rows=(
            MergeRow(what=_("Name"), kept=kept.full_name, gone=gone.full_name, after=kept.full_name),
            MergeRow(
                what=_("Date of birth"),
                kept=_day(kept),
                gone=_day(gone),
                after=_day(kept if kept.born_on else gone),
            ),
            MergeRow(
                what=_("Language"),
                kept=kept.get_language_display(),
                gone=gone.get_language_display(),
                after=kept.get_language_display(),
            ),
            MergeRow(
                what=_("Guardian"),
                kept=kept.guardian.full_name if kept.guardian else "–",
                gone=gone.guardian.full_name if gone.guardian else "–",
                after=guardian.full_name if guardian else "–",
            ),
            MergeRow(
                what=_("Numbers, in order"),
                kept=_list(map(_number, ways)),
                gone=_list(map(_number, theirs)),
                after=_list(numbers),
            ),
            MergeRow(
                what=_("Want nothing of"),
                kept=_categories(ways),
                gone=_categories(theirs),
                after=_list(title_of_category(one) for one in sorted(stopped)),
            ),
            MergeRow(what=_("Visits"), kept=str(visits[0]), gone=str(visits[1]), after=str(sum(visits))),
            MergeRow(
                what=_("Is the guardian of"), kept=str(children[0]), gone=str(children[1]), after=str(sum(children))
            ),
            MergeRow(
                what=_("Note"),
                kept=kept.note or "–",
                gone=gone.note or "–",
                after=_list(dict.fromkeys(note for note in (kept.note, gone.note) if note)),
            ),
        ),
        also_stopped=tuple(
            dict.fromkeys(
                name
                for way in own
                if stopped - way.fact.opted_out_of
                for name in way.shared_with
                if name not in (kept.first_name, gone.first_name)
            )
        ),
    )


def _counts(
    model: type[TenantModel], patients: Sequence[Patient], *, by: str
) -> QuerySet[TenantModel, tuple[int, int]]:
    """(patient id, how many rows name them)."""
    rows = model.objects.for_clinic(patients[0].clinic_id).filter(**{f"{by}__in": [one.pk for one in patients]})
    counted: QuerySet[TenantModel, tuple[int, int]] = (
        rows.order_by().values(by).annotate(many=Count("pk")).values_list(by, "many")
    )
    return counted


def _number(way: Reach) -> str:
    return way.number


def _categories(ways: Iterable[Reach]) -> str:
    stopped = {one for way in ways if way.role == ContactRole.OWN for one in way.fact.opted_out_of}
    return _list(title_of_category(one) for one in sorted(stopped))


def _list(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "–"


def _day(patient: Patient) -> str:
    return date_with_year(patient.born_on) if patient.born_on else "–"
