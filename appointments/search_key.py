"""Names as people look for them: without accents, without case. The embedded server has no ICU to do it."""

from __future__ import annotations

import unicodedata

LONGEST = 160  # Of the column. Taken apart, a name may grow: "ß" is "ss".


def search_key(name: str) -> str:
    """ "Íñigo  Álvarez" becomes "inigo alvarez". Without NUL, which the database cannot even be asked for."""
    decomposed = unicodedata.normalize("NFKD", name.replace("\0", ""))
    plain = "".join(char for char in decomposed if not unicodedata.combining(char))
    return " ".join(plain.casefold().split())[:LONGEST].rstrip()
