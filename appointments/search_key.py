"""Names as people look for them: without accents, without case. The embedded server has no ICU to do it."""

from __future__ import annotations

import unicodedata


def search_key(name: str) -> str:
    """ "Íñigo  Álvarez" becomes "inigo alvarez"."""
    decomposed = unicodedata.normalize("NFKD", name)
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(plain.casefold().split())
