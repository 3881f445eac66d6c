"""Catalogues as gettext reads them. `msgfmt` is not on every machine; Babel is."""

from __future__ import annotations

import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compile_catalogues(locale_dir: Path) -> int:
    """Compile those that have changed; how many. Several processes may do so at once."""
    compiled = 0
    for source in sorted(locale_dir.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        with tempfile.NamedTemporaryFile(dir=source.parent, delete=False) as building:
            write_mo(building, catalogue)
        Path(building.name).chmod(0o644)
        Path(building.name).replace(target)
        compiled += 1
    return compiled
