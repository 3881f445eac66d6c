"""Job arguments to JSON and back, by the field types of their dataclass. Nothing is guessed: a wrong type is refused."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints
from uuid import UUID

_READERS: dict[type, Callable[[str], Any]] = {
    UUID: UUID,
    datetime: datetime.fromisoformat,
    date: date.fromisoformat,
    time: time.fromisoformat,
}
_PLAIN = (str, int, float, bool)


def dump(args: object) -> dict[str, Any]:
    """The fields as JSON can hold them.

    Raises:
        TypeError: a field holds something else than ids and times.
    """
    return {field.name: _dump_value(getattr(args, field.name)) for field in dataclasses.fields(args)}  # type: ignore[arg-type]


def load(args_class: type, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments.

    Raises:
        TypeError, ValueError: a field is unknown, or its value is not of its type. Missing ones are the constructor's to name.
    """
    hints = _hints_of(args_class)
    unknown = payload.keys() - hints.keys()
    if unknown:
        raise TypeError("unknown fields: " + ", ".join(sorted(unknown)))
    return {name: _load_value(hints[name], value, name=name) for name, value in payload.items()}


@cache
def _hints_of(args_class: type) -> dict[str, Any]:
    hints = get_type_hints(args_class)
    return {field.name: hints[field.name] for field in dataclasses.fields(args_class)}


def _dump_value(value: Any) -> Any:
    if value is None or isinstance(value, _PLAIN):
        return value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return [_dump_value(item) for item in value]
    raise TypeError(f"{type(value).__name__} is neither an id nor a time")


def _load_value(hint: Any, value: Any, *, name: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _load_union(get_args(hint), value, name=name)
    if origin in (tuple, list):
        if not isinstance(value, list):
            raise TypeError(f"{name} is not a list")
        return origin(_load_value(get_args(hint)[0], item, name=name) for item in value)
    reader = _READERS.get(hint)
    if reader is not None and isinstance(value, str):
        return reader(value)
    if hint is float and type(value) is int:
        return float(value)
    if hint in _PLAIN and type(value) is hint:
        return value
    raise TypeError(f"{name} is not of its type")


def _load_union(members: tuple[Any, ...], value: Any, *, name: str) -> Any:
    if value is None and type(None) in members:
        return None
    (wanted,) = [member for member in members if member is not type(None)]
    return _load_value(wanted, value, name=name)
