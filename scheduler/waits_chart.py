"""The waits and the throughput of a span, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from clinicbot.charts import Chart, Frame, Line, Stack, bar_chart, line_chart, seconds_words
from clinicbot.clinic_time import chart_labels, clock_label
from scheduler.queues_page import BUCKETS, LENGTHS, Bucket, Span, Waits
from scheduler.waits import share_within

EVERY = {Span.HOUR: 15, Span.DAY: 16, Span.WEEK: 12}
"""So many parts lie between two words under the axis: a quarter of an hour, four hours, a day."""

NARROW_PARTS = 3
"""A phone shows the last third."""


def waits_chart(waits: Waits, *, span: Span, now: datetime, is_narrow: bool) -> Chart:
    """Half, nineteen of twenty, and the oldest due: in seconds, on one axis. Where nobody looked there is a gap."""
    buckets = _shown(waits, is_narrow=is_narrow)
    latest = next((one for one in reversed(buckets) if one.is_sampled), Bucket())
    lines = [
        Line(
            words=_("oldest due %(time)s") % {"time": seconds_words(latest.oldest_due_seconds)},
            style="old",
            values=[one.oldest_due_seconds if one.is_sampled else None for one in buckets],
        ),
        _share_line(_("19 of 20 within %(time)s"), waits.p95, buckets, of_100=95, style="p95"),
        _share_line(_("half within %(time)s"), waits.p50, buckets, of_100=50, style="p50"),
    ]
    frame = _frame(span, now=now, spans=len(buckets), is_narrow=is_narrow, height=210 if is_narrow else 250)
    return line_chart(lines, spans=len(buckets), frame=frame)


def finished_chart(waits: Waits, *, span: Span, now: datetime, is_narrow: bool) -> Chart:
    buckets = _shown(waits, is_narrow=is_narrow)
    died = sum(one.died for one in buckets)
    stacks = [
        Stack(
            words=_("%(count)s finished") % {"count": sum(one.finished for one in buckets)},
            style="bar",
            values=[one.finished for one in buckets],
        ),
        Stack(
            words=_("%(count)s given up") % {"count": died} if died else "",
            style="failed",
            values=[one.died for one in buckets],
        ),
    ]
    frame = _frame(span, now=now, spans=len(buckets), is_narrow=is_narrow, height=130, ends=1)
    return bar_chart(stacks, spans=len(buckets), frame=frame)


def _share_line(text: str, whole: int | None, buckets: Sequence[Bucket], *, of_100: int, style: str) -> Line:
    """The words tell of the whole span; nothing where nothing was begun."""
    return Line(
        words=text % {"time": seconds_words(whole)} if whole is not None else "",
        style=style,
        values=[share_within(one.waits, of_100=of_100) if one.is_sampled else None for one in buckets],
    )


def _shown(waits: Waits, *, is_narrow: bool) -> Sequence[Bucket]:
    return waits.buckets[-len(waits.buckets) // NARROW_PARTS :] if is_narrow else waits.buckets


def _frame(span: Span, *, now: datetime, spans: int, is_narrow: bool, height: int, ends: int = 0) -> Frame:
    """ends: 1 where a span is as wide as its bar, and ends at the next."""
    seconds = LENGTHS[span].total_seconds() / BUCKETS[span]
    every = EVERY[span] // 2 if is_narrow and span == Span.HOUR else EVERY[span]
    labels: dict[str, Any] = {"spans": spans, "seconds": seconds, "every": every, "in_days": span == Span.WEEK}
    return Frame(
        width=340 if is_narrow else 920,
        height=height,
        margin=130,
        labels=[(at + ends, words) for at, words in chart_labels(now, clinic=None, **labels)],
        now=(spans - 1 + ends, clock_label(now, None)),
    )
