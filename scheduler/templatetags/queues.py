"""How counts, kinds and occurrences stand on the page of queues."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import parse_qsl

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from clinicbot.admin_lists import CappedCount
from clinicbot.clinic_time import clock_label, day_label, short_date
from clinicbot.models import Clinic
from scheduler.contracts import title_of_kind
from scheduler.queues_page import ScheduleTold

STEP = 7.2
TALLEST = 18.0
LATE_SECONDS = 600

register = template.Library()
register.filter("kind_title", title_of_kind)


@register.filter
def capped(count: int, limit: int) -> str:
    """ "10,000+" where counting stopped."""
    return str(CappedCount(count)) if count >= limit else grouped(count)


@register.filter
def grouped(count: int) -> str:
    return str(number_format(count, force_grouping=True))


@register.filter
def occurrence(local_at: str) -> str:
    """As "Tue 14 Apr 09:00", on the clinic's own wall already."""
    moment = datetime.fromisoformat(local_at)
    return f"{short_date(moment.date())} {local_at[11:16]}"


@register.simple_tag
def run_bars(told: ScheduleTold) -> SafeString:
    """A bar for each of the last runs: taller and red where one was missed or given up, ochre where it came late."""
    bars = format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="5" height="{}"></rect>',
        (
            (
                "late" if run.state == "well" and run.late_seconds > LATE_SECONDS else run.state,
                round(2 + STEP * place, 1),
                2 if run.state in ("missed", "dead") else 8,
                TALLEST if run.state in ("missed", "dead") else TALLEST - 6,
            )
            for place, run in enumerate(told.runs)
        ),
    )
    words = _("%(well)d of %(ended)d well") % {"well": told.well, "ended": told.ended}
    if not told.runs:
        return SafeString('<span class="faint">–</span>')
    return format_html('<svg class="spark" viewBox="0 0 104 24" role="img" aria-label="{}">{}</svg>', words, bars)


@register.simple_tag
def moment_words(moment: datetime, clinic: Clinic | None) -> str:
    """Day and hour, on the clinic's wall or in UTC."""
    return f"{day_label(moment, clinic)} {clock_label(moment, clinic)}{'' if clinic else ' UTC'}"


@register.filter
def chosen_words(query: str) -> str:
    """A filter as the list's address has it, without its signs: "state: dead, queue: daily-agenda"."""
    pairs = parse_qsl(query)
    return ", ".join(f"{name.removesuffix('__exact')}: {value}" for name, value in pairs)
