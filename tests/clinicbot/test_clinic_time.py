"""How times look at the clinic, in each language."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

import pytest
from django.template import Context, Template
from django.utils import translation

from clinicbot.clinic_time import age, clock_time, date_with_year, long_date, short_date, time_range
from clinicbot.models import Clinic

MADRID = Clinic(zone="Europe/Madrid")
SAO_PAULO = Clinic(zone="America/Sao_Paulo", uses_24_hours=False)
MOMENT = datetime(2026, 4, 14, 22, 30, tzinfo=UTC)  # Already Wednesday in Madrid.


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("en", "Tuesday 14 April", "Tue 14 Apr"),
        ("es", "martes 14 de abril", "mar 14 abr"),
        ("pt", "terça-feira, 14 de abril", "ter. 14 abr."),
        ("pt-br", "terça-feira, 14 de abril", "ter. 14 abr."),
        ("de", "Tuesday 14 April", "Tue 14 Apr"),
    ],
)
def test_a_date_is_said_in_the_reader_s_language(language: str, long: str, short: str) -> None:
    assert long_date(date(2026, 4, 14), language=language) == long
    assert short_date(date(2026, 4, 14), language=language) == short


@pytest.mark.parametrize(("language", "said"), [("en", "14 Apr 1980"), ("es", "14 abr 1980"), ("pt", "14 abr. 1980")])
def test_a_day_of_another_year_says_which(language: str, said: str) -> None:
    assert date_with_year(date(1980, 4, 14), language=language) == said


def test_the_day_and_the_hour_of_a_moment_are_the_clinic_s() -> None:
    assert (long_date(MOMENT, MADRID, language="es"), clock_time(MOMENT, MADRID)) == ("miércoles 15 de abril", "00:30")
    assert (long_date(MOMENT, SAO_PAULO, language="es"), clock_time(MOMENT, SAO_PAULO, language="pt")) == (
        "martes 14 de abril",
        "19:30",
    )


def test_the_day_of_a_moment_without_a_clinic_is_refused() -> None:
    with pytest.raises(TypeError):
        long_date(MOMENT, language="es")


def test_hours_count_to_twelve_only_in_english_and_only_where_the_clinic_wants_it() -> None:
    assert clock_time(time(16, 15), SAO_PAULO, language="en") == "4:15 PM"
    assert clock_time(time(0, 5), SAO_PAULO, language="en") == "12:05 AM"
    assert clock_time(time(16, 15), SAO_PAULO, language="es") == "16:15"
    assert clock_time(time(9, 5), MADRID, language="en") == "09:05"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "16:15 to 17:00"), ("es", "de 16:15 a 17:00"), ("pt", "das 16:15 às 17:00")],
)
def test_a_range_is_said_as_people_say_it(language: str, said: str) -> None:
    assert time_range(time(16, 15), time(17), MADRID, language=language) == said


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-5), "0 s"),
        (timedelta(seconds=4), "4 s"),
        (timedelta(minutes=11, seconds=59), "11 min"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=2, hours=5), "2 d"),
    ],
)
def test_an_age_is_one_number(passed: timedelta, said: str) -> None:
    assert age(MOMENT - passed, now=MOMENT) == said


def test_a_page_shows_times_in_its_own_language() -> None:
    page = Template(
        "{% load clinic_time %}{{ at|long_date:clinic }}, {{ at|clock_time:clinic }}, {{ on|short_date }},"
        " {% time_range begins ends clinic %}, {{ at|age:now }}"
    )
    values = {"at": MOMENT, "clinic": MADRID, "on": date(2026, 4, 14), "begins": time(9), "ends": time(10)}

    with translation.override("es"):
        text = page.render(Context(values | {"now": MOMENT + timedelta(hours=3)}))

    assert text == "miércoles 15 de abril, 00:30, mar 14 abr, de 09:00 a 10:00, 3 h"


def test_a_message_s_language_wins_over_the_page_s() -> None:
    with translation.override("en"):
        assert long_date(date(2026, 4, 14), language="pt") == "terça-feira, 14 de abril"
