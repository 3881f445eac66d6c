"""What bare words can be about (DESIGN 10, a tap: the quoted message, else the single open question, else we ask which)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from tests.month.oracle.ledger import in_order
from tests.month.oracle.phones import OnPhone, Phone
from tests.month.oracle.visits import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """`question`: the message that is answered. `is_certain`: no other visit can be meant. `standing`: all visits that can be."""

    question: OnPhone | None
    is_certain: bool
    standing: list[Visit]


def talk_on(phone: Phone, *, quoted: OnPhone | None, now: datetime) -> Talk:
    if quoted is not None:
        return Talk(question=quoted, is_certain=True, standing=quoted.standing(now=now))
    open_ones = _open_ones(phone, now=now)
    if not open_ones:
        late = next((one for one in phone.newest_first() if one.visits), None)
        return Talk(question=late, is_certain=False, standing=[])
    first = open_ones[0]
    # Whatever was said of a visit after the question may be what is answered, too.
    later = phone.messages[phone.messages.index(first) + 1 :]
    own = {visit.number for visit, _ in first.visits}
    maybe = {visit.number for one in later for visit, _ in one.visits}
    maybe |= {visit.number for one in open_ones for visit in one.standing(now=now)}
    standing = {visit.number: visit for one in (*later, *open_ones) for visit in one.standing(now=now)}
    return Talk(question=first, is_certain=maybe <= own, standing=in_order(list(standing.values())))


def _open_ones(phone: Phone, *, now: datetime) -> list[OnPhone]:
    """Newest first. Those that ask whether somebody comes; where none does, those that offer to change or cancel."""
    untapped = [one for one in phone.newest_first() if one.buttons and not one.is_tapped and one.standing(now=now)]
    return [one for one in untapped if "confirm" in one.buttons] or untapped
