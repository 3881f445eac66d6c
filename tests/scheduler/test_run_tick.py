"""The command that cron starts."""

from __future__ import annotations

import json
import signal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from clinicbot import clock
from clinicbot.models import Clinic
from scheduler.models import TickRun
from tests.scheduler.bench import at_once, queue_deeds


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("run_tick", *arguments, stdout=output)
    return output.getvalue()


@pytest.mark.django_db(transaction=True)
def test_it_prints_one_line_of_json(clinic: Clinic) -> None:
    queue_deeds(clinic, "write", "skip", now=clock.now())

    output = run("--budget", "5")

    assert output.count("\n") == 1
    line = json.loads(output)
    assert line["tick"] == TickRun.objects.get().pk
    assert (line["counts"]["jobs_done"], line["counts"]["jobs_skipped"], line["errors"]) == (1, 1, {})


@pytest.mark.django_db
def test_the_budget_comes_from_the_settings_unless_given(settings: Settings) -> None:
    settings.TICK_BUDGET = 7.0
    run()
    run("--budget", "3")

    assert list(TickRun.objects.order_by("id").values_list("budget_seconds", flat=True)) == [7, 3]


@pytest.mark.parametrize("arguments", [("--budget", "0"), ("--budget", "-1"), ("--loop", "0")])
def test_nonsense_is_refused_in_words(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="number of seconds above zero"):
        run(*arguments)


@pytest.mark.django_db
def test_signals_have_their_old_meaning_again_afterwards() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)

    run("--budget", "1")

    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


@pytest.mark.django_db(transaction=True)
def test_it_runs_in_any_thread() -> None:
    outputs = at_once(2, lambda: run("--budget", "2"))

    assert all(json.loads(output)["errors"] == {} for output in outputs)
