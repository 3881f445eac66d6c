"""The project's own source files, read once. Standard library only: these tests must not depend on what they judge."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
HOUSES = ("clinicbot", "outbox", "scheduler", "messaging", "appointments", "retention")
# It stands in for somebody else, and keeps rules of its own.
SIMULATOR = "messaging/simulator/"


@dataclass(frozen=True, slots=True)
class Source:
    """One file; `name` is its path from the project's root."""

    name: str
    text: str
    tree: ast.Module

    @property
    def house(self) -> str:
        return self.name.partition("/")[0]

    def at(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


@cache
def house_sources() -> tuple[Source, ...]:
    """Every module of every house, without migrations and the simulator."""
    return tuple(_read(HOUSES))


@cache
def all_sources() -> tuple[Source, ...]:
    """The same with the tests, but for these."""
    return tuple(source for source in _read((*HOUSES, "tests")) if not source.name.startswith("tests/house/"))


def _read(folders: tuple[str, ...]) -> Iterator[Source]:
    for folder in folders:
        for path in sorted((PROJECT / folder).rglob("*.py")):
            name = path.relative_to(PROJECT).as_posix()
            if "/migrations/" in name or name.startswith(SIMULATOR):
                continue
            text = path.read_text(encoding="utf-8")
            yield Source(name=name, text=text, tree=ast.parse(text))


def classes(source: Source) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.ClassDef))


def functions(source: Source) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef))


def calls(source: Source) -> Iterator[ast.Call]:
    return (node for node in ast.walk(source.tree) if isinstance(node, ast.Call))


def last_name(node: ast.expr) -> str:
    """`a.b.c`, `c` and `c(...)` are all `c`."""
    if isinstance(node, ast.Call):
        return last_name(node.func)
    if isinstance(node, ast.Subscript):
        return last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def class_constant(node: ast.ClassDef, name: str) -> str | None:
    """The string that the class body gives that name."""
    for statement in node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        value = getattr(statement, "value", None)
        named = any(isinstance(target, ast.Name) and target.id == name for target in targets)
        if named and isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
    return None


def keyword_string(call: ast.Call, name: str) -> str | None:
    for keyword in call.keywords:
        if keyword.arg == name and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
            return keyword.value.value
    return None


def imported_modules(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Each import as a dotted name; `from a import b` is `a.b`, for b may be a module."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)
