"""The time a tick has, and the register of its steps."""

from __future__ import annotations

from dataclasses import dataclass

from clinicbot.ticks import Deadline, StepReport, list_steps


@dataclass
class Watch:
    """A monotonic clock that a test moves."""

    seconds: float = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_a_deadline_ends_when_its_budget_is_spent() -> None:
    watch = Watch()
    deadline = Deadline(10, monotonic=watch)

    left = []
    for passed in (4, 20):
        watch.seconds += passed
        left.append((deadline.remaining_seconds(), deadline.is_over()))

    assert left == [(6, False), (0, True)]


def test_a_share_ends_no_later_than_its_whole() -> None:
    watch = Watch()
    deadline = Deadline(10, monotonic=watch)
    share, too_much = deadline.share(3), deadline.share(60)

    watch.seconds += 5

    assert share.remaining_seconds() == 0
    assert deadline.remaining_seconds() == 5
    assert too_much.remaining_seconds() == 5


def test_ending_the_whole_ends_its_shares() -> None:
    deadline = Deadline(10, monotonic=Watch())
    share = deadline.share(5)

    deadline.end_now()

    assert share.is_over()


def test_steps_stand_in_the_order_in_which_a_round_runs_them() -> None:
    steps = list_steps()

    assert steps == sorted(steps, key=lambda step: (step.order, step.name))
    assert len({step.name for step in steps}) == len(steps)
    assert {"outbox", "scheduler", "messaging"} <= {step.name.split(".")[0] for step in steps}


def test_a_report_says_by_itself_that_nothing_was_done() -> None:
    assert StepReport() == StepReport(counts={}, more=False, next_due_in_seconds=None)
