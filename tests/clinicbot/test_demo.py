from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from clinicbot.demo.children import Child, Ended
from clinicbot.demo.ports import answers, is_taken
from clinicbot.demo.supervisor import MAX_FAILURES, WITHIN_MINUTES, Supervisor

WAITS = "import signal; signal.pause()"
FAILS = "import sys; sys.exit('no fuel')"


@pytest.fixture
def before() -> Iterator[None]:
    """The supervisor listens to signals; the test runner wants its own back."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    kept = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def child(folder: Path, code: str, *, by_hand: str = "") -> Child:
    return Child(
        name="engine",
        title="The engine",
        argv=[sys.executable, "-c", code],
        environment={},
        log_file=folder / "engine.log",
        by_hand=by_hand,
    )


def test_a_child_that_fails_again_and_again_ends_the_demo_with_its_last_words(tmp_path: Path, before: None) -> None:
    said: list[str] = []
    engine = child(tmp_path, FAILS)
    supervisor = Supervisor(children=[engine], project=tmp_path, say=said.append)

    supervisor.start(engine)
    went_well = supervisor.watch()

    assert not went_well
    assert len(said) == MAX_FAILURES
    assert all("no fuel" in line and str(engine.log_file) in line and "\n" not in line for line in said)
    assert said[-1].startswith(f"The engine failed {MAX_FAILURES} times within {WITHIN_MINUTES} minutes, at last with")


def test_a_child_that_fails_now_and_then_is_always_started_again(tmp_path: Path, before: None) -> None:
    said: list[str] = []
    engine = child(tmp_path, FAILS)
    now_and_then = [float(WITHIN_MINUTES * 60 * place) for place in range(MAX_FAILURES)]
    at_once = [now_and_then[-1] + second for second in range(1, MAX_FAILURES)]
    times = iter(now_and_then + at_once)
    supervisor = Supervisor(children=[engine], project=tmp_path, say=said.append, clock=lambda: next(times))

    supervisor.start(engine)
    went_well = supervisor.watch()

    assert not went_well
    assert len(said) == len(now_and_then) + len(at_once)


def test_a_child_that_somebody_stops_stays_down_and_the_others_go_on(tmp_path: Path, before: None) -> None:
    said: list[str] = []
    simulator = child(tmp_path, WAITS, by_hand="start me")
    supervisor = Supervisor(children=[simulator], project=tmp_path, say=said.append)
    supervisor.start(simulator)

    os.kill(simulator.pid, signal.SIGTERM)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    ended_by_signal = supervisor.watch()

    assert ended_by_signal
    assert said == ["The engine was stopped. To start it again: start me"]


def test_a_stop_ends_every_child_even_a_deaf_one(tmp_path: Path, before: None) -> None:
    deaf = child(
        tmp_path,
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()",
    )
    supervisor = Supervisor(children=[deaf], project=tmp_path, say=lambda _line: None, patience_seconds=0.3)
    supervisor.start(deaf)
    pause = threading.Event()
    assert any(deaf.last_line() == "deaf" or pause.wait(0.02) for _ in range(500))

    supervisor.stop()

    assert not deaf.is_running


def test_the_end_of_a_child_is_told(tmp_path: Path) -> None:
    told: SimpleQueue[Ended | None] = SimpleQueue()

    child(tmp_path, FAILS).start(told=told, cwd=tmp_path)

    assert told.get(timeout=30) == Ended("engine", 1)


def test_a_port_is_seen_to_be_taken_and_to_answer() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]

        assert is_taken(port)
        assert answers(port, within_seconds=5)

    assert not is_taken(port)
    assert not answers(port, within_seconds=0.1)
