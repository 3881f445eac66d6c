"""Another address of the clinic: those who know the old one are told, unless it was only misspelt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from appointments.events import VISIT, ClinicMoved
from appointments.message_names import CLINIC_MOVED
from appointments.models import Appointment, ClinicMove
from appointments.queries.addresses import is_elsewhere, last_told_address
from appointments.queries.bundles import reached_together
from appointments.queries.known_visits import place_of
from appointments.queries.people import contact_ids_of_patients
from appointments.queries.previews import told_of
from appointments.queries.relocations import preview_of_relocation, visits_that_know
from clinicbot.models import Clinic
from messaging.contracts import Person, Subject
from messaging.queries.previews import Preview
from messaging.usecases.foreseeing import Fate, Foreseen, foresee
from messaging.usecases.sending import NewMessage, queue_messages
from outbox.usecases.publishing import publish

OF_NO_VERSION = 0
"""The news is as true of a visit that is moved meanwhile."""

NO_MOVE_YET = "0"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveEffect:
    """visits, people: who knows the old address. foreseen: what would become of each message. first: what the first would read,
    in `language`.
    """

    visits: int
    people: int
    foreseen: tuple[Foreseen, ...]
    first: Preview
    language: str

    @property
    def going(self) -> list[Foreseen]:
        """Also those that wait for the morning."""
        return [one for one in self.foreseen if one.fate in (Fate.SEND, Fate.WAIT, Fate.HOLD)]

    @property
    def left_to_staff(self) -> int:
        return len(self.foreseen) - len(self.going)


@transaction.atomic
def change_address(clinic_id: int, *, address: str, tells: bool, now: datetime) -> None:
    """The clinic is there from now on. With `tells`, whoever was told of another place before a visit to come hears of it.

    Of no address nobody hears; what it was until then is remembered for when there is one again.
    """
    clinic = Clinic.objects.select_for_update(no_key=True).get(pk=clinic_id)
    last_told = last_told_address(clinic)
    old, clinic.address = clinic.address, address
    clinic.save(update_fields=["address"])
    if old and not address:
        ClinicMove.objects.create(clinic=clinic, old_address=old, moved_at=now)
        return
    if not (old or tells):
        _put_right_before_none(clinic)
    if not tells or not is_elsewhere(last_told, address):
        return
    move = ClinicMove.objects.create(clinic=clinic, old_address=old, moved_at=now)
    publish(ClinicMoved(clinic_id=clinic.pk, move_id=move.pk), now=now)


@transaction.atomic
def tell_of_move_of_clinic(clinic_id: int, *, move_id: int, now: datetime) -> None:
    """Of several moves at once each asks the same; who has heard of the last by then is not told again."""
    clinic = Clinic.objects.get(pk=clinic_id)
    groups = _groups(visits_that_know(clinic, now=now))
    queue_messages([_message(group, rule=str(move_id)) for group in groups], now=now)


@transaction.atomic
def tell_where_it_stands_again(visit: Appointment, *, now: datetime) -> None:
    """The news of the address left the visit out while it did not stand. Where its own notice has something to say, that says it."""
    is_silent = told_of(visit, now=now) == place_of(visit)
    if not is_silent or visit not in visits_that_know(visit.clinic, now=now):
        return
    move_id = (
        ClinicMove.objects.for_clinic(visit.clinic_id).order_by("moved_at", "pk").values_list("pk", flat=True).last()
    )
    queue_messages([_message([visit], rule=f"{move_id}/{visit.notice_version}")], now=now)


def effect_of_address(clinic_id: int, *, address: str, real: datetime, now: datetime) -> MoveEffect | None:
    """What telling of that address would do, by the code that does it: tried, and taken back. None: nobody knows another."""
    with transaction.atomic():
        old = last_told_address(Clinic.objects.get(pk=clinic_id))
        change_address(clinic_id, address=address, tells=True, now=now)
        effect = _effect(Clinic.objects.get(pk=clinic_id), old=old, real=real, now=now)
        transaction.set_rollback(True)
    return effect


def _put_right_before_none(clinic: Clinic) -> None:
    """What was said before there was no address was only misspelt."""
    latest = ClinicMove.objects.for_clinic(clinic).order_by("-moved_at", "-pk").values("pk")[:1]
    ClinicMove.objects.for_clinic(clinic).filter(pk__in=latest).update(old_address=clinic.address)


def _effect(clinic: Clinic, *, old: str, real: datetime, now: datetime) -> MoveEffect | None:
    visits = visits_that_know(clinic, now=now)
    if not visits:
        return None
    groups = _groups(visits)
    foreseen = foresee([_message(group, rule=NO_MOVE_YET) for group in groups], real=real, now=now)
    return MoveEffect(
        visits=len(visits),
        people=len({visit.patient_id for visit in visits}),
        foreseen=tuple(foreseen),
        first=preview_of_relocation(groups[0], old_where=old),
        language=groups[0][0].patient.language,
    )


def _groups(visits: Sequence[Appointment]) -> list[list[Appointment]]:
    contacts = contact_ids_of_patients({(visit.clinic_id, visit.patient_id) for visit in visits})
    return reached_together(visits, contacts=contacts)


def _message(visits: Sequence[Appointment], *, rule: str) -> NewMessage:
    """One for all who are reached together, about each visit of theirs."""
    persons = {Subject(VISIT, str(visit.pk), OF_NO_VERSION): Person("patient", visit.patient_id) for visit in visits}
    return NewMessage(
        clinic_id=visits[0].clinic_id,
        kind=CLINIC_MOVED,
        rule=rule,
        person=Person("patient", visits[0].patient_id),
        subjects=tuple(persons),
        persons=persons,
        expires_at=max(visit.starts_at for visit in visits),
    )
