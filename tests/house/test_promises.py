from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import (
    Source,
    class_constant,
    classes,
    functions,
    house_sources,
    keyword_string,
    last_name,
)

RUN_TWICE = {"subscribe", "batch_job", "external_job"}
FROZEN_NAMES = Path(__file__).with_name("frozen_names.txt")
NAME = re.compile(r"[a-z]+\.[a-z]+(_[a-z0-9]+)*")


def decorators(function: ast.FunctionDef) -> set[str]:
    return {last_name(decorator) for decorator in function.decorator_list}


def declared_names(source: Source) -> Iterator[str]:
    """`event`, `job` or `handler`, and the name that rows in a database carry."""
    for node in classes(source):
        bases = {last_name(base) for base in node.bases}
        if bases & {"JobArgs", "RecurringArgs"} and (kind := class_constant(node, "kind")):
            yield f"job {kind}"
        elif source.name.endswith("/events.py") and (name := class_constant(node, "name")):
            yield f"event {name}"
    for function in functions(source):
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and last_name(decorator) == "subscribe":
                yield f"handler {keyword_string(decorator, 'name')}"


def test_what_may_run_twice_says_why_that_is_harmless() -> None:
    silent = [
        source.at(function)
        for source in house_sources()
        for function in functions(source)
        if decorators(function) & RUN_TWICE and "Idempotent by:" not in (ast.get_docstring(function) or "")
    ]

    assert silent == []


def test_names_in_the_database_are_frozen() -> None:
    """A line may be added for a new name; one that has been released stays, and means what it meant."""
    frozen = FROZEN_NAMES.read_text(encoding="utf-8").split("\n")

    assert sorted(name for source in house_sources() for name in declared_names(source)) == [n for n in frozen if n]


def test_names_in_the_database_begin_with_their_house() -> None:
    strange = [
        f"{source.name}: {name}"
        for source in house_sources()
        for name in (declared.partition(" ")[2] for declared in declared_names(source))
        if not NAME.fullmatch(name) or not name.startswith(f"{source.house}.")
    ]

    assert strange == []


def error_classes() -> Iterator[tuple[Source, ast.ClassDef]]:
    for source in house_sources():
        for node in classes(source):
            if any(last_name(base).endswith(("Error", "Exception")) for base in node.bases):
                yield source, node


def test_each_error_has_a_code_of_its_own() -> None:
    codes = Counter(class_constant(node, "code") for _source, node in error_classes())
    without = [source.at(node) for source, node in error_classes() if class_constant(node, "code") is None]

    assert without == []
    assert [code for code, times in codes.items() if times > 1] == []


def test_errors_end_in_error_and_live_in_errors() -> None:
    elsewhere = [
        f"{source.at(node)} {node.name}"
        for source, node in error_classes()
        if not node.name.endswith("Error") or not source.name.endswith("/errors.py")
    ]

    assert elsewhere == []


def test_an_error_says_in_its_docstring_what_a_person_reads() -> None:
    silent = [source.at(node) for source, node in error_classes() if not ast.get_docstring(node)]

    assert silent == []
