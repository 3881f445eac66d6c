"""One rule of the protocols, how to take it out, and the tests that must miss it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """rule: as the evidence calls it. text stands once in the file; `without` stands there when the rule is taken out."""

    rule: str
    file: str
    text: str
    without: str
    tests: tuple[str, ...]

    def is_found_in(self, root: Path) -> bool:
        path = root / self.file
        return path.exists() and path.read_text(encoding="utf-8").count(self.text) == 1

    @contextmanager
    def taken_out_of(self, root: Path) -> Iterator[None]:
        path = root / self.file
        whole = path.read_text(encoding="utf-8")
        _write(path, whole.replace(self.text, self.without))
        try:
            yield
        finally:
            _write(path, whole)


def _write(path: Path, content: str) -> None:
    """Compiled files are told apart by second and size, which may be the same."""
    path.write_text(content, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()
