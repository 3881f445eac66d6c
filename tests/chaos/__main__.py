"""`make chaos`: at least 2,000 messages, once with receipts and once without; prints the figures, fails unless all is as promised."""

from __future__ import annotations

import argparse
import sys

from tests.chaos.story import Plan, tell


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    wishes = parser.parse_args()
    with_receipts = Plan(
        messages=wishes.messages,
        seed=wishes.seed,
        chaos_seconds=120,
        calm_seconds=300,
        deaths_a_step=2,
        web_kills=12,
        web_bout_seconds=24,
    )
    without = Plan(
        messages=wishes.messages,
        seed=wishes.seed + 1,
        chaos_seconds=90,
        calm_seconds=300,
        web_kills=12,
        withhold_receipts=True,
    )
    faults = _tell("Receipts twice, out of order, before the answer", with_receipts, with_receipts=True)
    faults += _tell("Receipts withheld", without, with_receipts=False)
    _say("Nothing lost, nothing doubled; what cannot be known is held." if not faults else "NOT as promised.")
    return 1 if faults else 0


def _tell(title: str, plan: Plan, *, with_receipts: bool) -> list[str]:
    _say(f"{title}; seed {plan.seed}")
    figures = tell(plan, say=_say)
    for line in figures.lines():
        _say(line)
    faults = figures.faults(with_receipts=with_receipts)
    for fault in faults:
        _say(f"  WRONG: {fault}")
    return faults


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
