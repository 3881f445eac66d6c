"""The clinic's numbers, for whoever reads them for two minutes: rates by week, weekday, practitioner and channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from appointments.charts import Chart, Series, percent_chart
from appointments.models import Practitioner
from appointments.queries.hearing_wishes import CHANNELS
from appointments.queries.numbers import By, Line, Numbers, Share, Tally, numbers_of
from appointments.views.pages import number_of, page, read_clock, today_at
from clinicbot.access import ClinicRequest, permission_required_here
from clinicbot.clinic_time import day_month, weekday_name

SPANS = (4, 13, 26)
"""Weeks."""

NARROW_WEEKS = 6
FEW_DRAWN = 2
"""A line needs two points."""

BY_WORDS = {
    By.WEEK: gettext_lazy("Week"),
    By.WEEKDAY: gettext_lazy("Day"),
    By.PRACTITIONER: gettext_lazy("Practitioner"),
    By.CHANNEL: gettext_lazy("Channel"),
}


@require_safe
@permission_required_here("clinicbot.view_numbers")
def numbers(request: ClinicRequest) -> HttpResponse:
    reading = read_clock()
    weeks = number_of(request.GET.get("weeks", ""))
    weeks = weeks if weeks in SPANS else SPANS[1]
    wish = request.GET.get("by", "")
    by = By(wish) if wish in list(By) else By.WEEK
    found = numbers_of(request.clinic, today=today_at(request.clinic, reading=reading), weeks=weeks, by=by)
    context = {
        "section": "numbers",
        "numbers": found,
        "by": by,
        "by_words": BY_WORDS,
        "by_word": BY_WORDS[by],
        "weeks": weeks,
        "spans": SPANS,
        "rates": _rates(found),
        "lines": [(_label(line.key), line.tally) for line in found.lines],
        "wide": _chart(found.weeks, width=1200, height=250, margin=170, every=1 if weeks <= SPANS[1] else 2),
        "narrow": _chart(found.weeks[-NARROW_WEEKS:], width=340, height=210, margin=136, every=2),
    }
    return page(request, "numbers/page.html", context, reading=reading)


_RATES: tuple[tuple[str, Any, Callable[[Tally], Share]], ...] = (
    ("no-show", gettext_lazy("did not come"), lambda tally: tally.no_shows),
    ("confirmed", gettext_lazy("said yes before"), lambda tally: tally.confirmations),
    ("arrived", gettext_lazy("messages arrived"), lambda tally: tally.deliveries),
    ("answered", gettext_lazy("questions answered"), lambda tally: tally.answers),
)


def _rates(found: Numbers) -> list[tuple[str, str, Share]]:
    return [(style, str(name), share(found.whole)) for style, name, share in _RATES]


def _chart(weeks: Sequence[Line], *, width: int, height: int, margin: int, every: int) -> Chart | None:
    """None while no rate has two weeks with enough cases: then the table alone says more."""
    series = [
        Series(
            name=str(name),
            value=_latest([share(week.tally) for week in weeks]),
            style=style,
            values=[None if share(week.tally).is_few else share(week.tally).percent for week in weeks],
        )
        for style, name, share in _RATES
    ]
    if not any(sum(value is not None for value in one.values) >= FEW_DRAWN for one in series):
        return None
    labels = [day_month(week.key) for week in weeks if isinstance(week.key, date)]
    return percent_chart(series, labels=labels, width=width, height=height, margin=margin, every=every)


def _latest(shares: Sequence[Share]) -> str:
    """Of the newest week that is drawn."""
    return next((share.words for share in reversed(shares) if not share.is_few), "")


def _label(key: date | int | Practitioner | str) -> str:
    if isinstance(key, Practitioner):
        return key.full_name
    if isinstance(key, date):
        return _("week of %(day)s") % {"day": day_month(key)}
    return weekday_name(key) if isinstance(key, int) else CHANNELS.get(key, key)
