"""Rows that belong to a clinic, and a manager that will not answer before it knows which one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models.sql import Query

from clinicbot.any_of import AnyOf
from clinicbot.errors import UnscopedQueryError

_Row = TypeVar("_Row", bound=models.Model)


class TenantQuery(Query):
    """Remembers whether a clinic was named, through every clone, and inside `Exists` and `Subquery`, which see no queryset."""

    is_scoped = True  # For the sub-queries that Django makes by itself, of rows that hang on the outer query's.

    def check_scope(self) -> None:
        if not self.is_scoped:
            label = self.model._meta.label if self.model else "?"
            raise UnscopedQueryError(f"{label}: call .for_clinic(clinic) first.")

    def resolve_expression(self, *args: Any, **kwargs: Any) -> Any:
        """Sub-queries are evaluated by their parent, so they are checked here."""
        self.check_scope()
        return super().resolve_expression(*args, **kwargs)


class TenantQuerySet(models.QuerySet[_Row]):
    """Raises `UnscopedQueryError` when it is evaluated before `.for_clinic(...)` or `.for_pairs(...)`."""

    query: TenantQuery

    def __init__(self, model: type[_Row] | None = None, query: Query | None = None, **kwargs: Any) -> None:
        super().__init__(model, query or TenantQuery(model), **kwargs)
        if query is None:
            self.query.is_scoped = False

    def for_clinic(self, clinic: models.Model | int) -> Self:
        """Only that clinic's rows."""
        clinic_id = clinic.pk if isinstance(clinic, models.Model) else clinic
        return self._scoped(self.filter(clinic_id=clinic_id))

    def for_pairs(self, pairs: Iterable[tuple[int, Any]], *, by: str = "pk") -> Self:
        """Rows named by (clinic id, id), for bulk work over many clinics. A pair that does not match finds nothing.

        by: the column that the second half names, when it is not the row's own id.
        """
        ids_of: defaultdict[int, set[Any]] = defaultdict(set)
        for clinic_id, value in pairs:
            ids_of[clinic_id].add(value)
        wanted = models.Q(pk__in=[])
        for clinic_id, values in ids_of.items():
            wanted |= models.Q(AnyOf(self.model, by, values), clinic_id=clinic_id)
        return self._scoped(self.filter(wanted))

    def _scoped(self, queryset: Self) -> Self:
        queryset.query.is_scoped = True
        return queryset

    def _check_scope(self) -> None:
        self.query.check_scope()

    def _fetch_all(self) -> None:
        self._check_scope()
        super()._fetch_all()

    def __or__(self, other: models.QuerySet[Any]) -> Self:
        self._check_other(other)
        return super().__or__(other)

    def __xor__(self, other: models.QuerySet[Any]) -> Self:
        self._check_other(other)
        return super().__xor__(other)

    def union(self, *others: models.QuerySet[Any], all: bool = False) -> Self:  # noqa: A002  # Django's word.
        for other in others:
            self._check_other(other)
        return super().union(*others, all=all)

    def _check_other(self, other: Any) -> None:
        """What is joined to a clinic's rows may not bring everybody's along."""
        if isinstance(other, TenantQuerySet):
            other.query.check_scope()

    def iterator(self, chunk_size: int | None = None) -> Iterator[_Row]:
        self._check_scope()
        return super().iterator(chunk_size) if chunk_size else super().iterator()

    def count(self) -> int:
        self._check_scope()
        return super().count()

    def exists(self) -> bool:
        self._check_scope()
        return super().exists()

    def aggregate(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        self._check_scope()
        return super().aggregate(*args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        self._check_scope()
        return super().update(**kwargs)

    def delete(self) -> tuple[int, dict[str, int]]:
        self._check_scope()
        return super().delete()


class TenantManager(models.Manager[_Row]):
    """`objects` of a clinic's rows. Creating needs no scope: the row names its clinic."""

    def get_queryset(self) -> TenantQuerySet[_Row]:
        return TenantQuerySet(self.model, using=self._db)

    def for_clinic(self, clinic: models.Model | int) -> TenantQuerySet[_Row]:
        return self.get_queryset().for_clinic(clinic)

    def for_pairs(self, pairs: Iterable[tuple[int, Any]], *, by: str = "pk") -> TenantQuerySet[_Row]:
        return self.get_queryset().for_pairs(pairs, by=by)


class TenantModel(models.Model):
    """A row of one clinic. `unscoped` is for Django's own needs, the admin base and bulk claims."""

    clinic = models.ForeignKey("clinicbot.Clinic", on_delete=models.PROTECT, related_name="+")

    unscoped: ClassVar[models.Manager[Self]] = models.Manager()
    objects: ClassVar[TenantManager[Self]] = TenantManager()

    class Meta:
        abstract = True
        default_manager_name = "unscoped"
