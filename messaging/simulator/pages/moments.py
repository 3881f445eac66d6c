"""Times as a phone shows them: in its own zone and language."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from babel.dates import format_date, get_timezone_location

from messaging.simulator.numbers import zone_of
from messaging.simulator.pages.words import LOCALES, language_spoken, words_of
from messaging.simulator.people.phones import Phone

DAYS_NAMED_BY_WEEKDAY = 6


def zone_of_phone(phone: Phone) -> ZoneInfo:
    return ZoneInfo(phone.traits.zone or zone_of(phone.digits))


def city_of(zone: ZoneInfo) -> str:
    """As English writes it: São Paulo."""
    return get_timezone_location(zone, locale="en_GB", return_city=True)


def local(at: float, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(at, tz=zone)


def hour_of(at: float, zone: ZoneInfo) -> str:
    """10:42, 9:05."""
    return f"{local(at, zone):%-H:%M}"


def day_of(at: float, zone: ZoneInfo, *, now: float, language: str) -> str:
    """today, yesterday, a weekday of the last week, else the date."""
    locale = LOCALES[language_spoken(language)]
    day, today = local(at, zone).date(), local(now, zone).date()
    if day == today:
        return words_of(language)["today"]
    if day == today - timedelta(days=1):
        return words_of(language)["yesterday"]
    if timedelta(0) < today - day <= timedelta(days=DAYS_NAMED_BY_WEEKDAY):
        return format_date(day, "EEEE", locale=locale)
    return format_date(day, "EEE d MMM", locale=locale)


def moment_of(at: float, zone: ZoneInfo, *, now: float, language: str) -> str:
    """10:42 if today, else "Wed 13:15"; further off, with the date."""
    locale = LOCALES[language_spoken(language)]
    day, today = local(at, zone).date(), local(now, zone).date()
    if day == today:
        return hour_of(at, zone)
    form = "EEE" if abs(day - today) <= timedelta(days=DAYS_NAMED_BY_WEEKDAY) else "EEE d MMM"
    return f"{format_date(day, form, locale=locale)} {hour_of(at, zone)}"
