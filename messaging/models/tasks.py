"""What a person at the clinic must look at."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel
from messaging.contracts import TaskReason


class TaskState(models.TextChoices):
    OPEN = "open", _("open")
    DONE = "done", _("done")


class StaffTask(TenantModel):
    """One open question to staff. `unique_key` keeps the same cause from opening two; it counts among open ones only,
    except for trouble of the machine: each time that something dies opens one task, ever.

    contact: the conversation that it belongs to, and is answered in; none: it is no conversation, and stands in the list of tasks.
    cause_at: when it died; again is another time. NULL where the cause itself says when it is over.
    """

    reason = models.CharField(max_length=32)
    state = models.CharField(max_length=8, choices=TaskState, default=TaskState.OPEN)
    unique_key = models.CharField(max_length=160)
    person_kind = models.CharField(max_length=16, blank=True)
    person_id = models.BigIntegerField(null=True)
    subject_type = models.CharField(max_length=32, blank=True)
    subject_id = models.CharField(max_length=64, blank=True)
    message = models.ForeignKey("messaging.Message", on_delete=models.SET_NULL, null=True, related_name="tasks")
    inbound = models.ForeignKey("messaging.InboundMessage", on_delete=models.SET_NULL, null=True, related_name="tasks")
    contact = models.ForeignKey(
        "messaging.Contact", on_delete=models.SET_NULL, null=True, related_name="tasks", editable=False, db_index=False
    )
    detail = models.CharField(max_length=64, blank=True)
    cause_at = models.DateTimeField(null=True, editable=False)
    opened_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = models.BigIntegerField(null=True)

    class Meta:
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "unique_key"],
                condition=Q(state=TaskState.OPEN),
                name="messaging_one_open_task_per_cause",
            ),
            # Its index serves the look for dead work, too.
            models.UniqueConstraint(
                fields=["clinic", "unique_key", "cause_at"],
                condition=Q(reason=TaskReason.MACHINE_TROUBLE.value),
                nulls_distinct=False,
                name="messaging_one_task_per_death",
            ),
        ]
        indexes = [
            # Serves the inbox, the task list and their count in the bar.
            models.Index(
                fields=["clinic", "opened_at"], condition=Q(state=TaskState.OPEN), name="messaging_open_tasks"
            ),
            # Serves the story of a visit.
            models.Index(fields=["clinic", "subject_type", "subject_id"], name="messaging_tasks_about"),
            # Serves a conversation.
            models.Index(fields=["clinic", "contact", "-id"], name="messaging_tasks_of_contact"),
        ]
        permissions = [("finish_stafftask", "Can mark tasks as done")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
