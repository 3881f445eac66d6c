"""Jobs, schedules, ticks and queues: to look at, and to act on by use cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from clinicbot import clock
from clinicbot.actors import Actor
from clinicbot.admin_base import ReadOnlyAdmin
from clinicbot.admin_bulk import is_of_all_pages, start_draft
from clinicbot.admin_scope import TenantForm
from clinicbot.clinic_time import clock_time, short_date
from clinicbot.models import Clinic
from scheduler import bulk_acts
from scheduler.contracts import list_kinds, title_of_kind
from scheduler.errors import BadQueueLimitsError
from scheduler.models import JobState, Queue, Schedule, ScheduledJob, ScheduleRun, TickRun
from scheduler.reason_words import words_of_cause
from scheduler.usecases.operating import cancel_jobs, pause_queue, resume_queue, retry_jobs, set_queue_limits
from scheduler.usecases.scheduling import disable_schedule, enable_schedule


class _KnownValuesFilter(SimpleListFilter):
    """Offers what the code knows. Django's own filter would read the whole table for its values."""

    list_values: Callable[[], Iterable[str]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, value) for value in sorted(type(self).list_values())]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


class QueueFilter(_KnownValuesFilter):
    title = _("queue")
    parameter_name = "queue"

    @staticmethod
    def list_values() -> Iterable[str]:
        return Queue.objects.values_list("name", flat=True)


class KindFilter(_KnownValuesFilter):
    title = _("kind")
    parameter_name = "kind"

    @staticmethod
    def list_values() -> Iterable[str]:
        return [kind.name for kind in list_kinds()]


@admin.register(ScheduledJob)
class ScheduledJobAdmin(ReadOnlyAdmin[ScheduledJob]):
    list_display = ("id", "clinic_id", "what", "state", "due", "attempt", "why")
    list_select_related = ("clinic",)
    list_filter = ("state", QueueFilter, KindFilter)
    search_keys = ("unique_key",)
    found_by_index = {"state__exact": (JobState.QUEUED, JobState.RUNNING, JobState.DEAD)}
    search_help_text = _("Number or exact key")
    ordering = ("-id",)
    fields = ("id", "clinic", "what", "state", "why", "story", "queue", "kind", "priority", "unique_key", "result")
    readonly_fields = ("what", "due", "why", "story")
    actions = ("retry_selected", "cancel_selected", "reschedule_selected")
    list_disable_select_all = False

    @admin.display(description=_("what"), ordering="kind")
    def what(self, job: ScheduledJob) -> str:
        return title_of_kind(job.kind)

    @admin.display(description=_("due"), ordering="run_at")
    def due(self, job: ScheduledJob) -> str:
        return _moment(job.run_at, job.clinic)

    @admin.display(description=_("why"))
    def why(self, job: ScheduledJob) -> str:
        return words_of_cause(job.last_error or job.reason) or "–"

    @admin.display(description=_("story"))
    def story(self, job: ScheduledJob) -> SafeString:
        return format_html_join(SafeString("<br>"), "{}", ((line,) for line in story_of(job)))

    def has_reschedule_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "reschedule")

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "retry")

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "cancel")

    @admin.action(description=_("Try again now"), permissions=["retry"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[ScheduledJob]) -> HttpResponse | None:
        if is_of_all_pages(request):
            return start_draft(request, queryset, act=bulk_acts.RETRY)
        retried = retry_jobs(queryset.values_list("pk", flat=True), actor=Actor.of(request), now=clock.now())
        said = ngettext("%d job queued again.", "%d jobs queued again.", retried.count) % retried.count
        self.message_user(request, said)
        for job_id, live_id in retried.superseded.items():
            said = _("Job %(job)d is superseded by job %(live)d.") % {"job": job_id, "live": live_id}
            self.message_user(request, said, messages.WARNING)
        return None

    @admin.action(description=_("Cancel"), permissions=["cancel"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[ScheduledJob]) -> HttpResponse | None:
        if is_of_all_pages(request):
            return start_draft(request, queryset, act=bulk_acts.CANCEL)
        count = cancel_jobs(queryset.values_list("pk", flat=True), actor=Actor.of(request), now=clock.now())
        self.message_user(request, ngettext("%d job cancelled.", "%d jobs cancelled.", count) % count)
        return None

    @admin.action(description=_("Move to another time"), permissions=["reschedule"])
    def reschedule_selected(self, request: HttpRequest, queryset: QuerySet[ScheduledJob]) -> HttpResponse | None:
        return start_draft(request, queryset, act=bulk_acts.RESCHEDULE)


def story_of(job: ScheduledJob) -> Iterator[str]:
    """What became of it so far, and what comes next, in order."""
    yield _("Planned on %(when)s.") % {"when": _moment(job.created_at, job.clinic)}
    if job.attempt:
        yield ngettext("Begun %d time.", "Begun %d times.", job.attempt) % job.attempt
    if job.crash_count:
        yield (
            ngettext(
                "It stopped its process %d time, and runs alone since.",
                "It stopped its process %d times, and runs alone since.",
                job.crash_count,
            )
            % job.crash_count
        )
    if job.state == JobState.QUEUED:
        yield _("Next on %(when)s.") % {"when": _moment(job.run_at, job.clinic)}
    if job.finished_at:
        ended = {"when": _moment(job.finished_at, job.clinic), "how": job.get_state_display()}
        yield _("Over since %(when)s: %(how)s.") % ended
    if job.state == JobState.DEAD:
        yield gettext("Try again once the cause is gone, or cancel: dead jobs stay until somebody decides.")


def _moment(moment: datetime, clinic: Clinic) -> str:
    return f"{short_date(moment, clinic)} {clock_time(moment, clinic)}"


@admin.register(Schedule)
class ScheduleAdmin(ReadOnlyAdmin[Schedule]):
    list_display = ("id", "clinic_id", "key", "cron", "zone", "is_enabled", "next_due_at")
    list_filter = ("is_enabled",)
    ordering = ("-id",)
    exclude = ("args",)
    actions = ("enable_selected", "disable_selected")

    def has_switch_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "change")

    @admin.action(description=_("Switch on, from the next time on"), permissions=["switch"])
    def enable_selected(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        count = self._each(request, queryset, enable_schedule)
        self.message_user(request, ngettext("%d schedule is on.", "%d schedules are on.", count) % count)

    @admin.action(description=_("Switch off"), permissions=["switch"])
    def disable_selected(self, request: HttpRequest, queryset: QuerySet[Schedule]) -> None:
        count = self._each(request, queryset, disable_schedule)
        self.message_user(request, ngettext("%d schedule is off.", "%d schedules are off.", count) % count)

    def _each(self, request: HttpRequest, queryset: QuerySet[Schedule], use_case: Callable[..., Schedule]) -> int:
        actor, now = Actor.of(request), clock.now()
        named = list(queryset.values_list("clinic_id", "key"))
        for clinic_id, key in named:
            use_case(clinic_id, key=key, actor=actor, now=now)
        return len(named)


@admin.register(ScheduleRun)
class ScheduleRunAdmin(ReadOnlyAdmin[ScheduleRun]):
    list_display = ("id", "clinic_id", "schedule", "local_at", "state", "late_seconds", "job_id")
    list_filter = ("state",)
    list_select_related = ("schedule",)
    ordering = ("-id",)


class _OfNoClinic(ReadOnlyAdmin[Any]):
    """Rows of the whole installation, which only a superuser's permissions reach."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = ModelAdmin.get_queryset(self, request)
        return rows


@admin.register(TickRun)
class TickRunAdmin(_OfNoClinic):
    list_display = ("id", "started_at", "finished_at", "source", "counts", "errors")
    list_filter = ("source",)
    ordering = ("-started_at",)


class QueueForm(TenantForm):
    """The limits, with the use case's own refusal under the form."""

    class Meta:
        model = Queue
        fields = ("concurrency", "rate_per_second", "max_attempts", "backoff_base_seconds")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        given = [cleaned.get(name) for name in ("concurrency", "max_attempts", "backoff_base_seconds")]
        rate = cleaned.get("rate_per_second")
        if any(number is not None and number < 1 for number in given) or (rate is not None and rate <= 0):
            raise forms.ValidationError(str(BadQueueLimitsError()))
        return cleaned


@admin.register(Queue)
class QueueAdmin(_OfNoClinic):
    form = QueueForm
    list_display = ("name", "paused_at", "concurrency", "rate_per_second", "max_attempts", "backoff_base_seconds")
    readonly_fields = ("name", "paused_at", "claims")
    fields = (*readonly_fields, *QueueForm.Meta.fields)
    ordering = ("name",)
    actions = ("pause_selected", "resume_selected")

    def has_change_permission(self, request: HttpRequest, obj: Queue | None = None) -> bool:
        return self.may(request, "change")

    def has_pause_permission(self, request: HttpRequest) -> bool:
        return self.may(request, "pause")

    def save_model(self, request: HttpRequest, obj: Queue, form: Any, change: bool) -> None:
        limits = {name: form.cleaned_data[name] for name in QueueForm.Meta.fields}
        set_queue_limits(obj, **limits, actor=Actor.of(request), now=clock.now())

    def log_change(self, request: HttpRequest, obj: Queue, message: Any) -> list[Any]:
        return []  # The use case wrote it down.

    @admin.action(description=_("Pause"), permissions=["pause"])
    def pause_selected(self, request: HttpRequest, queryset: QuerySet[Queue]) -> None:
        count = sum(pause_queue(queue, actor=Actor.of(request), now=clock.now()) for queue in queryset)
        self.message_user(request, ngettext("%d queue paused.", "%d queues paused.", count) % count)

    @admin.action(description=_("Resume"), permissions=["pause"])
    def resume_selected(self, request: HttpRequest, queryset: QuerySet[Queue]) -> None:
        count = sum(resume_queue(queue, actor=Actor.of(request), now=clock.now()) for queue in queryset)
        self.message_user(request, ngettext("%d queue resumed.", "%d queues resumed.", count) % count)
