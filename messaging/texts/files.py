"""The texts that come with the product, read once per process."""

from __future__ import annotations

import functools
from pathlib import Path

from messaging.errors import MalformedTextError, UnknownTextError
from messaging.texts.source import TextSource, parse_source

FOLDER = Path(__file__).resolve().parents[2] / "templates" / "messages"
LANGUAGES = ("en", "es", "pt")


def list_text_names() -> tuple[str, ...]:
    return tuple(sorted(_sources()))


def find_source(text_name: str, language: str) -> TextSource | None:
    return _sources().get(text_name, {}).get(language)


def get_source(text_name: str, language: str) -> TextSource:
    """
    Raises:
        UnknownTextError: no such text, or not in that language.
    """
    source = find_source(text_name, language)
    if source is None:
        raise UnknownTextError(f"There is no text {text_name} in {language}.")
    return source


@functools.cache
def _sources() -> dict[str, dict[str, TextSource]]:
    sources: dict[str, dict[str, TextSource]] = {}
    for path in sorted(FOLDER.glob("*/*.txt")):
        sources.setdefault(path.parent.name, {})[path.stem] = _read(path)
    return sources


def _read(path: Path) -> TextSource:
    try:
        return parse_source(path.read_text(encoding="utf-8"))
    except MalformedTextError as error:
        raise MalformedTextError(f"{path.parent.name}/{path.name}: {error}") from None
