"""Whoever may invite nobody any more leaves no open invitation behind, by whatever door their place or role was taken."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save, pre_delete
from django.dispatch import receiver

from clinicbot import clock
from clinicbot.inviting import end_invitations_of
from clinicbot.models import Membership, Role


@receiver(pre_delete, sender=Membership)
def when_a_place_ends(instance: Membership, **_sent: Any) -> None:
    """Before it is deleted, so also when the login is: then who invited still stands in the rows."""
    end_invitations_of(instance.user_id, clinic_id=instance.clinic_id, now=clock.now())


@receiver(post_save, sender=Membership)
def when_a_role_changes(instance: Membership, *, created: bool, **_sent: Any) -> None:
    if not created and instance.role != Role.CLINIC_ADMIN:
        end_invitations_of(instance.user_id, clinic_id=instance.clinic_id, now=clock.now())


@receiver(post_save, sender=User)
def when_a_login_closes(instance: User, *, created: bool, **_sent: Any) -> None:
    if not created and not instance.is_active:
        end_invitations_of(instance.pk, now=clock.now())
