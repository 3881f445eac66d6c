"""Catalogues as gettext reads them. `msgfmt` is not on every machine; Babel is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import django
from babel.messages import Catalog
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

DJANGO = Path(django.__file__).parent
# Django's "pt" is the Portuguese of Portugal; ours is that of Brazil, and so its own words are taken from there.
DJANGO_WORDS = {"pt": "pt_BR"}
DJANGO_PARTS = ("conf", "contrib/admin", "contrib/auth")


def compile_catalogues(locale_dir: Path) -> int:
    """Compile those that have changed; how many. Several processes may do so at once."""
    compiled = 0
    for source in sorted(locale_dir.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        _add_djangos_words(catalogue)
        with tempfile.NamedTemporaryFile(dir=source.parent, delete=False) as building:
            write_mo(building, catalogue)
        Path(building.name).chmod(0o644)
        Path(building.name).replace(target)
        compiled += 1
    return compiled


def _add_djangos_words(catalogue: Catalog) -> None:
    """Ours stand. Where we count in more forms than Django does, its last one serves for the rest."""
    words = DJANGO_WORDS.get(str(catalogue.locale))
    for part in DJANGO_PARTS if words else ():
        with (DJANGO / part / f"locale/{words}/LC_MESSAGES/django.mo").open("rb") as file:
            for message in read_mo(file):
                if not message.id or not message.string or catalogue.get(message.id, message.context):
                    continue
                string = message.string
                if isinstance(string, (list, tuple)):
                    string = (*string, *[string[-1]] * (catalogue.num_plurals - len(string)))
                catalogue.add(message.id, string, context=message.context)
