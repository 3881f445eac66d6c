"""All rules that can be taken out, and why the others cannot."""

from __future__ import annotations

from tests.mutants import booking, machines, sending
from tests.mutants.rule import Mutant

TABLES: dict[str, list[Mutant]] = {
    "sending": sending.MUTANTS,
    "machines": machines.MUTANTS,
    "booking": booking.MUTANTS,
}
NOT_TAKEN_OUT = {
    "Each time that something dies opens one task, ever, at its own clinic": "no rule of the protocols; the database keeps it",
    "Occurrence and job in one insert": "the database itself refuses one without the other",
    "Revival only from `expired`": "nothing revives a visit yet",
    "Twenty want one slot: one visit, nineteen clear refusals with three alternatives": "what all rules of booking come to",
}
