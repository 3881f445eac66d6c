"""Acts on many rows: which there are, and a batch drafted from what somebody chose in a list.

Houses register theirs in `bulk_acts.py`, found by name. A draft does nothing; whoever confirms it has it carried out in chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from django.db.models import QuerySet

from clinicbot.actors import Actor
from clinicbot.errors import NothingChosenError, TooManyChosenError
from clinicbot.models import BulkBatch, Clinic

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise as StrOrPromise

MOST_ROWS = 50_000
"""Of one batch. Who means more filters first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Some rows of a batch. moment: to when, for acts that need one. share: of the whole spread, from where to where (0 to 1)."""

    ids: Sequence[Any]
    actor: Actor
    reason: str
    now: datetime
    moment: datetime | None = None
    spread_seconds: int = 0
    share: tuple[float, float] = (0.0, 1.0)


class CarryOut(Protocol):
    """Does it to those of the rows that it can still be done to, and says how many.

    Idempotent by: a row that it was done to is no longer one that it can be done to.
    """

    def __call__(self, chunk: Chunk) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkAct:
    """title: a verb and its object. effect: what it does, and what it does not. needs_moment: it moves rows to a time.

    spreads_itself: its chunks follow each other at once, and what it makes lies apart.
    """

    name: str
    title: StrOrPromise
    effect: StrOrPromise
    permission: str
    carry_out: CarryOut
    needs_moment: bool = False
    spreads_itself: bool = False


_acts: dict[str, BulkAct] = {}


def bulk_act(
    name: str,
    *,
    title: StrOrPromise,
    effect: StrOrPromise,
    permission: str,
    needs_moment: bool = False,
    spreads_itself: bool = False,
) -> Callable[[CarryOut], CarryOut]:
    """Register an act. Its name is that of its entries in the audit trail."""

    def register(carry_out: CarryOut) -> CarryOut:
        _acts[name] = BulkAct(
            name=name,
            title=title,
            effect=effect,
            permission=permission,
            carry_out=carry_out,
            needs_moment=needs_moment,
            spreads_itself=spreads_itself,
        )
        return carry_out

    return register


def find_act(name: str) -> BulkAct | None:
    return _acts.get(name)


def draft_batch(
    rows: QuerySet[Any], *, act: str, clinic: Clinic | None, chosen_by: str, actor: Actor, now: datetime
) -> BulkBatch:
    """Keep what was chosen, as it is now: what comes to match later is not in it. Nothing is done yet.

    chosen_by: the filter, as the list's address has it. clinic None: rows of several, chosen by a superuser.

    Raises:
        NothingChosenError, TooManyChosenError
    """
    ids = list(rows.order_by("pk").values_list("pk", flat=True)[: MOST_ROWS + 1])
    if not ids:
        raise NothingChosenError
    if len(ids) > MOST_ROWS:
        raise TooManyChosenError
    return BulkBatch.objects.create(
        clinic=clinic,
        act=act,
        ids=[one if isinstance(one, int) else str(one) for one in ids],
        count=len(ids),
        chosen_by=chosen_by[:400],
        drafted_by=actor.id or 0,
        drafted_at=now,
        first_clinic_id=rows.values_list("clinic_id", flat=True).get(pk=ids[0]),
    )
