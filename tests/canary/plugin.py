"""After each test: nothing that was logged, raised or stored outside its home names, reaches or impersonates a person.

Logs are judged twice: as written, and before the redaction, which is a last line of defence and not to be leant on. Those of
processes that tests start are judged at the end of the run, by each worker where there are several.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.db import ProgrammingError, connection
from psycopg.errors import UndefinedTable

from clinicbot.errors import ClinicBotError
from clinicbot.logs import STANDARD, JsonLines, RoutesNotPaths
from tests.canary import children, tables
from tests.canary.sightings import Canaries, LeakError

USES_THE_DATABASE = {"db", "transactional_db", "live_server"}


class Watch(logging.Handler):
    """Keeps what the root logger is given and what our errors say, until the next test begins."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[tuple[str, str]] = []
        self.setFormatter(JsonLines())
        self.addFilter(RoutesNotPaths())

    def begin(self) -> None:
        self.heard.clear()
        root = logging.getLogger()
        if self not in root.handlers:
            root.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        extra = [str(value) for key, value in vars(record).items() if key not in STANDARD]
        self.heard.append(("the log, as written", self.format(record)))
        self.heard.append((f"a log record of {record.name}", "\n".join([record.getMessage(), *extra])))

    def note(self, error: ClinicBotError) -> None:
        if type(error).__module__.split(".")[0] in tables.HOUSES:  # A test's own may say what it likes.
            self.heard.append((f"the words of {type(error).__qualname__}", str(error)))


watch = Watch()
TOLD_BY_WORKER = "leaks_of_children"
leaks_of_children = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session", autouse=True)
def _folder_of_children(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Left in the environment: it is read when all fixtures are gone, and their processes with them."""
    os.environ[children.FOLDER] = str(tmp_path_factory.mktemp("children"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tells_on_purpose: logs or raises what must not be said, to see it taken out")
    config.stash[leaks_of_children] = []
    _listen_to_errors()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker has seen; without its last word it is counted as crashed, and fails the run."""
    node.config.stash[leaks_of_children] += getattr(node, "workeroutput", {}).get(TOLD_BY_WORKER, [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    leaks = session.config.stash[leaks_of_children]
    if folder := os.environ.pop(children.FOLDER, ""):
        leaks += children.find_leaks(Path(folder))
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[TOLD_BY_WORKER] = leaks
    elif leaks:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if leaks := config.stash[leaks_of_children]:
        terminalreporter.section("said by processes that tests started", red=True, bold=True)
        for leak in leaks:
            terminalreporter.line(leak)


def pytest_runtest_setup(item: pytest.Item) -> None:
    watch.begin()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Judged while the rows are still there. A test that failed has said enough."""
    result = yield
    if item.get_closest_marker("tells_on_purpose") is None:
        _judge(item)
    return result


def _judge(item: pytest.Item) -> None:
    canaries, stored = _read_rows() if _has_rows(item) else (Canaries(), [])
    for place, words in (*watch.heard, *stored):
        if seen := canaries.seen_in(words):
            raise LeakError(f"{seen!r} stands in {place}: {words}")


def _read_rows() -> tuple[Canaries, list[tuple[str, str]]]:
    try:
        return tables.read()
    except ProgrammingError as error:
        if not isinstance(error.__cause__, UndefinedTable):
            raise
        return Canaries(), []  # The test took a table away.


def _has_rows(item: pytest.Item) -> bool:
    names = set(getattr(item, "fixturenames", ()))
    uses_it = item.get_closest_marker("django_db") is not None or bool(names & USES_THE_DATABASE)
    # A transaction that a test has broken answers no more.
    return uses_it and not (connection.in_atomic_block and connection.needs_rollback)


def _listen_to_errors() -> None:
    """Errors are made everywhere and mostly caught: here is where each one gets its words."""
    original = ClinicBotError.__init__

    @functools.wraps(original)
    def overheard(error: ClinicBotError, *args: Any, **kwargs: Any) -> None:
        original(error, *args, **kwargs)
        watch.note(error)

    ClinicBotError.__init__ = overheard  # type: ignore[method-assign, assignment]
