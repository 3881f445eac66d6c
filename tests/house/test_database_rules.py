from __future__ import annotations

import ast
import re

import pytest

from tests.house.sources import Source, all_sources, calls, classes, house_sources, last_name

FORBIDDEN_SQL = {
    "a lock that outlives its transaction": r"pg_(try_)?advisory_lock",
    "time zones, which come from one source": r"at\s+time\s+zone",
    "the database's clock below an entry point": r"\bnow\(\)|\bcurrent_timestamp\b",
}
# Creating needs no scope, for the row names its clinic.
SCOPED_BY = {"for_clinic", "for_pairs", "create", "bulk_create", "get_or_create"}


def strings(source: Source) -> list[ast.Constant]:
    """String constants, docstrings left out."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
    ]


@pytest.mark.parametrize("what", FORBIDDEN_SQL)
def test_no_statement_uses(what: str) -> None:
    found = [
        source.at(node)
        for source in house_sources()
        for node in strings(source)
        if re.search(FORBIDDEN_SQL[what], str(node.value), re.IGNORECASE)
    ]

    assert found == []


def test_days_are_grouped_by_local_date_not_truncated() -> None:
    found = [
        source.at(call)
        for source in house_sources()
        for call in calls(source)
        if re.fullmatch(r"Trunc[A-Z]?\w*", last_name(call))
    ]

    assert found == []


def test_only_the_nudge_registers_what_happens_after_commit() -> None:
    found = {source.name for source in house_sources() for call in calls(source) if last_name(call) == "on_commit"}

    assert found == {"clinicbot/nudge.py"}


def test_nothing_sleeps() -> None:
    found = [source.at(call) for source in all_sources() for call in calls(source) if last_name(call) == "sleep"]

    assert found == []


HOST_CLOCK = {"now", "utcnow", "today", "localtime", "gmtime"}
HOST_CLOCK_OWNERS = {"datetime", "date", "timezone", "time"}


def test_nobody_asks_the_hosts_clock() -> None:
    """job-engines C8: it may be minutes off. Moments are the database's; only spans are measured here, monotonically."""
    found = [
        source.at(call)
        for source in house_sources()
        for call in calls(source)
        if isinstance(call.func, ast.Attribute)
        and (call.func.attr in HOST_CLOCK or ast.unparse(call.func) == "time.time")
        and last_name(call.func.value) in HOST_CLOCK_OWNERS
    ]

    assert found == []


def tenant_models() -> set[str]:
    parents = {node.name: {last_name(base) for base in node.bases} for s in house_sources() for node in classes(s)}
    found = {"TenantModel"}
    while more := {name for name, bases in parents.items() if bases & found} - found:
        found |= more
    return found


def test_every_query_of_a_clinics_rows_starts_with_the_clinic() -> None:
    models = tenant_models()

    found = [
        source.at(node)
        for source in house_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "objects"
        and last_name(node.value.value) in models
        and node.attr not in SCOPED_BY
    ]

    assert len(models) > 10
    assert found == []
