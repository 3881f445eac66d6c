"""How a moment looks on a clinic's wall, in a person's language. The only place that turns times into text.

`language` is that of the reader; without it the page's. A message to a patient names the patient's.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_time, get_day_names, get_timezone_location
from django.utils.translation import get_language

from clinicbot.models import Clinic

LONG = {"en": "EEEE d MMMM", "es": "EEEE d 'de' MMMM", "pt": "EEEE, d 'de' MMMM"}
SHORT = {"en": "EEE d MMM", "es": "EEE d MMM", "pt": "EEE d MMM"}
DAY_MONTH = "d MMM"
WITH_YEAR = "d MMM y"
RANGE = {"en": "{0} to {1}", "es": "de {0} a {1}", "pt": "das {0} às {1}"}
HOURS_24 = "HH:mm"
HOURS_12 = "h:mm a"
FALLBACK = "en"


def at_clinic(moment: datetime, clinic: Clinic) -> datetime:
    """The moment in the clinic's own zone."""
    return moment.astimezone(ZoneInfo(clinic.zone))


def clock_time(value: datetime | time, clinic: Clinic, *, language: str | None = None) -> str:
    """As "16:15"; in English "4:15 PM" where the clinic wants that. A `time` is the clinic's wall-clock time already."""
    language = _known(language)
    wall = at_clinic(value, clinic).time() if isinstance(value, datetime) else value
    pattern = HOURS_12 if language == "en" and not clinic.uses_24_hours else HOURS_24
    return format_time(wall, pattern, locale=language)


def clock_seconds(moment: datetime, clinic: Clinic) -> str:
    """As "16:15:04", for receipts: exact, and alike in all our languages."""
    return at_clinic(moment, clinic).strftime("%H:%M:%S")


def time_range(begins: datetime | time, ends: datetime | time, clinic: Clinic, *, language: str | None = None) -> str:
    """As "16:15 to 17:00", "de 16:15 a 17:00", "das 16:15 às 17:00"."""
    times = (clock_time(one, clinic, language=language) for one in (begins, ends))
    return RANGE[_known(language)].format(*times)


def long_date(value: datetime | date, clinic: Clinic | None = None, *, language: str | None = None) -> str:
    """As "Tuesday 14 April". A moment, unlike a date, needs the clinic to know which day it is there."""
    language = _known(language)
    return format_date(_day(value, clinic), LONG[language], locale=language)


def short_date(value: datetime | date, clinic: Clinic | None = None, *, language: str | None = None) -> str:
    """As "Tue 14 Apr"."""
    language = _known(language)
    return format_date(_day(value, clinic), SHORT[language], locale=language)


def day_month(day: date, *, language: str | None = None) -> str:
    """As "14 Apr", where the weekday is known."""
    return format_date(day, DAY_MONTH, locale=_known(language))


def weekday_name(weekday: int, *, language: str | None = None) -> str:
    """As "Monday"; 0 is Monday."""
    names = get_day_names("wide", context="stand-alone", locale=_known(language))
    return str(names[weekday])


def weekday_short(day: date, *, language: str | None = None) -> str:
    """As "Tue", where the day of the month stands beside it."""
    return format_date(day, "EEE", locale=_known(language))


def date_with_year(day: date, *, language: str | None = None) -> str:
    """As "14 Apr 1980", for days that are far away."""
    return format_date(day, WITH_YEAR, locale=_known(language))


def city_of(clinic: Clinic, *, language: str | None = None) -> str:
    """Whose clock the clinic's is: "São Paulo"."""
    return str(get_timezone_location(clinic.zone, locale=_known(language), return_city=True))


def clock_label(moment: datetime, clinic: Clinic | None) -> str:
    """Under a chart: the clinic's clock, or where all clinics are told of together, UTC."""
    return clock_time(moment, clinic) if clinic else moment.astimezone(UTC).strftime("%H:%M")


def day_label(moment: datetime, clinic: Clinic | None) -> str:
    """Under a chart of days; UTC as above."""
    return short_date((at_clinic(moment, clinic) if clinic else moment.astimezone(UTC)).date())


def chart_labels(
    now: datetime, *, spans: int, seconds: float, every: int, clinic: Clinic | None, in_days: bool = False
) -> list[tuple[float, str]]:
    """(place, words) for every so many spans of so many seconds, counted back from the last, which is now; not under now itself."""
    label = day_label if in_days else clock_label
    return [
        (float(spans - 1 - back), label(now - timedelta(seconds=seconds * back), clinic))
        for back in range(every, spans, every)
    ]


def age(since: datetime, *, now: datetime) -> str:
    """As "4 s", "11 min", "3 h", "2 d": alike in all our languages. What lies ahead is 0 s old."""
    passed = max(now - since, timedelta(0))
    if passed < timedelta(minutes=1):
        return f"{passed.seconds} s"
    if passed < timedelta(hours=1):
        return f"{passed.seconds // 60} min"
    if passed < timedelta(days=1):
        return f"{passed.seconds // 3600} h"
    return f"{passed.days} d"


def _day(value: datetime | date, clinic: Clinic | None) -> date:
    if not isinstance(value, datetime):
        return value
    if clinic is None:
        raise TypeError("The day of a moment depends on the clinic's zone.")
    return at_clinic(value, clinic).date()


def _known(language: str | None) -> str:
    code = (language or get_language() or FALLBACK)[:2]
    return code if code in LONG else FALLBACK
