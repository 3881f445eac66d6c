"""A running demo, as `make demo` starts it, and what a person does at its two windows: the clinic's and the phones'."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page

from clinicbot.demo.ports import answers, is_taken
from clinicbot.settings.environment import PROJECT
from tests.canary import children

READY = "Ctrl-C stops everything."
START_SECONDS, STOP_SECONDS = 60, 120

NOTE_WHEN_SHOWN = """selector => {
    window.shownAt = undefined;
    const look = () => { if (document.querySelector(selector)) window.shownAt ??= Date.now(); };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""


@dataclass(slots=True)
class Demo:
    """What runs, and what it said on its terminal."""

    process: subprocess.Popen[str]
    environment: Mapping[str, str]
    data: Path
    port: int
    said: str
    _by_hand: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def found(self, pattern: str) -> str:
        match = re.search(pattern, self.said)
        assert match is not None, self.said
        return match[1]

    @property
    def site(self) -> str:
        return self.found(r"The clinic +(http\S+)")

    @property
    def phones(self) -> str:
        return self.found(r"The phones +(http\S+)")

    @property
    def simulator_pid(self) -> int:
        return int(self.found(r"outage of WhatsApp: kill (\d+)"))

    @property
    def tick_pid(self) -> int:
        return int(self.found(r"of cron: kill (\d+)"))

    def kill_tick(self) -> None:
        os.kill(self.tick_pid, signal.SIGTERM)
        read_until(self.process, "The tick was stopped.")

    def kill_simulator(self) -> str:
        """As the demo says one may. The command that it then tells to start it again."""
        os.kill(self.simulator_pid, signal.SIGTERM)
        told = read_until(self.process, "The WhatsApp simulator was stopped.")
        return told.rpartition("To start it again: ")[2].strip()

    def start_by_hand(self, command: str) -> None:
        """At another terminal, in the project's folder."""
        with (self.data / "logs" / "by-hand.log").open("wb") as log:
            self._by_hand = subprocess.Popen(command.split(), cwd=PROJECT, env=self.environment, stdout=log, stderr=log)
        assert answers(self.port + 1, within_seconds=START_SECONDS)

    def stop(self) -> None:
        if self._by_hand is not None:
            self._by_hand.terminate()
            self._by_hand.wait(STOP_SECONDS)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=STOP_SECONDS)


def read_until(process: subprocess.Popen[str], wanted: str) -> str:
    """All it says up to there. Raises: AssertionError: it ended before."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if wanted in line:
            return "".join(lines)
    raise AssertionError("".join(lines))


def free_port() -> int:
    """One whose neighbours are free too, of this worker's own hundred: others look for theirs at the same time."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = 18_500 + 100 * worker
    return next(port for port in range(first, first + 100, 10) if not any(is_taken(port + more) for more in range(3)))


def _work_every_day(environment: Mapping[str, str]) -> None:
    """Its clinics keep Sundays and public holidays; without, reminders stand on the days that their names say, on any date."""
    words = (
        "from appointments.models import Closure, SendHours;"
        "Closure.unscoped.update(is_open=True); SendHours.unscoped.update(on_closed_days=True)"
    )
    subprocess.run([sys.executable, "manage.py", "shell", "-c", words], cwd=PROJECT, env=environment, check=True)


@contextmanager
def running_demo(data: Path) -> Iterator[Demo]:
    """As `make demo` starts it, but with a data folder of its own."""
    port = free_port()
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment |= {"PORT": str(port), "DEMO": "1", "DATABASE_URL": "", "CLINICBOT_DATA": str(data)}
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo"],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    demo = Demo(process=process, environment=environment, data=data, port=port, said="")
    try:
        demo.said = read_until(process, READY)
        _work_every_day(environment)
        yield demo
    finally:
        demo.stop()
        children.keep_logs_of(data)


def log_in(page: Page, demo: Demo) -> None:
    page.goto(demo.site)
    page.fill("#id_username", demo.found(r"Azahar: desk (\w+)"))
    page.fill("#id_password", demo.found(r"password: (\S+)"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#day-live")
    page.wait_for_load_state()  # Before that no key is listened to.


def chat(phones: Page, number: str) -> Locator:
    return phones.locator(f'.phone[data-number="{number}"] [data-part="chat"]')


def choose(page: Page, key: str, *, then: str) -> None:
    page.keyboard.press(key)
    page.wait_for_function("selector => document.activeElement?.matches(selector)", arg=then)


def book_by_keyboard(page: Page, name: str) -> float:
    """The first free time. When the last key was struck, by the browser's clock."""
    choose(page, "n", then="#q")
    page.keyboard.type(name)
    choose(page, "Enter", then=".time")
    choose(page, "1", then="[data-once]")
    struck_at = float(page.evaluate("Date.now()"))
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/visits/*/")
    return struck_at


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
