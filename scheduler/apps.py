from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core.checks import register
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from scheduler.checks import check_job_queues
from scheduler.contracts import declare_queue, declared_queues


class SchedulerConfig(AppConfig):
    name = "scheduler"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        declare_queue("appointment-reminders", concurrency=5, rate_per_second=50)
        declare_queue("daily-agenda", concurrency=2)
        declare_queue("dental-messages", concurrency=3)
        declare_queue("maintenance", concurrency=2)
        register(check_job_queues)
        post_migrate.connect(create_missing_queues, sender=self)


def create_missing_queues(sender: SchedulerConfig, using: str, **kwargs: Any) -> None:
    """What a superuser has changed stays."""
    queue: Any = sender.get_model("Queue")
    queue.objects.using(using).bulk_create(
        [
            queue(name=name, concurrency=concurrency, rate_per_second=rate)
            for name, (concurrency, rate) in declared_queues().items()
        ],
        ignore_conflicts=True,
    )
