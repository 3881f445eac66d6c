"""Every use case that is told who acts writes it down, or hands it to one that does: nobody changes anything unseen."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.house.sources import functions, house_sources, last_name

WRITES_DOWN = {"record", "record_change", "record_new", "AuditEntry"}
# Where an act leaves a row that names who did it, that row is the record.
OTHERWISE = {
    "draft_closure": "the draft is a row with who drew it up, and nothing changes yet",
    "draft_leave": "the draft is a row with who drew it up, and nothing changes yet",
    "finish_seen": "the conversation and each task keep who ended them",
    "write_answer": "the answer is a row with who wrote it",
    "end_ways": "each way that ended is a row with who ended it",
    "take_in_file": "the import is a row with who brought the file, and nothing is brought in yet",
    "move_person": "is a part of merging, which is written down as a whole",
}


def takes_an_actor(function: ast.FunctionDef) -> bool:
    arguments = (*function.args.args, *function.args.kwonlyargs)
    return any(one.arg == "actor" for one in arguments)


def passes_it_to(function: ast.FunctionDef) -> Iterator[str]:
    """The functions that get the actor as it came."""
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any("actor" in {name.id for name in ast.walk(one) if isinstance(name, ast.Name)} for one in given):
            yield last_name(call)


def use_cases() -> Iterator[ast.FunctionDef]:
    for source in house_sources():
        if "/usecases/" in source.name or source.name in ("clinicbot/suspending.py", "clinicbot/inviting.py"):
            yield from (one for one in functions(source) if takes_an_actor(one))


def test_who_acts_is_written_down() -> None:
    handed: defaultdict[str, set[str]] = defaultdict(set)
    for function in use_cases():
        handed[function.name] |= set(passes_it_to(function))
    recording = set(WRITES_DOWN) | set(OTHERWISE)
    while more := {name for name, to in handed.items() if name not in recording and to & recording}:
        recording |= more

    assert sorted(name for name in handed if name not in recording and not name.startswith("_")) == []
