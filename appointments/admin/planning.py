"""What a change of hours or closures does to reminders: those that would fall on a day that is closed now go earlier."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from appointments.usecases.reminding import plan_clinic_again
from clinicbot import clock


class PlansRemindersAgain:
    """For pages of a clinic's rows on which its open days depend."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)  # type: ignore[misc]
        plan_clinic_again(form.instance.clinic_id, now=clock.now())

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)  # type: ignore[misc]
        plan_clinic_again(obj.clinic_id, now=clock.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        clinics = set(queryset.values_list("clinic_id", flat=True))
        super().delete_queryset(request, queryset)  # type: ignore[misc]
        for clinic_id in clinics:
            plan_clinic_again(clinic_id, now=clock.now())
