"""The rules of sending, taken out one by one."""

from __future__ import annotations

from tests.mutants.rule import Mutant

STORIES = "tests/messaging/sending/test_stories.py"
NOTICES = "tests/appointments/test_notices.py"
LEASING = "tests/messaging/sending/test_leasing.py"
EVIDENCE = "tests/messaging/sending/test_evidence.py"
ATTEMPTS = "tests/messaging/sending/test_stories_of_attempts.py"
RESOLUTION = "tests/messaging/sending/test_resolution.py"

OVERTAKEN = (
    "Overtaken messages are cancelled by compare-and-swap, and the wave's commit matches `queued` and the lease number"
)
ALONE = "Rows of a lapsed lease are leased alone, thrice at most; what was in company is not charged"
IN_DOUBT = "With an unknown attempt: no skipped, expired, cancelled"
JUST_BEFORE = "The lease is checked just before the call, and leaves the call its time"

MUTANTS = [
    Mutant(
        rule=OVERTAKEN,
        file="messaging/usecases/committing.py",
        text="    return entry.message.state == MessageState.QUEUED and entry.message.lease_no == row.lease_no\n",
        without="    return True\n",
        tests=(f"{STORIES}::test_a_message_overtaken_while_the_wave_judges_it_does_not_go",),
    ),
    Mutant(
        rule=OVERTAKEN,
        file="messaging/usecases/cancelling.py",
        text=".filter(~Exists(in_doubt), state__in=WAITING)",
        without=".filter(~Exists(in_doubt))",
        tests=(f"{STORIES}::test_what_is_in_its_call_is_not_overtaken_and_the_newer_word_comes_after_it",),
    ),
    Mutant(
        rule="Announced is judged in the wave",
        file="appointments/queries/notices.py",
        text=('    if not visit.is_live and not known.was_told:\n        return "never_announced"\n'),
        without="",
        tests=(f"{NOTICES}::test_a_visit_never_announced_is_cancelled_in_silence",),
    ),
    Mutant(
        rule=ALONE,
        file="messaging/usecases/leasing.py",
        text="    message.runs_alone = True\n",
        without="",
        tests=(f"{LEASING}::test_a_lapsed_lease_charges_nothing_and_its_rows_go_alone",),
    ),
    Mutant(
        rule=ALONE,
        file="messaging/usecases/leasing.py",
        text="    message.lapses += 1 if message.runs_alone else 0\n",
        without="    message.lapses += 1\n",
        tests=(f"{LEASING}::test_a_lapsed_lease_charges_nothing_and_its_rows_go_alone",),
    ),
    Mutant(
        rule=ALONE,
        file="messaging/usecases/leasing.py",
        text="MAX_LAPSES = 3\n",
        without="MAX_LAPSES = 1_000\n",
        tests=(f"{LEASING}::test_three_lapses_alone_end_a_message_and_a_person_hears_of_it",),
    ),
    Mutant(
        rule="Absence of a receipt counts only while our webhook was up",
        file="messaging/usecases/evidence.py",
        text=("        if not self._webhook_was_up_since(attempt.started_at):\n            return Finding.NEVER\n"),
        without="",
        tests=(f"{EVIDENCE}::test_without_one_piece_of_evidence_it_stays_unknown",),
    ),
    Mutant(
        rule="Ranks belong to attempts",
        file="messaging/ranks.py",
        text="    return said if _RANKS[said] > _RANKS[known] else known\n",
        without="    return said\n",
        tests=(f"{ATTEMPTS}::test_a_late_sent_of_a_failed_attempt_does_not_stop_its_template",),
    ),
    Mutant(
        rule="Only the latest attempt's failure causes a reaction",
        file="messaging/usecases/settling.py",
        text="    if state is None:\n",
        without="    if state is None or has_failed:\n",
        tests=(f"{ATTEMPTS}::test_an_older_attempts_failure_does_not_fail_what_the_provider_has",),
    ),
    Mutant(
        rule="With an unknown attempt a message is never `held`",
        file="messaging/usecases/committing.py",
        text="    elif entry.is_in_doubt:\n",
        without="    elif entry.is_in_doubt and decision.fate != Fate.HOLD:\n",
        tests=(f"{ATTEMPTS}::test_a_message_in_doubt_is_neither_held_nor_left_out",),
    ),
    Mutant(
        rule=IN_DOUBT,
        file="messaging/usecases/committing.py",
        text="    elif entry.is_in_doubt:\n",
        without="    elif entry.is_in_doubt and decision.fate == Fate.HOLD:\n",
        tests=(f"{ATTEMPTS}::test_a_message_in_doubt_is_neither_held_nor_left_out",),
    ),
    Mutant(
        rule=IN_DOUBT,
        file="messaging/usecases/cancelling.py",
        text=".filter(~Exists(in_doubt), state__in=WAITING)",
        without=".filter(state__in=WAITING)",
        tests=(f"{ATTEMPTS}::test_a_message_in_doubt_is_neither_too_late_nor_stopped_nor_cancelled",),
    ),
    Mutant(
        rule="A message waits for an older one that is `sending`",
        file="messaging/usecases/judging.py",
        text=("    if in_turn:\n        _queue_up(docket, cases)\n"),
        without="",
        tests=(f"{STORIES}::test_what_is_in_its_call_is_not_overtaken_and_the_newer_word_comes_after_it",),
    ),
    Mutant(
        rule=JUST_BEFORE,
        file="messaging/usecases/calling.py",
        text=" or steady_seconds() >= call.begin_before:\n",
        without=":\n",
        tests=(f"{STORIES}::test_a_process_that_wakes_after_its_lease_does_not_call",),
    ),
    Mutant(
        rule=JUST_BEFORE,
        file="messaging/usecases/committing.py",
        text="steady + conf.send_lease_seconds() - conf.send_call_seconds()\n",
        without="steady + conf.send_lease_seconds()\n",
        tests=(f"{STORIES}::test_the_last_moment_to_begin_leaves_the_call_its_time_within_the_lease",),
    ),
    Mutant(
        rule="An outcome is recorded whatever the lease",
        file="messaging/usecases/outcomes.py",
        text="            entry = entries[one.call.message_id]\n",
        without=(
            "            entry = entries[one.call.message_id]\n"
            '            if entry.message.state != "sending":\n'
            "                continue\n"
        ),
        tests=(f"{STORIES}::test_an_outcome_counts_whatever_has_become_of_the_lease",),
    ),
    Mutant(
        rule="Every tick looks at held rows; a release moves nothing",
        file="messaging/usecases/looking_again.py",
        text="    if not page:\n",
        without="    if page is not None:\n",
        tests=(f"{STORIES}::test_what_is_written_held_after_the_release_goes_with_the_next_look",),
    ),
    Mutant(
        rule="The switch is read in each wave",
        file="messaging/usecases/judging.py",
        text="        if None in stopped or case.message.clinic_id in stopped:\n",
        without=("        if not stopped:\n            pass\n        elif False:\n"),
        tests=(f"{STORIES}::test_a_switch_thrown_after_the_lease_stops_the_call",),
    ),
    Mutant(
        rule="Send again ends older generations",
        file="messaging/usecases/sending_again.py",
        text="    message.superseded = True\n",
        without="",
        tests=(f"{STORIES}::test_sending_again_ends_the_older_generation",),
    ),
    Mutant(
        rule="Once more is once per message and generation",
        file="messaging/usecases/resolution.py",
        text=" or message.was_sent_once_more or ",
        without=" or ",
        tests=(f"{RESOLUTION}::test_once_more_is_once_even_when_that_too_is_in_doubt",),
    ),
    Mutant(
        rule="Each change of state ends the lease",
        file="messaging/usecases/changing.py",
        text=("    message.settled_at = None if state in UNSETTLED else now\n    end_lease(message)\n"),
        without="    message.settled_at = None if state in UNSETTLED else now\n",
        tests=(f"{STORIES}::test_a_stale_hand_finds_its_lease_gone_after_any_change",),
    ),
]
