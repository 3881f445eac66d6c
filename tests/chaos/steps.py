"""The named steps of the flow (DESIGN 4), and how a process is made to die at one of them.

No hook stands in the product: a dying process wraps the function of that name in itself, then goes on as usual.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import random
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

REMINDER = "appointments.send_reminder"
"""Jobs of this kind run in batches; an external one has a step of its own."""
Found = Callable[[Sequence[Any], Any], bool]


def always(arguments: Sequence[Any], result: Any) -> bool:
    return True


def given_any(arguments: Sequence[Any], result: Any) -> bool:
    return bool(arguments[0])


def found_any(arguments: Sequence[Any], result: Any) -> bool:
    return bool(result)


def claimed_reminders(arguments: Sequence[Any], result: Any) -> bool:
    return any(job.kind == REMINDER for job in result.jobs)


def given_reminders(arguments: Sequence[Any], result: Any) -> bool:
    return any(outcome.job.kind == REMINDER for outcome in arguments[0])


def rescued_any(arguments: Sequence[Any], result: Any) -> bool:
    return bool(result["jobs_rescued"])


@dataclass(frozen=True, slots=True)
class Step:
    """Death `when` the function at `place` (module:attribute or module:class.attribute) is called, or has returned.

    if_: which calls count, by their arguments and result (None before the end): one that did nothing is no step.
    """

    name: str
    place: str
    when: Literal["before", "after", "during"]
    if_: Found = always
    dies: Literal["tick", "web worker"] = "tick"


STEPS = (
    Step("delivery: its attempt is counted and committed", "outbox.usecases.attempts:count", "after"),
    Step("delivery: locked, the handler not begun", "outbox.usecases.attempts:lock", "after"),
    Step("delivery: the handler ran, nothing committed", "outbox.usecases.attempts:finish", "after"),
    Step("delivery: handler and mark committed", "outbox.usecases.dispatching:_run", "after"),
    Step(
        "schedule: occurrence and job written, not committed",
        "scheduler.usecases.planning:_insert_runs",
        "after",
        found_any,
    ),
    Step("job: claimed and committed", "scheduler.usecases.working:claim_batch", "after", claimed_reminders),
    Step("job: locked, the handler not begun", "scheduler.usecases.running:lock_held", "after", found_any),
    Step(
        "job: the handler ran, the jobs not finished",
        "scheduler.usecases.running:finish_jobs",
        "before",
        given_reminders,
    ),
    Step("job: finished, nothing committed", "scheduler.usecases.running:finish_jobs", "after", given_reminders),
    Step("job: committed", "scheduler.usecases.running:_run_in_one_transaction", "after"),
    Step("external job: called, the result not recorded", "messaging.jobs:sync_templates", "after"),
    Step("rescue: lapsed jobs taken back", "scheduler.ticks:rescue_jobs", "after", rescued_any),
    Step("rescue: lapsed messages freed, not committed", "messaging.usecases.leasing:save", "after", given_any),
    Step("rescue: lapsed messages freed", "messaging.ticks:rescue_lapsed_leases", "after", found_any),
    Step("rescue: calls cut off in doubt, not committed", "messaging.usecases.rescuing:save", "after", given_any),
    Step("rescue: calls cut off in doubt", "messaging.ticks:rescue_cut_off", "after", found_any),
    Step("sender: leased", "messaging.usecases.rounds:lease_batch", "after", found_any),
    Step("sender: judged", "messaging.usecases.wave:judge", "after"),
    Step("sender: sending and attempt committed", "messaging.usecases.wave:commit_wave", "after", found_any),
    Step("call: about to begin", "messaging.channels.whatsapp.adapter:WhatsAppChannel.send", "before"),
    Step("call: in the middle", "messaging.channels.whatsapp.adapter:WhatsAppChannel.send", "during"),
    Step("call: answered, the outcome not recorded", "messaging.usecases.wave:record_outcomes", "before"),
    Step("call: outcome recorded", "messaging.usecases.wave:record_outcomes", "after"),
    Step("webhook: on record, not stored", "messaging.views:begin_call", "after", dies="web worker"),
    Step("webhook: stored, not answered", "messaging.views:store_call", "after", dies="web worker"),
)
TICK_STEPS = [number for number, step in enumerate(STEPS) if step.dies == "tick"]
WEB_STEPS = [step for step in STEPS if step.dies == "web worker"]


def order_name(step: Step) -> str:
    """The file that orders a web worker to die."""
    return f"order-{STEPS.index(step)}"


def die_at(step: Step, *, is_time: Callable[[], bool], dice: random.Random, diary: Path) -> None:
    """Let this process be killed at the step, when it comes by and `is_time`; the diary says so just before."""
    module_name, _, path = step.place.partition(":")
    owner: Any = importlib.import_module(module_name)
    *parents, attribute = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    setattr(owner, attribute, _mortal(getattr(owner, attribute), step, is_time=is_time, dice=dice, diary=diary))


def at_pass(number: int) -> Callable[[], bool]:
    """True once, when asked for the so-many-th time, by whichever thread."""
    passes = itertools.count(1)
    lock = threading.Lock()

    def is_time() -> bool:
        with lock:
            return next(passes) == number

    return is_time


def on_order(order: Path) -> Callable[[], bool]:
    """True for the one who takes the order away."""

    def is_time() -> bool:
        try:
            order.unlink()
        except FileNotFoundError:
            return False
        return True

    return is_time


def _mortal(
    function: Callable[..., Any], step: Step, *, is_time: Callable[[], bool], dice: random.Random, diary: Path
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if step.when == "after":
            result = function(*args, **kwargs)
            if step.if_(args, result) and is_time():
                _die(step, diary)
            return result
        if step.if_(args, None) and is_time():
            if step.when == "before":
                _die(step, diary)
            threading.Timer(dice.uniform(0.0, 0.08), _die, (step, diary)).start()
        return function(*args, **kwargs)

    return wrapped


def _die(step: Step, diary: Path) -> None:
    with diary.open("a", encoding="utf-8") as file:
        file.write(f"{step.name}\n")
    os.kill(os.getpid(), signal.SIGKILL)
