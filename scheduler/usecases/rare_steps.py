"""Steps that run once in so many seconds, over all hosts: whoever moves the step's clock runs it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection

from clinicbot.ticks import TickStep
from scheduler.models import StepClock

_TAKE = """
    INSERT INTO scheduler_stepclock (step, ran_at) VALUES (%(step)s, %(real)s)
    ON CONFLICT (step) DO UPDATE SET ran_at = EXCLUDED.ran_at
    WHERE scheduler_stepclock.ran_at <= %(due)s
    RETURNING step
"""


class RareSteps:
    """The rare steps of one tick. It reads the clocks once; later rounds ask the database only when a step may be due."""

    def __init__(self) -> None:
        self._ran_at: dict[str, datetime] | None = None
        self._unfinished: set[str] = set()

    def take(self, step: TickStep, *, real: datetime) -> bool:
        """Whether this tick is to run the step now."""
        if step.name in self._unfinished:
            self._unfinished.discard(step.name)
            return True
        due = real - timedelta(seconds=step.every_seconds)
        ran_at = self._known().get(step.name)
        if ran_at is not None and ran_at > due:
            return False
        self._known()[step.name] = real
        with connection.cursor() as cursor:
            cursor.execute(_TAKE, {"step": step.name, "real": real, "due": due})
            return cursor.fetchone() is not None

    def keep(self, step: TickStep) -> None:
        """The step has more to do: let this tick's next round run it on."""
        self._unfinished.add(step.name)

    def give_back(self, step: TickStep) -> None:
        """The step failed: let the next tick, not this one, try it again."""
        StepClock.objects.filter(step=step.name).delete()

    def _known(self) -> dict[str, datetime]:
        if self._ran_at is None:
            self._ran_at = dict(StepClock.objects.values_list("step", "ran_at"))
        return self._ran_at
