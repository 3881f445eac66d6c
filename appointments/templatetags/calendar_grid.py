"""Where things stand on the calendar: numbers as names of classes, for the page's policy allows no styles in it."""

from __future__ import annotations

from django import template

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
