"""Charts that read without a legend, laid out by the server in the pixels in which they are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

LEFT, TOP, FOOT = 44.0, 16.0, 26.0
TEXT_PX = 15.0
"""The least distance between two words that stand above each other."""

LABEL_PX = 46.0
"""The least distance between the words under an axis and those of now."""

COUNT_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
SECOND_STEPS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400)
UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))
ROWS = 4
Point = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """words: its name and present value, at its right end. style: the end of its CSS classes. None: nothing to draw."""

    words: str
    style: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Bars of one style, one a span; a later stack stands on the ones before it. words: as of a line."""

    words: str
    style: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    text: str
    style: str
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    style: str
    pieces: tuple[str, ...]
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    style: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """rows, columns: where an axis is written and with what. now_x: where the cobalt line stands; None: nowhere."""

    width: int
    height: int
    right: float
    floor: float
    rows: tuple[tuple[float, str], ...]
    columns: tuple[tuple[float, str], ...]
    words: tuple[Words, ...]
    lines: tuple[Drawn, ...] = ()
    bars: tuple[Bar, ...] = ()
    now_x: float | None = None
    now_words: str = ""

    @property
    def text_x(self) -> float:
        return self.right + 8

    @property
    def now_text_x(self) -> float:
        """Its box stays inside the chart."""
        return min(max(self.now_x or 0, 20.0), self.width - 20.0)

    @property
    def now_box_x(self) -> float:
        return self.now_text_x - 20

    @property
    def now_box_y(self) -> float:
        return self.height - 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How large a chart is, in pixels, and what its time axis says. margin: room for words at the right.

    labels: (place among the spans, words). now: where among the spans the present stands, and its hour.
    """

    width: int
    height: int
    margin: int
    labels: Sequence[tuple[float, str]]
    now: tuple[float, str] | None = None

    @property
    def right(self) -> float:
        return float(self.width - self.margin)

    @property
    def floor(self) -> float:
        return self.height - FOOT


def seconds_words(seconds: float) -> str:
    """As "9 s", "12 min", "3 h", "2 d": alike in all our languages."""
    for unit, length in UNITS:
        if seconds >= length:
            return f"{round(seconds / length)} {unit}"
    return f"{round(seconds)} s"


def axis_words(seconds: float) -> str:
    """In the largest unit of which it is a whole number: "90 s", "2 min", "36 h"."""
    for unit, length in UNITS:
        if seconds and seconds % length == 0:
            return f"{seconds / length:.0f} {unit}"
    return f"{round(seconds)} s"


def line_chart(lines: Sequence[Line], *, spans: int, frame: Frame) -> Chart:
    """Seconds over time, all on one axis that begins at zero; the newest span at the right edge."""
    step = _step_for(max((v for one in lines for v in one.values if v is not None), default=0), steps=SECOND_STEPS)
    y_of = _scale(step * ROWS, frame=frame)
    width = (frame.right - LEFT) / max(spans - 1, 1)
    xs = [round(LEFT + width * at, 1) for at in range(spans)]
    placed = [(one, [None if value is None else y_of(value) for value in one.values]) for one in lines]
    ends = [next((y for y in reversed(ys) if y is not None), frame.floor) for _line, ys in placed]
    drawn = [
        Drawn(
            style=one.style,
            pieces=tuple(" ".join(f"{x},{y}" for x, y in piece) for piece in pieces(xs, ys) if len(piece) > 1),
            dots=tuple(piece[0] for piece in pieces(xs, ys) if len(piece) == 1),
        )
        for one, ys in placed
    ]
    return Chart(
        width=frame.width,
        height=frame.height,
        right=frame.right,
        floor=frame.floor,
        rows=_rows(step, y_of, words=axis_words),
        columns=_columns(frame, width=width),
        words=_words([(one.words, one.style) for one in lines], ends, lowest=frame.floor),
        lines=tuple(drawn),
        now_x=_now_x(frame, width=width),
        now_words=frame.now[1] if frame.now else "",
    )


def bar_chart(stacks: Sequence[Stack], *, spans: int, frame: Frame) -> Chart:
    """How many in each span, from zero. The words stand at the right, the last stack's on top."""
    heights = [sum(one.values[at] for one in stacks) for at in range(spans)]
    step = _step_for(max(heights, default=0), steps=COUNT_STEPS)
    y_of = _scale(step * ROWS, frame=frame)
    width = (frame.right - LEFT) / max(spans, 1)
    bars = []
    for at in range(spans):
        below = 0
        for one in stacks:
            count = one.values[at]
            if count:
                top = y_of(below + count)
                x, tall = round(LEFT + width * at + width * 0.1, 1), round(y_of(below) - top, 1)
                bars.append(Bar(style=one.style, x=x, y=top, width=round(width * 0.8, 1), height=tall))
            below += count
    ends = [frame.floor - TEXT_PX * at for at in range(len(stacks))]
    return Chart(
        width=frame.width,
        height=frame.height,
        right=frame.right,
        floor=frame.floor,
        rows=_rows(step, y_of, words=lambda number: f"{number:.0f}"),
        columns=_columns(frame, width=width),
        words=_words([(one.words, one.style) for one in stacks], ends, lowest=frame.floor),
        bars=tuple(bars),
        now_x=_now_x(frame, width=width),
        now_words=frame.now[1] if frame.now else "",
    )


def spark(values: Sequence[float], *, width: int = 104, height: int = 24) -> str:
    """The points of a line without an axis; it stands beside its number."""
    top = max(values, default=0) or 1
    step = (width - 4) / max(len(values) - 1, 1)
    return " ".join(
        f"{round(2 + step * at, 1)},{round(height - 3 - (height - 6) * value / top, 1)}"
        for at, value in enumerate(values)
    )


def pieces(xs: Sequence[float], ys: Sequence[float | None]) -> Iterator[list[Point]]:
    """The line between its gaps."""
    piece: list[Point] = []
    for x, y in zip(xs, ys, strict=True):
        if y is not None:
            piece.append((x, y))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def apart(wanted: Sequence[float], *, lowest: float) -> list[float]:
    """Each as near to where it wants to stand as its neighbours let it, in the same order."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    placed = list(wanted)
    for above, at in pairwise(order):
        placed[at] = max(placed[at], placed[above] + TEXT_PX)
    limit = lowest
    for at in reversed(order):
        placed[at] = min(placed[at], limit)
        limit = placed[at] - TEXT_PX
    return [round(y, 1) for y in placed]


def _words(named: Sequence[tuple[str, str]], ends: Sequence[float], *, lowest: float) -> tuple[Words, ...]:
    ys = apart(ends, lowest=lowest)
    return tuple(Words(text=text, style=style, y=y) for (text, style), y in zip(named, ys, strict=True) if text)


def _step_for(highest: float, *, steps: Sequence[int]) -> int:
    """The least step of which so many rows reach the highest value."""
    return next((step for step in steps if step * ROWS >= highest), ceil(highest / ROWS))


def _scale(top: float, *, frame: Frame) -> Callable[[float], float]:
    return lambda value: round(frame.floor - (frame.floor - TOP) * value / top, 1)


def _rows(step: int, y_of: Callable[[float], float], *, words: Callable[[float], str]) -> tuple[tuple[float, str], ...]:
    return tuple((y_of(step * number), words(step * number)) for number in range(ROWS + 1))


def _columns(frame: Frame, *, width: float) -> tuple[tuple[float, str], ...]:
    """None so near to now that their words would touch."""
    now_x = _now_x(frame, width=width)
    placed = [(round(LEFT + width * at, 1), words) for at, words in frame.labels]
    return tuple((x, words) for x, words in placed if now_x is None or abs(x - now_x) >= LABEL_PX)


def _now_x(frame: Frame, *, width: float) -> float | None:
    return round(LEFT + width * frame.now[0], 1) if frame.now else None
