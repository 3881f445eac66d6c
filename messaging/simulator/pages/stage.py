"""Whose phones stand on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from messaging.simulator.ledger import Ledger

ROOM, MOST_ROOM = 3, 4
MOST_LISTED, MOST_FACES = 300, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """One phone in the list. `last` is the ledger id of its latest message, `news` how many came since `seen`."""

    id: int
    name: str
    number: str
    is_on: bool
    pinned: bool
    last: int
    news: int


def list_people(ledger: Ledger, *, seen: int) -> list[Person]:
    """Whoever was written to last comes first; then the pinned ones, then by age."""
    rows = ledger.rows(
        "SELECT phones.*, coalesce(max(messages.id), 0) AS last,"
        " coalesce(sum(messages.direction = 'out' AND messages.id > ? AND messages.state != 'failed'), 0) AS news"
        " FROM phones LEFT JOIN messages ON messages.phone_id = phones.id AND messages.state != 'accepted'"
        " GROUP BY phones.id ORDER BY last DESC, pinned DESC, phones.id LIMIT ?",
        seen, MOST_LISTED,
    )  # fmt: skip
    return [
        Person(
            id=row["id"],
            name=row["name"],
            number=f"*** {row['digits'][-4:]}",
            is_on=bool(row["is_on"]),
            pinned=bool(row["pinned"]),
            last=row["last"],
            news=row["news"],
        )
        for row in rows
    ]


def faces_of(people: Sequence[Person], *, slots: Sequence[int]) -> list[Person]:
    """Those that stand on the page and the latest others, in an order that does not change under the finger."""
    shown = [person for place, person in enumerate(people) if person.id in slots or place < MOST_FACES]
    return sorted(shown, key=lambda person: (not person.pinned, person.id))


def choose(
    people: Sequence[Person], *, slots: Sequence[int], follow: bool, busy: Sequence[int] = (), room: int = ROOM
) -> list[int]:
    """Which phones stand where. A phone keeps its place; following, the latest ones push out the quietest.

    `busy` ones, where somebody is typing, are never pushed out.
    """
    known = {person.id: person for person in people}
    kept = [slot for slot in slots if slot in known]
    liveliest = sorted(kept, key=lambda slot: (slot in busy, known[slot].last if follow else 0), reverse=True)[:room]
    kept = [slot for slot in kept if slot in liveliest]
    wanted = [person.id for person in [*(p for p in people if p.pinned), *people]]
    for candidate in wanted:
        if len(kept) < room and candidate not in kept and (follow or not slots):
            kept.append(candidate)
    if not slots:
        kept.sort(key=lambda slot: (not known[slot].pinned, slot))
    if follow:
        for newcomer in [person.id for person in people[:room] if person.last and person.id not in kept]:
            movable = [slot for slot in kept if slot not in busy]
            quietest = min(movable, key=lambda slot: known[slot].last, default=None)
            if quietest is not None and known[quietest].last < known[newcomer].last:
                kept[kept.index(quietest)] = newcomer
    return kept
