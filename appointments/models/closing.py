"""Closing the clinic, an absence, or a practitioner who leaves, with what becomes of each visit that it hits."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class PlanKind(models.TextChoices):
    AWAY = "away", _("closed or away")
    LEAVES = "leaves", _("leaves the clinic")


class PlanState(models.TextChoices):
    DRAFT = "draft", _("not closed yet")
    WAITING = "waiting", _("closed, nobody told yet")
    TELLING = "telling", _("patients are being told")
    DONE = "done", _("closed")
    UNDONE = "undone", _("taken back")
    DROPPED = "dropped", _("given up")


class ClosurePlan(TenantModel):
    """Who is away from when to when, by the clinic's clock, and how far it has come. `practitioner` None: the whole clinic.

    ends_on: None for somebody who leaves. closure: what keeps bookings out, once it is closed; made_closure: the plan wrote it.
    takes_login: with whoever leaves, their place at the clinic goes too. login_id, login_role: what it was, for an undo.
    announce_at: when patients begin to hear (now time); until then everything can be taken back.
    """

    kind = models.CharField(max_length=8, choices=PlanKind, default=PlanKind.AWAY)
    practitioner = models.ForeignKey(
        "appointments.Practitioner", on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    begins_on = models.DateField(_("from"))
    begins_at = models.TimeField(_("from what time"), null=True, blank=True)
    ends_on = models.DateField(_("to"), null=True, blank=True)
    ends_at = models.TimeField(_("to what time"), null=True, blank=True)
    reason = models.CharField(_("why"), max_length=120)
    state = models.CharField(_("state"), max_length=8, choices=PlanState, default=PlanState.DRAFT)
    closure = models.ForeignKey(
        "appointments.Closure", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_closure = models.BooleanField(default=False)
    takes_login = models.BooleanField(default=False)
    login_id = models.BigIntegerField(null=True, blank=True)
    login_role = models.CharField(max_length=16, blank=True)
    drafted_by = models.BigIntegerField()
    drafted_at = models.DateTimeField()
    closed_by = models.BigIntegerField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    announce_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("planned closure")
        verbose_name_plural = _("planned closures")
        permissions = [("plan_closure", _("Can close days and note absences"))]
        constraints = [
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_plan_of_clinic"),
            models.CheckConstraint(condition=Q(kind__in=PlanKind.values), name="appointments_plan_kind_is_known"),
            models.CheckConstraint(condition=Q(state__in=PlanState.values), name="appointments_plan_state_is_known"),
            models.CheckConstraint(
                condition=Q(kind=PlanKind.LEAVES, practitioner__isnull=False) | Q(ends_on__isnull=False),
                name="appointments_plan_ends_or_somebody_leaves",
            ),
        ]
        indexes = [
            # Serves the list of closures: what is to come, and what is over.
            models.Index(fields=["clinic", "begins_on"], name="appointments_plans_by_day"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def is_leaving(self) -> bool:
        return self.kind == PlanKind.LEAVES

    @property
    def closure_columns(self) -> dict[str, Any]:
        """Of a closure that says the same."""
        return {
            "clinic_id": self.clinic_id,
            "practitioner_id": self.practitioner_id,
            "begins_on": self.begins_on,
            "begins_at": self.begins_at,
            "ends_on": self.ends_on,
            "ends_at": self.ends_at,
            "reason": self.reason,
        }


class VisitDecision(models.TextChoices):
    MOVE = "move", _("move")
    CANCEL = "cancel", _("cancel")
    KEEP = "keep", _("keep")
    LATER = "later", _("decide later")


class VisitOutcome(models.TextChoices):
    """What became of it. CHANGED: somebody moved or cancelled it meanwhile. STUCK, LEFT: a person has to look."""

    PENDING = "pending", _("not yet")
    MOVED = "moved", _("moved")
    CANCELLED = "cancelled", _("cancelled")
    KEPT = "kept", _("kept")
    CHANGED = "changed", _("changed meanwhile")
    STUCK = "stuck", _("could not be done")
    LEFT = "left", _("to be decided")


class ClosureVisit(TenantModel):
    """One visit that a closure hits, as it stood at `seen_version`, and what is to become of it.

    options, target: times as `offers.code_of` writes them; the nearest option first. note: why a visit is kept.
    why: of a visit that is stuck, the code of the error. done_version: of the visit after it was moved or cancelled.
    """

    plan = models.ForeignKey(ClosurePlan, on_delete=models.CASCADE, related_name="visits")
    appointment = models.ForeignKey("appointments.Appointment", on_delete=models.CASCADE, related_name="+")
    seen_version = models.PositiveIntegerField()
    options = ArrayField(models.CharField(max_length=64), default=list)
    decision = models.CharField(max_length=8, choices=VisitDecision, blank=True)
    target = models.CharField(max_length=64, blank=True)
    note = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=12, choices=VisitOutcome, default=VisitOutcome.PENDING)
    why = models.CharField(max_length=64, blank=True)
    done_version = models.PositiveIntegerField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("visit of a closure")
        verbose_name_plural = _("visits of closures")
        constraints = [
            models.UniqueConstraint(fields=["plan", "appointment"], name="appointments_a_visit_once_per_plan"),
            models.CheckConstraint(
                condition=Q(decision__in=["", *VisitDecision.values]), name="appointments_decision_is_known"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=VisitOutcome.values), name="appointments_visit_outcome_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(decision=VisitDecision.MOVE) | ~Q(target=""), name="appointments_a_move_has_a_target"
            ),
        ]
        indexes = [
            # Serves the sender: whether what becomes of a visit is settled.
            models.Index(fields=["clinic", "appointment"], name="appointments_closures_of_visit"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
