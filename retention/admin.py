"""What was removed, and when: a superuser's, for it is the whole machine's and no clinic's."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from clinicbot.access import is_superuser
from clinicbot.admin_base import ReadOnlyAdmin
from retention.models import PurgeRun


@admin.register(PurgeRun)
class PurgeRunAdmin(ReadOnlyAdmin[PurgeRun]):
    list_display = ("id", "what", "removed", "older_than", "is_complete", "error", "ran_at")
    list_filter = ("what", "is_complete")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[PurgeRun]:
        return PurgeRun.objects.order_by("-id") if is_superuser(request.user) else PurgeRun.objects.none()

    def has_view_permission(self, request: HttpRequest, obj: PurgeRun | None = None) -> bool:
        return is_superuser(request.user)
