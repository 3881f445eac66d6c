"""The named steps of the flow (DESIGN 4), and how a process is made to die at one of them.

No hook stands in the product: a dying process wraps the function of that name in itself, then runs an ordinary tick.
"""

from __future__ import annotations

import functools
import importlib
import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Step:
    """Death `when` the function at `place` (module:attribute or module:class.attribute) is called, or has returned."""

    name: str
    place: str
    when: Literal["before", "after", "during"]


STEPS = (
    Step("delivery: its attempt is counted and committed", "outbox.usecases.attempts:count", "after"),
    Step("delivery: locked, the handler not begun", "outbox.usecases.attempts:lock", "after"),
    Step("delivery: the handler ran, nothing committed", "outbox.usecases.attempts:finish", "after"),
    Step("delivery: handler and mark committed", "outbox.usecases.dispatching:_attempt", "after"),
    Step("job: claimed and committed", "scheduler.usecases.working:claim_batch", "after"),
    Step("job: locked, the handler not begun", "scheduler.usecases.running:lock_held", "after"),
    Step("job: the handler ran, the jobs not finished", "scheduler.usecases.running:finish_jobs", "before"),
    Step("job: finished, nothing committed", "scheduler.usecases.running:finish_jobs", "after"),
    Step("job: committed", "scheduler.usecases.running:_run_in_one_transaction", "after"),
    Step("sender: leased", "messaging.usecases.rounds:lease_batch", "after"),
    Step("sender: judged", "messaging.usecases.wave:judge", "after"),
    Step("sender: sending and attempt committed", "messaging.usecases.wave:commit_wave", "after"),
    Step("call: about to begin", "messaging.channels.whatsapp.adapter:WhatsAppChannel.send", "before"),
    Step("call: in the middle", "messaging.channels.whatsapp.adapter:WhatsAppChannel.send", "during"),
    Step("call: answered, the outcome not recorded", "messaging.usecases.wave:record_outcomes", "before"),
    Step("call: outcome recorded", "messaging.usecases.wave:record_outcomes", "after"),
)


def die_at(step: Step, *, after_passes: int, dice: random.Random, diary: Path) -> None:
    """Let this process be killed at the step, the `after_passes`-th time it comes by; the diary says so just before."""
    module_name, _, path = step.place.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, attribute = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    passes = iter(range(1, 1_000_000))
    lock = threading.Lock()

    def is_time() -> bool:
        with lock:
            return next(passes) == after_passes

    setattr(owner, attribute, _mortal(getattr(owner, attribute), step, is_time=is_time, dice=dice, diary=diary))


def _mortal(
    function: Callable[..., Any], step: Step, *, is_time: Callable[[], bool], dice: random.Random, diary: Path
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        dies = is_time()
        if dies and step.when == "before":
            _die(step, diary)
        if dies and step.when == "during":
            threading.Timer(dice.uniform(0.0, 0.08), _die, (step, diary)).start()
        result = function(*args, **kwargs)
        if dies and step.when == "after":
            _die(step, diary)
        return result

    return wrapped


def _die(step: Step, diary: Path) -> None:
    with diary.open("a", encoding="utf-8") as file:
        file.write(f"{step.name}\n")
    os.kill(os.getpid(), signal.SIGKILL)
