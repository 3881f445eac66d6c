"""Only use cases change a visit's time, place and state: what no manager can refuse, and who opens the guard."""

from __future__ import annotations

import ast

from tests.house.sources import calls, house_sources, last_name

# The one statement that moves the instants of many visits: their clock times stay as they are.
REDERIVES = "appointments/usecases/rederiving.py"
TABLE = "appointments_appointment"
WRITES = ("update ", "delete from ", "insert into ")


def test_only_use_cases_open_the_guard_of_visits() -> None:
    opened = {
        source.name for source in house_sources() for call in calls(source) if last_name(call.func) == "changing_visits"
    }

    assert opened
    assert [name for name in opened if not name.startswith("appointments/usecases/")] == []


def test_no_statement_writes_visits_past_the_guard() -> None:
    written = [
        source.at(node)
        for source in house_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(f"{verb}{TABLE}" in " ".join(node.value.lower().replace('"', "").split()) for verb in WRITES)
        and source.name != REDERIVES
    ]

    assert written == []


def test_nobody_goes_around_the_managers_of_rows() -> None:
    around = [
        source.at(node)
        for source in house_sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute) and node.attr in ("_base_manager", "_raw_delete")
    ]

    assert around == []
