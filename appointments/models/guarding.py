"""What only the use cases of visits may write: patients must hear of it. Everywhere else it raises, by whatever door."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from django.db import models

from appointments.errors import ChangedOutsideUseCaseError
from clinicbot.tenancy import TenantManager, TenantQuerySet

GUARDED = (
    "status",
    "local_date",
    "local_time",
    "zone",
    "duration_minutes",
    "starts_at",
    "ends_at",
    "occupied",
    "practitioner_id",
    "room_id",
    "service_id",
    "notice_version",
    "arrived_at",
    "seated_at",
    "finished_at",
)

_may_change: ContextVar[bool] = ContextVar("appointment_may_change", default=False)
_Row = TypeVar("_Row", bound=models.Model)


@contextmanager
def changing_visits() -> Iterator[None]:
    """Only the use cases open this."""
    token = _may_change.set(True)
    try:
        yield
    finally:
        _may_change.reset(token)


def check_may_change() -> None:
    """Raises `ChangedOutsideUseCaseError`, which says what to call."""
    if not _may_change.get():
        raise ChangedOutsideUseCaseError(
            "Use book_appointment, reschedule_appointment, cancel_appointment, confirm_appointment, change_visit, undo_change,"
            " or what attendance.py has."
        )


class _GuardedWrites(models.QuerySet[_Row]):
    """Statements that no `save()` sees."""

    def update(self, **kwargs: Any) -> int:
        columns = {self.model._meta.pk if name == "pk" else self.model._meta.get_field(name) for name in kwargs}
        if any(getattr(column, "attname", "") in GUARDED for column in columns):
            check_may_change()
        return super().update(**kwargs)

    def bulk_create(self, objs: Iterable[_Row], *args: Any, **kwargs: Any) -> list[_Row]:
        check_may_change()
        return super().bulk_create(objs, *args, **kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        check_may_change()
        return super().delete()


class GuardedTenantQuerySet(_GuardedWrites[_Row], TenantQuerySet[_Row]):  # type: ignore[override]  # `as_manager`, unused.
    """As all rows of a clinic, and guarded."""


class GuardedManager(models.Manager[_Row]):
    """`unscoped`, and guarded."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        return _GuardedWrites(self.model, using=self._db)


class GuardedTenantManager(TenantManager[_Row]):
    def get_queryset(self) -> TenantQuerySet[_Row]:
        return GuardedTenantQuerySet(self.model, using=self._db)
