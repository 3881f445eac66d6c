"""A visit as the admin's form changes it: by the same use case as the visit's page, with the same refusals."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from appointments.models import Appointment, Service
from appointments.queries.meanwhile import last_change_of
from appointments.queries.visits import get_visit
from appointments.reasons import sentence_of
from appointments.slots import Slot, slot_of
from appointments.usecases.changing import VisitWish, change_visit, slot_for
from clinicbot.actors import Actor
from clinicbot.admin_scope import TenantForm
from clinicbot.errors import ClinicBotError
from clinicbot.human_text import HumanTextField
from clinicbot.last_changes import LastChange

PLACE = ("local_date", "local_time", "practitioner", "room")


class VisitForm(TenantForm):
    """actor, now: who saves it, and when; the admin gives them to each page's form."""

    actor: ClassVar[Actor]
    now: ClassVar[datetime]
    together = PLACE

    reason = HumanTextField(label=_("Why it moves"), max_length=200, required=False, widget=UnfoldAdminTextInputWidget)

    class Meta:
        model = Appointment
        fields = (*PLACE, "service", "note")

    def changed_by(self, name: str) -> LastChange | None:
        return last_change_of(self.instance, column=name)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                with transaction.atomic():
                    self.change()
                    transaction.set_rollback(True)  # Only tried; the admin saves when all of the page is right.
            except ClinicBotError as error:
                raise ValidationError(sentence_of(error)) from error
        return data

    def change(self) -> None:
        """Raises what `change_visit` raises."""
        visit = get_visit(self.instance.clinic_id, appointment_id=self.instance.pk)
        data = self.cleaned_data
        service = data.get("service", visit.service)
        change_visit(
            visit.clinic,
            appointment_id=visit.pk,
            wish=VisitWish(service=service, note=data["note"], slot=self._slot(visit, service=service)),
            actor=self.actor,
            reason=data.get("reason", ""),
            now=self.now,
        )

    def _slot(self, visit: Appointment, *, service: Service) -> Slot | None:
        data = self.cleaned_data
        if not set(PLACE) & set(self.changed_data):
            return None
        here = slot_for(visit, service=service) if service.pk != visit.service_id else slot_of(visit)
        return replace(
            here,
            practitioner_id=data["practitioner"].pk,
            room_id=data["room"].pk if data["room"] else None,
            local_date=data["local_date"],
            local_time=data["local_time"],
            zone=visit.clinic.zone,
        )
