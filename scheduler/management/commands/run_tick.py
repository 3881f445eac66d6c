"""`manage.py run_tick`: what cron starts once a minute. Needs no lock around it: ticks may overlap."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, connection

from clinicbot.database_down import is_database_down
from scheduler import conf
from scheduler.errors import BadBudgetError
from scheduler.usecases.stopping import StopSignal
from scheduler.usecases.ticking import Source, run_tick

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = "Do what is due, until the time budget is spent or nothing is left. Prints one JSON line of counts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--budget", type=float, metavar="SECONDS", help="how long this tick may take")
        parser.add_argument(
            "--loop", type=float, metavar="SECONDS", help="begin a tick so often, until SIGTERM or Ctrl-C"
        )

    def handle(self, *, budget: float | None, loop: float | None, **options: Any) -> None:
        budget_seconds = conf.tick_budget_seconds() if budget is None else budget
        if budget_seconds <= 0 or (loop is not None and loop <= 0):
            raise CommandError(str(BadBudgetError()))
        with _stopped_by_signals() as stop:
            if loop is None:
                self._tick(Source.CRON, budget_seconds=budget_seconds, stop=stop)
            else:
                self._tick_until_stopped(loop, budget_seconds=budget_seconds, stop=stop)

    def _tick_until_stopped(self, every_seconds: float, *, budget_seconds: float, stop: StopSignal) -> None:
        while not stop.is_set():
            began = time.monotonic()
            try:
                self._tick(Source.LOOP, budget_seconds=budget_seconds, stop=stop)
            except (OperationalError, InterfaceError) as error:
                if not is_database_down(error):
                    raise
                logger.warning("The database does not answer; the next tick tries again.")
                connection.close()
            stop.wait(max(0.0, every_seconds - (time.monotonic() - began)))

    def _tick(self, source: Source, *, budget_seconds: float, stop: StopSignal) -> None:
        self.stdout.write(run_tick(budget_seconds=budget_seconds, source=source, stop=stop).as_json())
        self.stdout.flush()


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[StopSignal]:
    """SIGTERM and Ctrl-C end the tick in good order. Outside the main thread nobody can listen to signals."""
    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
