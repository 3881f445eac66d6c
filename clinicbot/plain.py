"""Dataclasses of ids and times as JSON, and back again, exactly. For events and job arguments."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from clinicbot.errors import BadPayloadError, NotPlainError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def to_plain(instance: DataclassInstance) -> dict[str, Any]:
    """The fields as JSON can hold them.

    Raises:
        NotPlainError: a field holds something else, or a time without a zone.
    """
    return {field.name: _written(getattr(instance, field.name)) for field in fields(instance)}


def from_plain(cls: type[T], payload: Mapping[str, Any]) -> T:
    """The instance that `to_plain` wrote. The error names the field, never its value.

    Raises:
        BadPayloadError: a field is missing, unknown or of another type.
    """
    hints = _hints(cls)
    for name in payload:
        if name not in hints:
            raise BadPayloadError(f"{cls.__name__} has no field {name}.")
    for name in _required(cls):
        if name not in payload:
            raise BadPayloadError(f"{cls.__name__} lacks {name}.")
    return cls(
        **{
            name: value if type(value) is hints[name] else _read_field(cls, name, value)
            for name, value in payload.items()
        }
    )


@cache
def _hints(cls: type[DataclassInstance]) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


@cache
def _required(cls: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls) if field.default is MISSING and field.default_factory is MISSING)


def _written(value: object) -> Any:
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case UUID() | Decimal():
            return str(value)
        case datetime() if value.tzinfo is None:
            raise NotPlainError
        case date() | time():
            return value.isoformat()
        case tuple() | list():
            return [_written(item) for item in value]
    raise NotPlainError


def _read_field(cls: type[DataclassInstance], name: str, value: object) -> Any:
    try:
        return _read(_hints(cls)[name], value)
    except (ValueError, TypeError, ArithmeticError):
        raise BadPayloadError(f"{cls.__name__}.{name} is of another type.") from None


def _read(hint: Any, value: Any) -> Any:
    if type(value) is hint:
        return value
    if get_origin(hint) in (Union, types.UnionType):
        if value is None and type(None) in get_args(hint):
            return None
        (hint,) = (arg for arg in get_args(hint) if arg is not type(None))
    if get_origin(hint) in (tuple, list):
        return get_origin(hint)(_read(get_args(hint)[0], item) for item in value)
    if hint in (datetime, date, time):
        return hint.fromisoformat(value)
    if hint in (UUID, Decimal) or issubclass(hint, Enum):
        return hint(value)
    if hint is float and type(value) is int:
        return value
    raise TypeError
