"""What the simulator's ledger holds, read as a patient reads it: which text, about which visit, at what time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from tests.month.oracle.facts import Said, When

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message that a phone got. buttons: of each action, what stands on it."""

    at: datetime
    wamid: str
    phone: str
    said: Said
    shown: Mapping[str, Any]
    is_template: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    row: str
    when: When


def read(row: Mapping[str, Any], *, phone: str) -> Heard:
    """Raises: ValueError: no text of ours reads so."""
    at = datetime.fromisoformat(row["at"])
    said = _read_body(row["shown"]["body"], near=at.date())
    return Heard(
        at=at, wamid=row["wamid"], phone=phone, said=said, shown=row["shown"], is_template=row["type"] == "template"
    )


def actions_of(text: str, language: str) -> Mapping[str, str]:
    """What each button under a text is called: by its action."""
    return dict(_buttons(_source(text, language)))


def offered(heard: Heard) -> list[Offered]:
    """The times in the list under a message."""
    return [
        Offered(
            row=row["id"], when=When(day=_day_ahead(section["title"], near=heard.at.date()), time=_clock(row["title"]))
        )
        for section in heard.shown.get("list", {}).get("sections", [])
        for row in section["rows"]
        if CLOCK.fullmatch(row["title"])
    ]


def language_of(body: str) -> str:
    """Raises: ValueError: no text of ours reads so."""
    return _match(body)[1]


def _read_body(body: str, *, near: date) -> Said:
    text, language, found = _match(body)
    moments = {
        name: _moment(found[name], language, near=near) for name in ("when", "old_when") if found.get(name) is not None
    }
    return Said(
        text=text,
        patient=found.get("patient", ""),
        when=moments.get("when"),
        old_when=moments.get("old_when"),
        day=_day(DAY, found["day"], language, near=near)[0] if "day" in found else None,
        visits=tuple(sorted(_lines(found["visits"]))) if "day" in found else (),
    )


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


def _day_ahead(words: str, *, near: date) -> date:
    """As "martes 14 de octubre": the next day of that number, for the month may be cut off."""
    found = re.search(r"\d+", words)
    assert found is not None, words
    return next(day for day in (near + timedelta(days=n) for n in range(62)) if day.day == int(found[0]))


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
