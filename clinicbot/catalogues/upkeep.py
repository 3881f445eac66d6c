"""Catalogues kept in step with the texts they translate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po

from clinicbot.catalogues.extracting import extract_catalogue


def catalogue_file(project: Path, locale: str) -> Path:
    return project / "locale" / locale / "LC_MESSAGES" / "django.po"


def update_catalogue(project: Path, *, locale: str, more: Iterable[tuple[str, str]] = ()) -> int:
    """Add what is new, drop what is gone, guess nothing. Returns how many texts lack a translation."""
    catalogue = _read(project, locale)
    catalogue.update(extract_catalogue(project, more=more), no_fuzzy_matching=True, update_header_comment=False)
    catalogue.obsolete.clear()
    path = catalogue_file(project, locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=0, include_lineno=False, sort_output=True, omit_header=False)
    return sum(1 for message in catalogue if message.id and not is_translated(message.string))


def list_faults(project: Path, *, locale: str, more: Iterable[tuple[str, str]] = ()) -> list[str]:
    """What is missing, doubtful or has other placeholders than the text it translates; a line each."""
    catalogue = _read(project, locale)
    faults = []
    for wanted in extract_catalogue(project, more=more):
        if not wanted.id:
            continue
        found = catalogue.get(wanted.id, wanted.context)
        first = wanted.id if isinstance(wanted.id, str) else wanted.id[0]
        if found is None or not is_translated(found.string):
            faults.append(f"{locale}: not translated: {first!r}")
        elif found.fuzzy:
            faults.append(f"{locale}: marked as doubtful: {first!r}")
        else:
            faults += [f"{locale}: {first!r}: {error}" for error in found.check(catalogue)]
    return faults


def is_translated(string: object) -> bool:
    return all(string) if isinstance(string, (list, tuple)) else bool(string)


def _read(project: Path, locale: str) -> Catalog:
    path = catalogue_file(project, locale)
    if not path.exists():
        return Catalog(locale=locale, project="clinicbot", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=locale)
