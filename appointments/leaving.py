"""Whoever leaves, or has the login of a practitioner no more, reads no calendar with an address they kept."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save, pre_delete, pre_save
from django.dispatch import receiver

from appointments.models import Practitioner
from appointments.usecases.feeds import end_feeds_of
from clinicbot import clock
from clinicbot.models import Membership


@receiver(pre_delete, sender=Membership)
def when_a_place_ends(instance: Membership, **_sent: Any) -> None:
    """Before it is deleted, so also when the login is: then the practitioner still has it."""
    end_feeds_of(instance.user_id, clinic_id=instance.clinic_id, now=clock.now())


@receiver(post_save, sender=User)
def when_a_login_closes(instance: User, *, created: bool, **_sent: Any) -> None:
    if not created and not instance.is_active:
        end_feeds_of(instance.pk, now=clock.now())


@receiver(pre_save, sender=Practitioner)
def when_a_practitioner_gets_another_login(instance: Practitioner, **_sent: Any) -> None:
    before = Practitioner.objects.for_clinic(instance.clinic_id).filter(pk=instance.pk).first() if instance.pk else None
    if before is not None and before.user_id is not None and before.user_id != instance.user_id:
        end_feeds_of(before.user_id, clinic_id=instance.clinic_id, now=clock.now())
