"""Charts laid out in pixels: zero on the axis, now at its place, words that do not touch."""

from __future__ import annotations

from itertools import pairwise

from clinicbot.charts import (
    LABEL_PX,
    LEFT,
    TEXT_PX,
    Frame,
    Line,
    Stack,
    axis_words,
    bar_chart,
    line_chart,
    seconds_words,
    spark,
)

FRAME = Frame(width=400, height=200, margin=100, labels=[(1, "9:00"), (3, "9:02")], now=(3, "9:02"))


def test_the_highest_value_fits_and_zero_is_on_the_axis() -> None:
    chart = line_chart([Line(words="oldest 100 s", style="old", values=[0, 9, 100, 9])], spans=4, frame=FRAME)

    assert chart.rows[0] == (chart.floor, "0 s")
    assert [words for _y, words in chart.rows] == ["0 s", "30 s", "1 min", "90 s", "2 min"]
    assert chart.lines[0].pieces[0].startswith(f"{LEFT},{chart.floor} ")


def test_a_line_has_a_gap_where_nothing_is_known() -> None:
    line = Line(words="x", style="p50", values=[1, 1, None, 2])

    (drawn,) = line_chart([line], spans=4, frame=FRAME).lines

    assert (len(drawn.pieces), len(drawn.dots)) == (1, 1)


def test_words_at_the_end_do_not_touch() -> None:
    lines = [Line(words=str(number), style="p50", values=[5, 5]) for number in range(3)]

    ys = sorted(one.y for one in line_chart(lines, spans=2, frame=FRAME).words)

    assert all(below - above >= TEXT_PX for above, below in pairwise(ys))


def test_what_stands_under_now_gives_way_to_it() -> None:
    chart = line_chart([Line(words="x", style="p50", values=[1, 2, 3, 4])], spans=4, frame=FRAME)

    assert [words for _x, words in chart.columns] == ["9:00"]
    assert chart.now_x == chart.right
    assert all(abs(x - chart.right) >= LABEL_PX for x, _words in chart.columns)


def test_bars_stand_on_each_other_from_zero() -> None:
    stacks = [Stack(words="3 arrived", style="arrived", values=[2, 1]), Stack(words="", style="failed", values=[1, 0])]

    chart = bar_chart(stacks, spans=2, frame=FRAME)

    below, above = (bar for bar in chart.bars if bar.x == chart.bars[0].x)
    assert round(below.y + below.height, 1) == chart.floor
    assert round(above.y + above.height, 1) == below.y
    assert len(chart.bars) == 3
    assert [one.text for one in chart.words] == ["3 arrived"]


def test_an_empty_chart_is_a_flat_one() -> None:
    assert line_chart([], spans=0, frame=FRAME).lines == ()
    assert bar_chart([], spans=0, frame=FRAME).bars == ()
    assert spark([]) == ""
    assert spark([0, 0]).count(",") == 2


def test_times_on_an_axis_are_whole() -> None:
    assert [axis_words(seconds) for seconds in (0, 30, 90, 120, 3600, 5400)] == [
        "0 s",
        "30 s",
        "90 s",
        "2 min",
        "1 h",
        "90 min",
    ]
    assert [seconds_words(seconds) for seconds in (9, 90, 5400, 86_400)] == ["9 s", "2 min", "2 h", "1 d"]
