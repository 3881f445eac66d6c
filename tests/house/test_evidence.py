from __future__ import annotations

import ast
import re

from tests.house.sources import PROJECT

EVIDENCE = PROJECT / "docs" / "evidence.md"
NODE_ID = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def functions_of(name: str) -> set[str]:
    path = PROJECT / name
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.exists() else ast.Module(body=[], type_ignores=[])
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_test_that_the_evidence_names_exists() -> None:
    named = NODE_ID.findall(EVIDENCE.read_text(encoding="utf-8"))
    present = {name: functions_of(name) for name, _test in named}

    assert len(named) > 100
    assert [f"{name}::{test}" for name, test in named if test not in present[name]] == []


def test_each_row_of_the_evidence_has_a_test_or_says_why_not() -> None:
    rows = [line for line in EVIDENCE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    silent = [row for row in rows if " shown by " not in row and "`tests/" not in row and "later: " not in row]

    assert silent == []


def test_the_evidence_names_topics_and_no_issue_numbers() -> None:
    assert re.findall(r"\bissues? \d+", EVIDENCE.read_text(encoding="utf-8")) == []
