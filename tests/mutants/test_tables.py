"""The table of rules that `make mutants` takes out is true of the code, of the tests and of the evidence."""

from __future__ import annotations

from tests.house.sources import PROJECT
from tests.house.test_evidence import EVIDENCE, functions_of
from tests.mutants.tables import NOT_TAKEN_OUT, TABLES

MUTANTS = [mutant for mutants in TABLES.values() for mutant in mutants]
BEGINS, ENDS = "## The model-checked protocols", "## Complaints of users of job engines and outboxes"


def rules_of_the_evidence() -> dict[str, bool]:
    """By rule, whether the evidence says that it was taken out."""
    chapter = EVIDENCE.read_text(encoding="utf-8").partition(BEGINS)[2].partition(ENDS)[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in chapter.splitlines() if line.startswith("| ")]
    return {row[1]: row[3] == "yes" for row in rows if row[1] != "rule"}


def test_each_rule_still_stands_where_the_table_says() -> None:
    assert [(one.rule, one.file) for one in MUTANTS if not one.is_found_in(PROJECT)] == []
    assert [one.rule for one in MUTANTS if one.text == one.without] == []


def test_each_test_of_the_table_exists() -> None:
    named = {tuple(test.split("::")) for one in MUTANTS for test in one.tests}

    assert [(file, name) for file, name in named if name not in functions_of(file)] == []


def test_every_rule_of_the_protocols_is_taken_out_or_has_a_reason() -> None:
    rules = rules_of_the_evidence()

    assert len(rules) > 25
    assert {rule for rule, was_taken_out in rules.items() if was_taken_out} == {one.rule for one in MUTANTS}
    assert {rule for rule, was_taken_out in rules.items() if not was_taken_out} == set(NOT_TAKEN_OUT)
