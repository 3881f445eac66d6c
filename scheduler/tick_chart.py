"""The ticks of the last hour, drawn: how long each took. A minute without one is a gap."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from clinicbot.charts import Chart, Frame, Line, line_chart, seconds_words
from clinicbot.clinic_time import chart_labels, clock_label
from clinicbot.panels import Ask
from scheduler.models import TickRun

MINUTES = 60
NARROW_MINUTES = 30


def chart_of(ticks: Sequence[TickRun], *, ask: Ask, is_narrow: bool) -> Chart | None:
    """None where nothing ticked."""
    if not ticks:
        return None
    minutes = NARROW_MINUTES if is_narrow else MINUTES
    took: list[float | None] = [None] * minutes
    for tick in ticks:
        at = minutes - 1 - int((ask.real - tick.started_at).total_seconds() // 60)
        if 0 <= at < minutes and tick.finished_at:
            took[at] = max(took[at] or 0, (tick.finished_at - tick.started_at).total_seconds())
    latest = next((value for value in reversed(took) if value is not None), 0)
    frame = Frame(
        width=320 if is_narrow else 430,
        height=150,
        margin=84,
        labels=chart_labels(ask.now, spans=minutes, seconds=60, every=15, clinic=ask.clinic),
        now=(minutes - 1, clock_label(ask.now, ask.clinic)),
    )
    words = _("took %(seconds)s") % {"seconds": seconds_words(latest)}
    return line_chart([Line(words=words, style="p50", values=took)], spans=minutes, frame=frame)
