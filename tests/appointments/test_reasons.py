"""Every reason word that the code uses has a sentence for staff."""

from __future__ import annotations

import ast

import pytest

from appointments import errors
from appointments.models import AppointmentStatus
from appointments.queries import plans
from appointments.reasons import ERRORS, outcome_of, said_reason, why_of
from appointments.templatetags.drawn import FLAG_WORDS, MARK_WORDS, STATUS_TONES
from clinicbot.errors import ClinicBotError
from clinicbot.settings.environment import PROJECT
from messaging.queries.marks import _BY_ANSWER, _BY_STATE
from scheduler.contracts import Reason
from tests.house.sources import all_sources

INTERNAL = {"changed_outside_use_case", "appointment_not_found", "change_not_found"}
TOLD_WITH_VALUES = {
    "import_columns_missing",
    "import_not_text",
    "import_too_many_lines",
    "import_too_many_columns",
    "import_name_shared",
    "import_encoding_unknown",
    "import_value_unknown",
    "import_text_unfit",
    "import_quote_open",
}


def words_in_code() -> set[str]:
    """What is given to `skipped` and `held` as a word, and what functions called `_why...` answer, in this house."""
    words: set[str] = set()
    for source in all_sources():
        if not source.name.startswith("appointments/"):
            continue
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("skipped", "held"):
                words |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
            if isinstance(node, ast.FunctionDef) and node.name.startswith("_why"):
                words |= {
                    str(one.value.value)
                    for one in ast.walk(node)
                    if isinstance(one, ast.Return) and isinstance(one.value, ast.Constant)
                }
    return {word for word in words if word}


def outcomes_in_code() -> set[str]:
    """What functions answer that end an inbound message."""
    words: set[str] = set()
    for source in all_sources():
        if source.name not in ("appointments/usecases/tapping.py", "appointments/usecases/answering.py"):
            continue
        for node in ast.walk(source.tree):
            if (
                isinstance(node, ast.Return)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                words.add(node.value.value)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_outcome":
                words |= {f"{ast.literal_eval(node.args[0])}{rest}" for rest in ("", "_several", "_some")}
    return words


def test_the_code_is_read_as_it_is_written() -> None:
    assert {"visit_gone", "never_announced", "rule_changed", "moved"} <= words_in_code()
    assert {"confirmed_some", "offered_times", "asked_which", "slot_taken"} <= outcomes_in_code()


def test_every_reason_word_has_a_sentence() -> None:
    known = {plans.BOOKED_TOO_LATE, plans.TOO_CLOSE, plans.ENOUGH_ALREADY, *(str(reason) for reason in Reason)}

    assert {word for word in words_in_code() | known if not why_of(word)} == set()


def test_every_outcome_has_a_sentence() -> None:
    assert {word for word in outcomes_in_code() if not outcome_of(word)} == set()


def test_every_refusal_of_a_booking_has_a_sentence() -> None:
    codes = {
        one.code
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, ClinicBotError) and one is not ClinicBotError
    }

    assert codes - INTERNAL - TOLD_WITH_VALUES - set(ERRORS) == set()


@pytest.mark.parametrize("reason", ["imported", "patient_called", "nothing_arrived"])
def test_a_stable_word_of_ours_is_said_in_words(reason: str) -> None:
    assert said_reason(reason) != reason


def test_own_words_stay_as_they_are() -> None:
    assert said_reason("Storm warning") == "Storm warning"


def test_every_mark_and_status_has_a_word() -> None:
    assert {*_BY_STATE.values(), *_BY_ANSWER.values(), "read"} <= set(MARK_WORDS)
    assert set(STATUS_TONES) == set(AppointmentStatus.values)
    assert {"failed", "unconfirmed", "change", "person", "unknown", "first", "waits", "outcome"} == set(FLAG_WORDS)


def test_what_any_handler_or_job_would_have_done_has_a_sentence_for_when_it_is_given_up() -> None:
    lines = (PROJECT / "tests" / "house" / "frozen_names.txt").read_text().splitlines()
    names = [line.split()[1] for line in lines if line.startswith(("handler ", "job "))]

    assert [name for name in names if not why_of(name)] == []
