"""`run_tick` in a process that dies at a named step.

python -m tests.chaos.mortal_tick STEP PASSES SEED DIARY BUDGET    (STEP -1: it lives)
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import django
from django.core.management import call_command

from tests.chaos.steps import STEPS, die_at


def main(step: str, passes: str, seed: str, diary: str, budget: str) -> None:
    django.setup()
    if int(step) >= 0:
        die_at(STEPS[int(step)], after_passes=int(passes), dice=random.Random(seed), diary=Path(diary))
    call_command("run_tick", "--budget", budget)


if __name__ == "__main__":
    main(*sys.argv[1:])
