"""How often something may be asked for: so many times an hour for one key, whoever asks, and in words when it is too often."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.crypto import salted_hmac

from clinicbot.models import Tally

WINDOW = timedelta(hours=1)


@transaction.atomic
def count_one(what: str, *, key: str, most: int, now: datetime) -> bool:
    """Count one more, unless `most` were counted within the hour: then False, and nothing is counted.

    key: may be an address; it is kept as a keyed hash.
    """
    tally, _is_new = Tally.objects.select_for_update().get_or_create(
        what=what, key_hash=_hash_of(what, key), defaults={"since": now}
    )
    if now - tally.since >= WINDOW:
        tally.since, tally.count = now, 0
    if tally.count >= most:
        return False
    tally.count += 1
    tally.save(update_fields=["since", "count"])
    return True


def has_room(what: str, *, key: str, most: int, now: datetime) -> bool:
    """Whether one more would be counted. What it says stays true until the transaction ends."""
    found = Tally.objects.select_for_update().filter(what=what, key_hash=_hash_of(what, key)).first()
    return found is None or now - found.since >= WINDOW or found.count < most


def purge_tallies(*, before: datetime, limit: int) -> int:
    """Remove at most `limit` whose hour began before that moment, the oldest first. Says how many."""
    old = Tally.objects.filter(since__lt=before).order_by("since").values_list("pk", flat=True)[:limit]
    return Tally.objects.filter(pk__in=list(old)).delete()[0]


def _hash_of(what: str, key: str) -> str:
    return salted_hmac(what, key, algorithm="sha256").hexdigest()
