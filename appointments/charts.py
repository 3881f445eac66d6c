"""Charts that read without a legend, laid out by the server in the pixels in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clinicbot.charts import apart, pieces

LEFT, TOP, FOOT = 40.0, 14.0, 26.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """values: percentages, from the oldest; None where there is nothing to draw. style: the end of its CSS classes."""

    name: str
    value: str
    style: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A line in pieces, for it has gaps; dots for pieces of one point. The words stand at (text_x, text_y)."""

    name: str
    value: str
    style: str
    pieces: tuple[str, ...]
    dots: tuple[tuple[float, float], ...]
    text_y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    width: int
    height: int
    right: float
    floor: float
    rows: tuple[tuple[float, str], ...]
    columns: tuple[tuple[float, str], ...]
    lines: tuple[Drawn, ...]

    @property
    def text_x(self) -> float:
        return self.right + 8


def percent_chart(
    series: Sequence[Series], *, labels: Sequence[str], width: int, height: int, margin: int, every: int = 1
) -> Chart:
    """From 0 to 100 percent; the newest at the right edge, with each line's name beside it in the margin (pixels).

    labels: one for each value; every so-many-th is written, counted from the newest.
    """
    right, floor = float(width - margin), height - FOOT
    step = (right - LEFT) / max(len(labels) - 1, 1)
    xs = [round(right - step * (len(labels) - 1 - at), 1) for at in range(len(labels))]

    def y_of(percent: float) -> float:
        return round(floor - (floor - TOP) * percent / 100, 1)

    drawn = [(one, [None if value is None else y_of(value) for value in one.values]) for one in series]
    ends = [next((y for y in reversed(ys) if y is not None), floor) for _one, ys in drawn]
    lines = tuple(
        Drawn(
            name=one.name,
            value=one.value,
            style=one.style,
            pieces=tuple(" ".join(f"{x},{y}" for x, y in piece) for piece in pieces(xs, ys) if len(piece) > 1),
            dots=tuple(piece[0] for piece in pieces(xs, ys) if len(piece) == 1),
            text_y=text_y,
        )
        for (one, ys), text_y in zip(drawn, apart(ends, lowest=floor), strict=True)
        if any(y is not None for y in ys)
    )
    return Chart(
        width=width,
        height=height,
        right=right,
        floor=floor,
        rows=tuple((y_of(percent), f"{percent} %") for percent in (0, 25, 50, 75, 100)),
        columns=tuple(
            (x, label) for at, (x, label) in enumerate(zip(xs, labels, strict=True)) if _is_nth(at, xs, every)
        ),
        lines=lines,
    )


def _is_nth(at: int, xs: Sequence[float], every: int) -> bool:
    return (len(xs) - 1 - at) % every == 0
