"""The filters by which templates show times: `{{ visit.starts_at|clock_time:clinic }}`, `{{ visit.local_date|long_date }}`."""

from __future__ import annotations

from datetime import datetime

from django import template

from clinicbot import clinic_time

register = template.Library()

register.filter("clock_time", clinic_time.clock_time)
register.filter("long_date", clinic_time.long_date)
register.filter("short_date", clinic_time.short_date)
register.filter("day_month", clinic_time.day_month)
register.filter("weekday_short", clinic_time.weekday_short)
register.filter("city_of", clinic_time.city_of)
register.filter("date_with_year", clinic_time.date_with_year)
register.simple_tag(clinic_time.time_range, name="time_range")


@register.filter
def age(since: datetime, now: datetime) -> str:
    return clinic_time.age(since, now=now)
