"""What the simulator's ledger holds, read as a patient reads it: which text, about which visit, at what time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from tests.month.cast import CLINICS, ClinicPart
from tests.month.oracle.facts import Said, Standing, When

TEXTS = Path(__file__).parents[2] / "templates" / "messages"
MONTHS = {
    "es": ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
    "pt": ["jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"],
}
DAYS = {
    "es": ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
    "pt": ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"],
}
DAY = re.compile(r"(?P<weekday>\w+)\.? (?P<day>\d+) (?:de )?(?P<month>\w+)\.?")
MOMENT = re.compile(DAY.pattern + r", (?P<hour>\d+):(?P<minute>\d+)")
CLOCK = re.compile(r"\d+:\d+")
LINE = re.compile(r"(\d+):(\d+) ([^\d,(]+?)(?: \([^)]*\))?(?=, \d|$)")
VISITS = re.compile(rf"{LINE.pattern}(?:, {LINE.pattern})*")
STAND = re.compile(r"([^:]+): ([^(]+) \(([^)]+)\)")
STANDS: Mapping[str, Mapping[str, Standing]] = {
    "es": {
        "reservada": "booked",
        "confirmada": "confirmed",
        "cancelada": "cancelled",
        "ya no se puede cambiar aquí": "over",
    },
    "pt": {
        "marcada": "booked",
        "confirmada": "confirmed",
        "cancelada": "cancelled",
        "não pode mais ser alterada aqui": "over",
    },
}
OF_VISIT = re.compile(r"(confirm|change|cancel|visit):(\d+|all)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message that a phone got. `link`: the patient's page that it names."""

    at: datetime
    wamid: str
    phone: str
    said: Said
    shown: Mapping[str, Any]
    is_template: bool
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    row: str
    when: When
    practitioner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedVisit:
    """`place`: in the list; None for "all of them"."""

    row: str
    place: int | None


def read(row: Mapping[str, Any], *, phone: str) -> Heard:
    """Raises: ValueError: no text of ours reads so."""
    at, shown = datetime.fromisoformat(row["at"]), row["shown"]
    text, language, found = _match(shown["body"])
    sender = _clinic_of(row["number_id"])
    return Heard(
        at=at,
        wamid=row["wamid"],
        phone=phone,
        said=_said(text, language, found, sender=sender, shown=shown, near=at.date()),
        shown=shown,
        is_template=row["type"] == "template",
        link=found.get("link", ""),
    )


def actions_of(text: str, language: str) -> Mapping[str, str]:
    """What each button under a text is called: by its action."""
    return dict(_buttons(_source(text, language)))


def offered(heard: Heard) -> list[Offered]:
    """The times in the list under a message."""
    language, near = heard.said.language, heard.at.date()
    return [
        Offered(
            row=row["id"],
            when=When(day=_day(DAY, title, language, near=near)[0], time=_clock(row["title"])),
            practitioner=row["description"],
        )
        for title, row in _rows(heard.shown)
        if CLOCK.fullmatch(row["title"])
    ]


def offered_visits(heard: Heard) -> list[OfferedVisit]:
    """The visits in the list under a message, and "all of them" where it stands there."""
    rows = [row["id"] for _, row in _rows(heard.shown) if OF_VISIT.search(row["id"])]
    return [OfferedVisit(row=row, place=None if row.endswith(":all") else place) for place, row in enumerate(rows)]


def _rows(shown: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Each row of a list, with its section's title."""
    for section in shown.get("list", {}).get("sections", []):
        for row in section["rows"]:
            yield section.get("title", ""), row


def _clinic_of(number_id: str) -> ClinicPart:
    return next(part for part in CLINICS if part.number_id == number_id)


def _said(
    text: str, language: str, found: Mapping[str, str], *, sender: ClinicPart, shown: Mapping[str, Any], near: date
) -> Said:
    moments = {
        name: _moment(found[name], language, near=near) for name in ("when", "old_when") if found.get(name) is not None
    }
    stands = found.get("visits", "") if text == "answer_state_several" else found.get("others", "")
    return Said(
        text=text,
        clinic=_named(sender, found),
        language=language,
        patient=found.get("patient", ""),
        practitioner=found.get("practitioner", ""),
        when=moments.get("when"),
        old_when=moments.get("old_when"),
        day=_day(DAY, found["day"], language, near=near)[0] if "day" in found else None,
        visits=tuple(sorted(_lines(found["visits"]))) if "day" in found else (),
        stands=tuple(_stands(stands, language, near=near)),
        listed=tuple(_listed(shown, language, near=near)),
    )


def _named(sender: ClinicPart, found: Mapping[str, str]) -> str:
    """The clinic whose number it came from; and whose words they are, if those are not its own."""
    own = {"clinic": sender.name, "phone": sender.number, "where": sender.address}
    strange = [found[name] for name, value in own.items() if found.get(name, value) != value]
    return f"{sender.key} in the name of {', '.join(strange)}" if strange else sender.key


def _stands(words: str, language: str, *, near: date) -> Iterable[tuple[str, Standing, When]]:
    """ "Leo: reservada (mié 22 abr, 12:00); Eva: cancelada (...)"."""
    for words_of_one in words.split("; ") if words else ():
        one = STAND.fullmatch(words_of_one)
        if one is None:
            raise ValueError(f"no visit: {words_of_one}")
        yield one[1], STANDS[language][one[2]], _moment(one[3], language, near=near)


def _listed(shown: Mapping[str, Any], language: str, *, near: date) -> Iterable[tuple[When, str, str]]:
    """Title and description of each row of a list of visits: "mar 14 abr, 10:30", "Ana, Dra. Lucía Barrera"."""
    for _, row in _rows(shown):
        if OF_VISIT.search(row["id"]) and not row["id"].endswith(":all"):
            patient, _, practitioner = row["description"].partition(", ")
            yield _moment(row["title"], language, near=near), patient, practitioner


def _match(body: str) -> tuple[str, str, Mapping[str, str]]:
    for text, language, pattern in _patterns():
        if found := pattern.fullmatch(body.strip()):
            return text, language, found.groupdict()
    raise ValueError(f"no text of ours: {body}")


def _moment(words: str, language: str, *, near: date) -> When:
    day, found = _day(MOMENT, words, language, near=near)
    return When(day=day, time=time(int(found["hour"]), int(found["minute"])))


def _day(pattern: re.Pattern[str], words: str, language: str, *, near: date) -> tuple[date, re.Match[str]]:
    """The year is not said: it is the one that is nearest. The weekday must be that day's."""
    found = pattern.fullmatch(words)
    if not found:
        raise ValueError(f"no time: {words}")
    month = MONTHS[language].index(found["month"]) + 1
    years = (near.year - 1, near.year, near.year + 1)
    day = min((date(year, month, int(found["day"])) for year in years), key=lambda one: abs(one - near))
    if DAYS[language][day.weekday()] != found["weekday"]:
        raise ValueError(f"no such weekday: {words}")
    return day, found


def _clock(words: str) -> time:
    return time.fromisoformat(words.zfill(5))


def _lines(words: str) -> Iterable[tuple[time, str]]:
    """A stay of several visits is told by its beginning: "10:00 Ana (2 citas, alrededor de 1 hora), 12:00 Leo"."""
    if not VISITS.fullmatch(words):
        raise ValueError(f"no visits: {words}")
    for found in LINE.finditer(words):
        yield time(int(found[1]), int(found[2])), found[3]


@cache
def _patterns() -> list[tuple[str, str, re.Pattern[str]]]:
    """The longest first, for a variable may swallow anything."""
    sources = [(path.parent.name, path.stem, _source(path.parent.name, path.stem)) for path in TEXTS.glob("*/*.txt")]
    patterns = [(text, language, _pattern(_body(source))) for text, language, source in sources if language in MONTHS]
    return sorted(patterns, key=lambda one: -len(one[2].pattern))


def _source(text: str, language: str) -> str:
    return (TEXTS / text / f"{language}.txt").read_text(encoding="utf-8")


def _body(source: str) -> str:
    body = source.split("\n---\n", maxsplit=1)[0]
    return (body.split("\n", 1)[1] if body.startswith("subject:") else body).strip()


def _buttons(source: str) -> Iterable[tuple[str, str]]:
    for line in source.split("\n---\n")[1].splitlines() if "\n---\n" in source else ():
        action, _, label = line.partition(": ")
        yield action, label


def _pattern(body: str) -> re.Pattern[str]:
    seen: set[str] = set()
    parts = []
    for part in re.split(r"(\{\{ \w+ \}\})", body):
        name = part.strip("{ }")
        if not part.startswith("{{"):
            parts.append(re.escape(part))
        elif name in seen:
            parts.append(f"(?P={name})")
        else:
            seen.add(name)
            parts.append(f"(?P<{name}>.+?)")
    return re.compile("".join(parts), re.DOTALL)
