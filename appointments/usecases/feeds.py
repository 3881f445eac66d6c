"""Giving a practitioner's calendar an address, and taking it away."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import QuerySet

from appointments.errors import NotAtThisClinicError
from appointments.models import CalendarFeed, Practitioner
from appointments.queries.feeds import works_here
from clinicbot import audit
from clinicbot.actors import Actor
from clinicbot.models import Clinic
from clinicbot.secret_links import hash_of, new_token


class OpenedFeed(NamedTuple):
    """token: the end of the address; nobody can read it again."""

    feed: CalendarFeed
    token: str


@transaction.atomic
def open_feed(clinic: Clinic, *, practitioner_id: int, shows_names: bool, actor: Actor, now: datetime) -> OpenedFeed:
    """A new address; the one before it ends at once.

    Raises:
        NotAtThisClinicError: no such practitioner here, or one who no longer works, or whose login ended.
    """
    works = Practitioner.objects.for_clinic(clinic).select_for_update(no_key=True).filter(works_here())
    practitioner = works.filter(pk=practitioner_id).first()
    if practitioner is None:
        raise NotAtThisClinicError
    _live(clinic).filter(practitioner=practitioner).update(revoked_at=now)
    token = new_token()
    feed = CalendarFeed.objects.create(
        clinic=clinic,
        practitioner=practitioner,
        token_hash=hash_of(token),
        shows_names=shows_names,
        created_at=now,
    )
    audit.record(actor, clinic=clinic, action="opened", subject=feed, detail={"shows_names": shows_names}, now=now)
    return OpenedFeed(feed, token)


@transaction.atomic
def close_feed(clinic: Clinic, *, practitioner_id: int, actor: Actor, now: datetime) -> bool:
    """False where there is none (any more)."""
    feed = _live(clinic).select_for_update(no_key=True).filter(practitioner_id=practitioner_id).first()
    if feed is None:
        return False
    feed.revoked_at = now
    feed.save(update_fields=["revoked_at"])
    audit.record(actor, clinic=clinic, action="closed", subject=feed, now=now)
    return True


@transaction.atomic
def end_feeds_of(user_id: int, *, clinic_id: int | None = None, now: datetime) -> int:
    """The addresses of whoever has that login are over for good, whatever becomes of it; None: at every clinic. Says how many."""
    live = CalendarFeed.unscoped.select_for_update(of=("self",), no_key=True).select_related("clinic").order_by("pk")
    theirs = live.filter(practitioner__user_id=user_id, revoked_at__isnull=True)
    ending = list(theirs if clinic_id is None else theirs.filter(clinic_id=clinic_id))
    for feed in ending:
        feed.revoked_at = now
        feed.save(update_fields=["revoked_at"])
        audit.record(Actor.system(), clinic=feed.clinic, action="closed", subject=feed, now=now)
    return len(ending)


@transaction.atomic
def end_feeds_of_practitioner(practitioner: Practitioner, *, now: datetime) -> None:
    """They do not work here any more, with a login or without."""
    for feed in _live(practitioner.clinic).select_for_update(no_key=True).filter(practitioner=practitioner):
        feed.revoked_at = now
        feed.save(update_fields=["revoked_at"])
        audit.record(Actor.system(), clinic=practitioner.clinic, action="closed", subject=feed, now=now)


def note_reading(feed: CalendarFeed, *, real: datetime) -> None:
    CalendarFeed.objects.for_clinic(feed.clinic_id).filter(pk=feed.pk).update(read_at=real)


def _live(clinic: Clinic) -> QuerySet[CalendarFeed]:
    return CalendarFeed.objects.for_clinic(clinic).filter(revoked_at__isnull=True)
