"""The rules of outbox and jobs, taken out one by one."""

from __future__ import annotations

from tests.mutants.rule import Mutant

TOGETHER = "tests/outbox/test_dispatching_together.py"
CROWDS = "tests/outbox/test_crowds.py"
DISPATCHING = "tests/outbox/test_dispatching.py"
RESCUING = "tests/scheduler/test_rescuing.py"
PLANNING = "tests/scheduler/test_planning.py"
RULES = "tests/appointments/test_rules.py"

COUNTED = "Each delivery is counted just before it runs"
GIVEN_BACK = "A rescue gives the attempt back; a crash of several charges nobody"
KEY = "A reminder's key carries notice and rule version"

MUTANTS = [
    Mutant(
        rule="A delivery is locked where still pending",
        file="outbox/usecases/attempts.py",
        text=('    WHERE id = %(id)s AND state = \'pending\'\n    FOR NO KEY UPDATE SKIP LOCKED\n"""\n_FINISH'),
        without=('    WHERE id = %(id)s\n"""\n_FINISH'),
        tests=(f"{TOGETHER}::test_a_slow_first_attempt_does_not_repeat_what_the_second_did",),
    ),
    Mutant(
        rule=COUNTED,
        file="outbox/usecases/dispatching.py",
        text=(
            "    counts: Counter[Outcome] = Counter()\n"
            "    for delivery in deliveries:\n"
            "        if deadline.is_over():\n"
        ),
        without=(
            "    counts: Counter[Outcome] = Counter()\n"
            "    for one in deliveries:\n"
            "        one.attempt += 1\n"
            '        one.save(update_fields=["attempt"])\n'
            "    for delivery in deliveries:\n"
            "        if deadline.is_over():\n"
        ),
        tests=(f"{TOGETHER}::test_a_crash_in_a_batch_charges_no_neighbour",),
    ),
    Mutant(
        rule=COUNTED,
        file="outbox/usecases/dispatching.py",
        text="in_company=bool(companions)",
        without="in_company=False",
        tests=(f"{CROWDS}::test_one_that_kills_its_process_costs_its_neighbours_nothing",),
    ),
    Mutant(
        rule="`next_try_at` moves with the count",
        file="outbox/usecases/attempts.py",
        text=(
            "        next_try_at = clock_timestamp() + make_interval(secs => %(wait)s),\n"
            "        last_error = '',\n"
            "        unknown_since = NULL\n"
        ),
        without=("        last_error = '',\n        unknown_since = NULL\n"),
        tests=(f"{TOGETHER}::test_overlapping_ticks_burn_no_attempts",),
    ),
    Mutant(
        rule="Spent and due again: dead",
        file="outbox/usecases/dispatching.py",
        text="        elif delivery.charged >= subscription.max_attempts:\n",
        without="        elif delivery.charged < 0:\n",
        tests=(f"{DISPATCHING}::test_spent_and_due_again_is_dead",),
    ),
    Mutant(
        rule=GIVEN_BACK,
        file="scheduler/usecases/rescuing.py",
        text="attempt = GREATEST(attempt - 1, 0), runs_alone",
        without="runs_alone",
        tests=(f"{RESCUING}::test_a_lapsed_lease_comes_back_with_its_attempt",),
    ),
    Mutant(
        rule=GIVEN_BACK,
        file="scheduler/usecases/rescuing.py",
        text="crash_count = crash_count + claimed_alone::int",
        without="crash_count = crash_count + 1",
        tests=(f"{RESCUING}::test_a_crash_of_several_charges_nobody_but_parts_them",),
    ),
    Mutant(
        rule="The planner locks the schedule row",
        file="scheduler/usecases/planning.py",
        text=('        .select_for_update(skip_locked=True, no_key=True)\n        .order_by("next_due_at")'),
        without='        .order_by("next_due_at")',
        tests=(f"{PLANNING}::test_a_cron_edited_while_the_planner_reads_waits_for_it",),
    ),
    Mutant(
        rule=KEY,
        file="appointments/job_args.py",
        text=':r{self.rule_version}"',
        without='"',
        tests=(f"{RULES}::test_a_rule_that_changes_in_all_but_its_time_still_reminds_once",),
    ),
    Mutant(
        rule=KEY,
        file="appointments/job_args.py",
        text=":v{self.notice_version}:rule",
        without=":rule",
        tests=(f"{RULES}::test_a_visit_that_moves_away_and_back_is_still_reminded_of_once",),
    ),
]
