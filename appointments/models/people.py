"""Who comes, who treats, where, what for, and who may be reached where."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from clinicbot.models import Language
from clinicbot.tenancy import TenantModel


class Practitioner(TenantModel):
    """`hue` 1 to 5 is the strip of their visits; the initials always stand beside it."""

    full_name = models.CharField(_("name"), max_length=120)
    initials = models.CharField(_("initials"), max_length=3)
    specialty = models.CharField(_("speciality"), max_length=80, blank=True)
    hue = models.PositiveSmallIntegerField(_("colour"), default=1)
    user = models.ForeignKey(
        "auth.User", on_delete=models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("login")
    )
    is_active = models.BooleanField(_("active"), default=True)
    services = models.ManyToManyField(
        "appointments.Service",
        through="appointments.PractitionerService",
        related_name="practitioners",
        verbose_name=_("services"),
    )

    class Meta:
        verbose_name = _("practitioner")
        verbose_name_plural = _("practitioners")
        constraints = [models.UniqueConstraint(fields=["clinic", "id"], name="appointments_practitioner_of_clinic")]
        indexes = [models.Index(fields=["clinic", "full_name"], name="appointments_practitioners")]

    def __str__(self) -> str:
        return self.full_name


class Room(TenantModel):
    name = models.CharField(_("name"), max_length=60)
    is_active = models.BooleanField(_("active"), default=True)

    class Meta:
        verbose_name = _("room")
        verbose_name_plural = _("rooms")
        constraints = [
            models.UniqueConstraint(fields=["clinic", "name"], name="appointments_room_names_are_unique"),
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_room_of_clinic"),
        ]

    def __str__(self) -> str:
        return self.name


class Service(TenantModel):
    """What a visit is for. Buffers are kept free around it."""

    name = models.CharField(_("name"), max_length=80)
    duration_minutes = models.PositiveSmallIntegerField(_("minutes"), default=30)
    buffer_before_minutes = models.PositiveSmallIntegerField(_("minutes kept free before"), default=0)
    buffer_after_minutes = models.PositiveSmallIntegerField(_("minutes kept free after"), default=0)
    is_active = models.BooleanField(_("active"), default=True)

    class Meta:
        verbose_name = _("service")
        verbose_name_plural = _("services")
        constraints = [
            models.UniqueConstraint(fields=["clinic", "name"], name="appointments_service_names_are_unique"),
            models.UniqueConstraint(fields=["clinic", "id"], name="appointments_service_of_clinic"),
            models.CheckConstraint(condition=Q(duration_minutes__gt=0), name="appointments_service_takes_time"),
        ]

    def __str__(self) -> str:
        return self.name


class PractitionerService(TenantModel):
    """That somebody gives a service. Without such a row they do not; the use cases of giving write it."""

    practitioner = models.ForeignKey(Practitioner, on_delete=models.CASCADE, related_name="+")
    service = models.ForeignKey(Service, on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name = _("service that somebody gives")
        verbose_name_plural = _("services that somebody gives")
        constraints = [
            models.UniqueConstraint(
                fields=["practitioner", "service"], name="appointments_a_service_is_given_once_by_each"
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class Patient(TenantModel):
    """`search_key` is the name without accents and case; the use cases write it.

    is_guardian_kept_out: they decide for themselves, and nothing about them goes to their guardian.
    """

    full_name = models.CharField(_("name"), max_length=160)
    search_key = models.CharField(max_length=160, editable=False)
    language = models.CharField(_("language"), max_length=8, choices=Language)
    born_on = models.DateField(_("date of birth"), null=True, blank=True)
    guardian = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="dependants", verbose_name=_("guardian")
    )
    is_guardian_kept_out = models.BooleanField(
        _("do not notify the guardian"),
        default=False,
        help_text=_(
            "Nothing about this patient goes to the guardian's number then, nor stands on the guardian's page. "
            "Without a number of the patient's own, each message becomes a task. Links sent before stop working."
        ),
    )
    note = models.TextField(_("note"), blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("patient")
        verbose_name_plural = _("patients")
        constraints = [models.UniqueConstraint(fields=["clinic", "id"], name="appointments_patient_of_clinic")]
        indexes = [
            # Serves the search by the beginning of any name; LIKE patterns need this operator class.
            models.Index(
                fields=["clinic", "search_key"],
                opclasses=["int8_ops", "varchar_pattern_ops"],
                name="appointments_patients_by_name",
            ),
        ]

    def __str__(self) -> str:
        # Reaches logs and admin history, so: no name.
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def first_name(self) -> str:
        return self.full_name.split()[0] if self.full_name.split() else ""


class ContactRole(models.TextChoices):
    OWN = "own", _("own")
    GUARDIAN = "guardian", _("guardian's")


class PatientContact(TenantModel):
    """Who may be reached where, best first. `tail` is the number's last four digits, for the desk's search."""

    patient = models.ForeignKey(Patient, on_delete=models.CASCADE, related_name="reached_at")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=12, choices=ContactRole, default=ContactRole.OWN)
    rank = models.PositiveSmallIntegerField(default=1)
    tail = models.CharField(max_length=4, blank=True)

    class Meta:
        verbose_name = _("way to reach a patient")
        verbose_name_plural = _("ways to reach patients")
        constraints = [
            models.UniqueConstraint(
                fields=["patient", "contact"], name="appointments_one_link_per_patient_and_contact"
            ),
        ]
        indexes = [
            # Serves the search by the last four digits.
            models.Index(fields=["clinic", "tail"], name="appointments_contacts_by_tail"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
