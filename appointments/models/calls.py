"""Calls to patients about a visit: what came of each."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class CallOutcome(models.TextChoices):
    LEFT_MESSAGE = "left_message", _("left a message")
    NO_ANSWER = "no_answer", _("no answer")
    WILL_COME = "will_come", _("will come")
    MOVE = "move", _("wants another time")
    WRONG_NUMBER = "wrong_number", _("wrong number")
    TOLD = "told", _("knows now")


class CallAttempt(TenantModel):
    """One call and what came of it, in a word; never what was said.

    contact: the number that was called. notice_version: of the visit as it was spoken of.
    change: the confirmation that it brought. finished_tasks: ids of the open tasks that it answered.
    """

    appointment = models.ForeignKey("appointments.Appointment", on_delete=models.CASCADE, related_name="calls")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, null=True, related_name="+")
    outcome = models.CharField(max_length=16, choices=CallOutcome)
    notice_version = models.PositiveIntegerField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at: models.DateTimeField[datetime, datetime] = models.DateTimeField()
    change = models.ForeignKey("appointments.AppointmentChange", on_delete=models.PROTECT, null=True, related_name="+")
    finished_tasks = ArrayField(models.BigIntegerField(), default=list)
    taken_back_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=CallOutcome.values), name="appointments_call_outcome_is_known"
            )
        ]
        indexes = [
            # Serves the story of a visit, and the last call of each on the call list.
            models.Index(fields=["clinic", "appointment", "id"], name="appointments_calls_of_visit"),
            # Serves what was done today on the call list.
            models.Index(fields=["clinic", "at"], name="appointments_calls_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
