"""The whole product on one machine, in the foreground: site, tick, simulator and database."""

from __future__ import annotations

import shutil
import signal
import sys
from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.demo.children import Child
from clinicbot.demo.ports import answers, is_taken
from clinicbot.demo.refusing import refuse_unless_demo
from clinicbot.demo.supervisor import Supervisor
from clinicbot.embedded.configured import configured_server
from clinicbot.settings.environment import DATA, DEMO_RUN, PROJECT

LOGS = DATA / "logs"
TICK_EVERY_SECONDS = 2
WEB_THREADS = 12
READY_SECONDS = 60


class Command(BaseCommand):
    help = "Set up and run the demonstration until Ctrl-C."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        refuse_unless_demo()
        refuse_taken_ports(settings.PORT, settings.PORT + 1, settings.PORT + 2)
        server = configured_server(connection)
        was_running = server is None or server.is_running()
        try:
            self._prepare()
            self._run()
        except KeyboardInterrupt:
            self._say("Stopping.")
        finally:
            connection.close()
            DEMO_RUN.unlink(missing_ok=True)
            if server is not None and not was_running:
                server.stop()
        self._say("Stopped.")

    def _prepare(self) -> None:
        self._say("Setting up the database and the sample data ...")
        shutil.rmtree(LOGS, ignore_errors=True)
        DATA.mkdir(exist_ok=True)
        DEMO_RUN.write_text(f"PORT={settings.PORT}\n", encoding="utf-8")
        compile_catalogues(PROJECT / "locale")
        call_command("migrate", verbosity=0)

    def _run(self) -> None:
        simulator, web, tick = children = demo_children(settings.PORT)
        supervisor = Supervisor(children=children, project=PROJECT, say=self._say)
        try:
            self._start(supervisor, simulator)
            logins = self._seed()  # It also gives the simulator its numbers and phones.
            self._start(supervisor, web)
            self._start(supervisor, tick)
            self._say(welcome(logins=logins, simulator=simulator, tick=tick))
            if not supervisor.watch():
                raise CommandError("The demo cannot go on.")
            self._say("Stopping.")
        finally:
            supervisor.stop()

    def _start(self, supervisor: Supervisor, child: Child) -> None:
        supervisor.start(child)
        if child.port and not answers(child.port, within_seconds=READY_SECONDS):
            raise CommandError(f"{child.title} does not start: {child.last_line()} (log: {child.log_file})")

    def _seed(self) -> str:
        said = StringIO()
        call_command("seed_demo", stdout=said)
        connection.close()
        return said.getvalue()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def refuse_taken_ports(*ports: int) -> None:
    for port in ports:
        if is_taken(port):
            raise CommandError(f"Port {port} is taken. Choose another: make demo PORT={ports[0] + 10}")


def demo_children(port: int) -> list[Child]:
    """In the order of their start; they are stopped the other way round."""
    manage = [sys.executable, str(PROJECT / "manage.py")]
    gunicorn = [sys.executable, "-m", "gunicorn", "clinicbot.wsgi", "--bind", f"127.0.0.1:{port}"]
    environment = {"PORT": str(port), "DEMO": "1", "PYTHONUNBUFFERED": "1"}

    def child(name: str, title: str, argv: list[str], *, by_hand: str = "", port: int | None = None) -> Child:
        log_file = LOGS / f"{name}.log"
        return Child(
            name=name, title=title, argv=argv, environment=environment, log_file=log_file, by_hand=by_hand, port=port
        )

    return [
        child(
            "simulator",
            "The WhatsApp simulator",
            [*manage, "run_simulator"],
            by_hand=".venv/bin/python manage.py run_simulator",
            port=port + 1,
        ),
        child(
            "web",
            "The site",
            # One process with threads: it may call itself, and one nudge thread serves it.
            [*gunicorn, "--worker-class", "gthread", "--threads", str(WEB_THREADS), "--no-control-socket"]
            + ["--graceful-timeout", "5", "--log-level", "warning"],
            port=port,
        ),
        child(
            "tick",
            "The tick",
            [*manage, "run_tick", "--loop", str(TICK_EVERY_SECONDS)],
            by_hand=f".venv/bin/python manage.py run_tick --loop {TICK_EVERY_SECONDS}",
        ),
    ]


def welcome(*, logins: str, simulator: Child, tick: Child) -> str:
    return f"""
  The clinic   http://localhost:{settings.PORT}/
  The admin    http://localhost:{settings.PORT}/admin/
  The phones   http://localhost:{settings.PORT + 1}/
  The mail box http://localhost:{settings.PORT + 1}/mail/

{logins.rstrip()}

  Logs are in {LOGS}. To see an outage of WhatsApp: kill {simulator.pid}; of cron: kill {tick.pid}
  Ctrl-C stops everything.
"""
