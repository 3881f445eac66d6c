"""A few days of `make month`, with an outage of the provider, one of the ticks, a closure and a change of zone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from pytest_django.live_server_helper import LiveServer

from tests.month.comparing import compare
from tests.month.running import run


def test_some_days_of_two_clinics_are_told_as_the_design_says(live_server: LiveServer) -> None:
    report = run(site=live_server.url, seed=5, days=4, patients=8, acts_a_day=4)

    assert report.is_as_designed, "\n".join(report.lines())
    assert len(report.should) > 20
    # And had it gone otherwise, that would be seen.
    _lost, late, *others = report.month.heard
    an_hour_later = replace(late, at=late.at + timedelta(hours=1))
    assert [one.kind for one in compare(report.should, [an_hour_later, *others])] == ["missing", "time"]
