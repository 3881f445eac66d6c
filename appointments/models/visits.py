"""Visits, what happened to them, and the keys that keep one wish from becoming two."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, Self

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Deferrable, Q
from django.utils.translation import gettext_lazy as _

from appointments.models.guarding import GUARDED, GuardedManager, GuardedTenantManager, check_may_change
from clinicbot.tenancy import TenantManager, TenantModel


class AppointmentStatus(models.TextChoices):
    REQUESTED = "requested", _("requested")
    BOOKED = "booked", _("booked")
    CONFIRMED = "confirmed", _("confirmed")
    ARRIVED = "arrived", _("here")
    ATTENDED = "attended", _("attended")
    NO_SHOW = "no_show", _("no show")
    CANCELLED_BY_PATIENT = "cancelled_by_patient", _("cancelled by the patient")
    CANCELLED_BY_CLINIC = "cancelled_by_clinic", _("cancelled by the clinic")
    CANCELLED_LATE = "cancelled_late", _("cancelled late")
    EXPIRED = "expired", _("expired")


ENDED = [
    AppointmentStatus.CANCELLED_BY_PATIENT,
    AppointmentStatus.CANCELLED_BY_CLINIC,
    AppointmentStatus.CANCELLED_LATE,
    AppointmentStatus.EXPIRED,
]
OPEN = [AppointmentStatus.REQUESTED, AppointmentStatus.BOOKED, AppointmentStatus.CONFIRMED]
OUTCOMES = [AppointmentStatus.ATTENDED, AppointmentStatus.NO_SHOW, AppointmentStatus.CANCELLED_LATE]
PRESENT_OR_OVER = [AppointmentStatus.ARRIVED, AppointmentStatus.ATTENDED, AppointmentStatus.NO_SHOW]
LIVE = ~Q(status__in=ENDED)
FIRST_VERSION = 1


class Appointment(TenantModel):
    """One patient with one practitioner at one time.

    The wall-clock time at the clinic is the truth; `starts_at`, `ends_at` and `occupied` (UTC, buffers included) are derived.
    notice_version rises when time, place, practitioner or liveness changes. hold_expires_at: only while requested (now time).
    link_token opens the patient's page to whoever holds it, and stays the same for ever.
    is_told_in_person: who booked it stood or spoke with the patient, so nothing confirms the booking.
    is_brought_in: it was booked elsewhere, and the patient knows of it.
    has_reminders: not of a visit that was brought in from elsewhere, until the clinic says that they begin.
    arrived_at, seated_at, finished_at: when somebody noted that the patient was here, in the chair, done (now time).
    series: the visits it was booked together with, if it was.
    """

    patient = models.ForeignKey("appointments.Patient", on_delete=models.PROTECT, related_name="visits")
    practitioner = models.ForeignKey("appointments.Practitioner", on_delete=models.PROTECT, related_name="visits")
    room = models.ForeignKey(
        "appointments.Room", on_delete=models.PROTECT, null=True, blank=True, related_name="visits"
    )
    service = models.ForeignKey("appointments.Service", on_delete=models.PROTECT, related_name="visits")
    series = models.ForeignKey(
        "appointments.VisitSeries", on_delete=models.PROTECT, null=True, blank=True, related_name="visits"
    )
    local_date = models.DateField(_("day"))
    local_time = models.TimeField(_("time"))
    zone = models.CharField(max_length=64)
    duration_minutes = models.PositiveSmallIntegerField(_("minutes"))
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    occupied = DateTimeRangeField()
    status = models.CharField(max_length=24, choices=AppointmentStatus)
    notice_version = models.PositiveIntegerField(default=FIRST_VERSION)
    hold_expires_at = models.DateTimeField(null=True, blank=True)
    note = models.TextField(_("note"), blank=True)
    is_told_in_person = models.BooleanField(_("told in person"), default=False)
    is_brought_in = models.BooleanField(_("brought in from elsewhere"), default=False)
    has_reminders = models.BooleanField(_("gets reminders"), default=True)
    arrived_at = models.DateTimeField(_("here since"), null=True, blank=True)
    seated_at = models.DateTimeField(_("taken in at"), null=True, blank=True)
    finished_at = models.DateTimeField(_("done at"), null=True, blank=True)
    # What the standard library makes: a migration may name it.
    link_token = models.CharField(
        max_length=32, unique=True, default=partial(secrets.token_urlsafe, 16), editable=False
    )
    created_at = models.DateTimeField()

    unscoped: ClassVar[models.Manager[Self]] = GuardedManager()
    objects: ClassVar[TenantManager[Self]] = GuardedTenantManager()

    class Meta:
        verbose_name = _("visit")
        verbose_name_plural = _("visits")
        permissions = [("mark_attendance", _("Can note who came"))]
        constraints = [
            ExclusionConstraint(
                name="appointments_no_overlap_per_practitioner",
                expressions=[("practitioner", RangeOperators.EQUAL), ("occupied", RangeOperators.OVERLAPS)],
                condition=LIVE,
                deferrable=Deferrable.IMMEDIATE,
            ),
            ExclusionConstraint(
                name="appointments_no_overlap_per_room",
                expressions=[("room", RangeOperators.EQUAL), ("occupied", RangeOperators.OVERLAPS)],
                condition=LIVE & Q(room__isnull=False),
                deferrable=Deferrable.IMMEDIATE,
            ),
            models.CheckConstraint(
                condition=Q(status__in=AppointmentStatus.values), name="appointments_status_is_known"
            ),
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_visit_of_clinic"),
        ]
        indexes = [
            # Serves queries.days.of_day: one clinic's day, in order.
            models.Index(fields=["clinic", "local_date", "local_time"], name="appointments_by_day"),
            # Serves a patient's page and the story of a family.
            models.Index(fields=["clinic", "patient", "-starts_at"], name="appointments_of_patient"),
            # Serves the others of a visit's series, on its page and where all that follow are moved or cancelled.
            models.Index(fields=["clinic", "series"], name="appointments_of_series", condition=Q(series__isnull=False)),
        ]

    def __str__(self) -> str:
        # Reaches logs and admin history, so: no patient name.
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def is_live(self) -> bool:
        return self.status not in ENDED

    @property
    def has_outcome(self) -> bool:
        """Whether somebody noted what became of it."""
        return self.status in OUTCOMES

    @property
    def is_known_as_booked(self) -> bool:
        """Whether the patient knows when it was to be, though no message of ours said so."""
        return self.is_told_in_person or self.is_brought_in

    def can_change(self, *, now: datetime) -> bool:
        """Whether it can still be moved, cancelled or confirmed: live, not begun, and nobody has come for it yet."""
        return self.is_live and self.status not in PRESENT_OR_OVER and self.starts_at > now

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any], **rest: Any) -> Self:
        visit = super().from_db(db, field_names, values, **rest)
        visit.as_loaded = {name: visit.__dict__[name] for name in GUARDED if name in visit.__dict__}
        return visit

    as_loaded: dict[str, Any] | None = None

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises `ChangedOutsideUseCaseError` for a change that patients must hear of, made anywhere but in a use case."""
        loaded = self.as_loaded
        if loaded is None or any(self.__dict__.get(name) != value for name, value in loaded.items()):
            check_may_change()
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Raises `ChangedOutsideUseCaseError`: a visit ends by being cancelled."""
        check_may_change()
        return super().delete(*args, **kwargs)


class DerivedTimes(TenantModel):
    """The zone, and the edition of the time zone data, by which a clinic's coming visits got their instants.

    derived_at: in real time. is_settled: they were looked at again since, when no process can have booked by the old ones.
    """

    zone = models.CharField(max_length=64)
    tz_version = models.CharField(max_length=16)
    derived_at = models.DateTimeField()
    is_settled = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clinic"], name="appointments_derived_once_per_clinic")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class ChangeKind(models.TextChoices):
    BOOKED = "booked", _("booked")
    MOVED = "moved", _("moved")
    CANCELLED = "cancelled", _("cancelled")
    CONFIRMED = "confirmed", _("confirmed")
    EDITED = "edited", _("edited")
    ASKED_TO_MOVE = "asked_to_move", _("asked for another time")
    EXPIRED = "expired", _("expired")
    ARRIVED = "arrived", _("here")
    SEATED = "seated", _("taken in")
    ATTENDED = "attended", _("attended")
    NO_SHOW = "no_show", _("no show")
    CANCELLED_LATE = "cancelled_late", _("cancelled late")
    UNDONE = "undone", _("taken back")


class AppointmentChange(TenantModel):
    """One line of a visit's history: what changed, by whom, why. Values are times and ids, never names.

    before, after: {"local_date", "local_time", "practitioner_id", "room_id", "service_id", "duration_minutes", "status",
    "has_reminders", "arrived_at", "seated_at", "finished_at"} as far as they changed; of a note, that it is another.
    undoes: the line that this one took back; none where all that was noted of who came is taken back at once.
    act_id: lines of several visits that were written by one act have the same; the patient is told of all of them in one message.
    note_before: what the note said before another was written, so that it can be taken back; not kept for longer than that.
    """

    appointment = models.ForeignKey(Appointment, on_delete=models.PROTECT, related_name="changes")
    kind = models.CharField(max_length=16, choices=ChangeKind)
    notice_version = models.PositiveIntegerField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.BigIntegerField(null=True)
    reason = models.CharField(max_length=200, blank=True)
    inbound_id = models.UUIDField(null=True, blank=True)
    before = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    after = models.JSONField(encoder=DjangoJSONEncoder, default=dict)
    happened_at = models.DateTimeField()
    undoes = models.OneToOneField(
        "appointments.AppointmentChange", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by"
    )
    act_id = models.UUIDField(null=True, blank=True)
    note_before = models.TextField(null=True, blank=True)  # noqa: DJ001  No text is not the same as an empty note.

    class Meta:
        verbose_name = _("change of a visit")
        verbose_name_plural = _("changes of visits")
        constraints = [models.UniqueConstraint(fields=["clinic", "id"], name="appointments_change_of_clinic")]
        indexes = [
            models.Index(fields=["clinic", "appointment", "id"], name="appointments_changes_of_visit"),
            # Serves the purge of notes that cannot be taken back any more.
            models.Index(
                fields=["happened_at"], name="appointments_notes_before", condition=Q(note_before__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class BookingKey(TenantModel):
    """An idempotency key: what was asked for, so that asking again does it once. Retired ones no longer answer.

    MANUAL_: a booking at the desk; read to answer a repeated booking with the visit it made.
    RESCHEDULE_: a move; written for the record and not read, for a repeated move finds the visit standing there.
    IMPORT_: a line of a file, by whose visit it was written as; never retired, so that the same file again adds nothing
    even where the visit has moved or ended since.
    WHATSAPP_: a booking by chat, not written yet; it is never retired, and a refused one has no visit.
    """

    key = models.CharField(max_length=160)
    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE, null=True, related_name="keys")
    made_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "key"], condition=Q(retired_at__isnull=True), name="appointments_one_live_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class FormToken(TenantModel):
    """A form that was sent. The same form again (a double click, the back button) answers with what it did."""

    token = models.UUIDField()
    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE, related_name="+")
    used_at: models.DateTimeField[datetime, datetime] = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["clinic", "token"], name="appointments_form_sent_once")]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
