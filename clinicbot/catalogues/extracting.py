"""Every text that the code and the pages mark for translation. `xgettext` is not on every machine; Babel is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from django.utils.translation.template import templatize

HOUSES = ("clinicbot", "outbox", "scheduler", "messaging", "appointments", "retention")
# The simulator speaks one language and knows nothing of Django; message texts have a file for each language.
LEFT_OUT = ("messaging/simulator/", "templates/messages/", "/migrations/")
KEYWORDS: dict[str, Any] = DEFAULT_KEYWORDS | {
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}


def extract_catalogue(project: Path, *, more: Iterable[tuple[str, str]] = ()) -> Catalog:
    """A catalogue of texts without translations, each with the files that use it.

    more: texts that stand in no file, each with where it comes from.
    """
    catalogue = Catalog(project="clinicbot", charset="utf-8", fuzzy=False)
    for name, where in more:
        catalogue.add(name, locations=[(where, 0)])
    for path in _sources(project):
        name = path.relative_to(project).as_posix()
        for _line, text, _comments, context in extract("python", BytesIO(_as_python(path)), KEYWORDS):
            catalogue.add(text, locations=[(name, 0)], context=context)
    return catalogue


def _sources(project: Path) -> Iterator[Path]:
    folders = [project / house for house in HOUSES] + [project / "templates"]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(project).as_posix()
            if path.suffix in (".py", ".html", ".txt") and not any(left_out in name for left_out in LEFT_OUT):
                yield path


def _as_python(path: Path) -> bytes:
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return source.encode()
    # What templatize leaves is no Python that could be indented.
    lines = templatize(source, origin=str(path)).splitlines()
    return "\n".join(line.lstrip() for line in lines).encode()
