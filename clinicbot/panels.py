"""The register of what the admin's first page shows. Houses add theirs in `panels.py`, found by name; the page composes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from django.http import HttpRequest

from clinicbot.access import AnyUser
from clinicbot.models import Clinic


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """For whom and when. clinic None: of all clinics, for a superuser who works at none."""

    clinic: Clinic | None
    now: datetime
    real: datetime


class Contents(Protocol):
    """What the panel's template finds under `panel`; None where there is nothing to show."""

    def __call__(self, ask: Ask) -> Mapping[str, Any] | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """permission: who lacks it does not see the panel. is_slow: of one clinic only, and fetched once the page is there."""

    name: str
    order: int
    template: str
    permission: str
    contents: Contents
    is_slow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A panel as it stands on one page. contents None: yet to be fetched."""

    name: str
    template: str
    contents: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What went wrong, in words, and where to look. mark: one of the eleven. count: how often; since: the latest time."""

    mark: str
    title: str
    count: int
    what_now: str
    url: str
    since: datetime | None = None


class Source(Protocol):
    def __call__(self, ask: Ask) -> Sequence[Trouble]: ...


_ContentsT = TypeVar("_ContentsT", bound=Contents)
_SourceT = TypeVar("_SourceT", bound=Source)
_panels: dict[str, Panel] = {}
_sources: dict[str, tuple[int, str, Source]] = {}


def dashboard_panel(
    *, order: int, template: str, permission: str, is_slow: bool = False
) -> Callable[[_ContentsT], _ContentsT]:
    """Register a panel. Orders: 10 what goes out, 20 whether it arrives, 30 ticks, 40 queues."""

    def register(contents: _ContentsT) -> _ContentsT:
        name = _name_of(contents)
        _panels[name] = Panel(
            name=name, order=order, template=template, permission=permission, contents=contents, is_slow=is_slow
        )
        return contents

    return register


def trouble_source(*, order: int, permission: str) -> Callable[[_SourceT], _SourceT]:
    """Register what can tell of things that went wrong. Orders: 10 messages, 20 jobs, 30 events."""

    def register(source: _SourceT) -> _SourceT:
        _sources[_name_of(source)] = (order, permission, source)
        return source

    return register


def ask_of(request: HttpRequest, *, now: datetime, real: datetime) -> Ask:
    return Ask(clinic=getattr(request, "clinic", None), now=now, real=real)


def list_panels(user: AnyUser, *, ask: Ask) -> list[Shown]:
    """What this person may see, in order."""
    shown = []
    for panel in sorted(_panels.values(), key=lambda one: (one.order, one.name)):
        if not _may(user, panel.permission):
            continue
        if panel.is_slow:
            if ask.clinic is None:
                continue
            shown.append(Shown(name=panel.name, template=panel.template, contents=None))
        elif (contents := panel.contents(ask)) is not None:
            shown.append(Shown(name=panel.name, template=panel.template, contents=contents))
    return shown


def find_panel(name: str, *, user: AnyUser, ask: Ask) -> Shown | None:
    """One panel, for whoever may see it and has something to see."""
    panel = _panels.get(name)
    contents = panel.contents(ask) if panel is not None and _may(user, panel.permission) else None
    return Shown(name=name, template=panel.template, contents=contents) if panel and contents is not None else None


def list_troubles(user: AnyUser, *, ask: Ask) -> list[Trouble]:
    """What went wrong and is this person's to see, house by house."""
    sources = sorted(_sources.items(), key=lambda item: (item[1][0], item[0]))
    return [one for _, (_, permission, source) in sources if _may(user, permission) for one in source(ask)]


def _may(user: AnyUser, permission: str) -> bool:
    return bool(user.has_perm(permission))  # type: ignore[union-attr]


def _name_of(function: object) -> str:
    return f"{function.__module__.split('.')[0]}.{function.__name__}"  # type: ignore[attr-defined]
