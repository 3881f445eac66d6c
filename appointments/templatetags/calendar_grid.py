"""Where things stand on the calendar: numbers as names of classes, for the page's policy allows no styles in it."""

from __future__ import annotations

from babel.dates import get_timezone_location
from django import template
from django.utils.translation import get_language

from appointments.queries.calendar_axis import HOUR, Axis, Span

register = template.Library()


@register.filter
def placed(span: Span) -> str:
    """How far below the top, and how long."""
    return f"{below(span.begins)} l-h{span.minutes // HOUR} l-m{span.minutes % HOUR}"


@register.filter
def below(minutes: int) -> str:
    """How far below the top."""
    return f"t-h{minutes // HOUR} t-m{minutes % HOUR}"


@register.filter
def tall(axis: Axis) -> str:
    """How long a whole column is."""
    return f"l-h{axis.minutes // HOUR} l-m{axis.minutes % HOUR}"


@register.filter
def city(zone: str) -> str:
    """Whose clock it is: "São Paulo"."""
    return str(get_timezone_location(zone, locale=(get_language() or "en")[:2], return_city=True))
