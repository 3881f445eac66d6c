"""What lies on each phone, and what its owner wants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tests.month.oracle.facts import Action, ClinicFacts, PatientFacts, Said
from tests.month.oracle.texts import BUTTONS
from tests.month.oracle.visits import Visit

Row = Action | str
"""What choosing a visit from a list does to it; "show" shows it."""


@dataclass(slots=True, kw_only=True, eq=False)
class OnPhone:
    """A message. `visits`: which it is about, in order of time, each with its version then. `row`, `about`: of a list of visits,
    what choosing one does, and which message the question was about.
    """

    said: Said
    visits: tuple[tuple[Visit, int], ...] = ()
    is_tapped: bool = False
    row: Row = ""
    about: OnPhone | None = None

    @property
    def buttons(self) -> tuple[Action, ...]:
        return BUTTONS.get(self.said.text, ())

    def standing(self, *, now: datetime) -> list[Visit]:
        """Those for which an answer still counts: they stand as it says (DESIGN 10, a tap)."""
        return [visit for visit, version in self.visits if version == visit.version and visit.can_change(now=now)]


@dataclass(slots=True, kw_only=True)
class Phone:
    """One number at one clinic, and all who are reached there.

    is_stopped: nothing but answers is wanted. is_wrong: nobody of them reads there. is_passed_on: the desk has an open task
    about what was written.
    """

    number: str
    clinic: ClinicFacts
    people: Sequence[PatientFacts]
    messages: list[OnPhone] = field(default_factory=list)
    is_stopped: bool = False
    is_wrong: bool = False
    is_passed_on: bool = False

    @property
    def is_mute(self) -> bool:
        return self.is_stopped or self.is_wrong

    def find(self, said: Said) -> OnPhone | None:
        """The newest that says so."""
        return next((one for one in reversed(self.messages) if one.said == said), None)

    def newest_first(self) -> Iterator[OnPhone]:
        return reversed(self.messages)

    def language_of(self, people: Sequence[PatientFacts]) -> str:
        """Theirs, if they share one."""
        languages = {one.language for one in people}
        return languages.pop() if len(languages) == 1 else self.clinic.language

    @property
    def last_spoken(self) -> str:
        """Who of those who share it has written nobody can say: the language it last got."""
        return self.messages[-1].said.language if self.messages else self.clinic.language
