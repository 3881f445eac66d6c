"""What a chart draws, and where its words stand."""

from __future__ import annotations

from itertools import pairwise

from appointments.charts import Chart, Series, percent_chart
from clinicbot.charts import TEXT_PX


def chart(*values: list[float | None]) -> Chart:
    series = [Series(name=f"line {number}", value="", style="x", values=one) for number, one in enumerate(values)]
    return percent_chart(series, labels=["a", "b", "c", "d"], width=440, height=126, margin=100)


def test_zero_stands_on_the_axis_and_the_newest_at_the_right_edge() -> None:
    (line,) = chart([100.0, 50.0, 25.0, 0.0]).lines

    assert line.pieces == ("40.0,14.0 140.0,57.0 240.0,78.5 340.0,100.0",)


def test_a_week_with_too_few_cases_is_a_gap_and_a_week_alone_a_dot() -> None:
    (line,) = chart([50.0, None, 0.0, 0.0]).lines

    assert line.pieces == ("240.0,100.0 340.0,100.0",)
    assert line.dots == ((40.0, 57.0),)


def test_a_line_with_nothing_to_draw_is_left_out() -> None:
    assert [line.name for line in chart([None] * 4, [1.0] * 4).lines] == ["line 1"]


def test_words_never_stand_on_each_other_nor_below_the_axis() -> None:
    drawn = chart([1.0] * 4, [0.0] * 4, [2.0] * 4, [90.0] * 4)

    ys = sorted(line.text_y for line in drawn.lines)
    assert all(below - above >= TEXT_PX for above, below in pairwise(ys))
    assert ys[-1] <= drawn.floor
