"""The embedded server of somebody who is not root, as on most people's machines, also where the tests run as root."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clinicbot.embedded.identity import NOBODY
from clinicbot.embedded.layout import WHEEL, wheel_binaries
from clinicbot.settings.environment import PROJECT
from tests.canary import children


@pytest.fixture
def home() -> Iterator[Path]:
    """The user's own, closed to others, with a space in its path; pytest's folders let nobody but root in."""
    outer = Path(tempfile.mkdtemp(prefix="clinicbot-"))
    outer.chmod(0o711)
    home = outer / "a home"
    site_packages = wheel_binaries().parents[2]
    for package in (WHEEL, f"{WHEEL}.libs"):
        shutil.copytree(site_packages / package, home / package, symlinks=True)
    home.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(home, NOBODY, NOBODY)
    yield home
    shutil.rmtree(outer)


def test_an_ordinary_user_starts_asks_and_stops_the_server(home: Path) -> None:
    lived = children.run(
        [sys.executable, "-m", "tests.clinicbot.ordinary_user", home], name="user", cwd=PROJECT, timeout=120
    )

    assert lived.returncode == 0, lived.stderr
    told = json.loads(lived.stdout)
    assert told["user"] == told["served_by"] == (os.geteuid() or NOBODY)
    assert told["answer"] == [42]
    assert told["data"] == [str(home / "data of mine" / "postgres" / "data")]
    assert told["open_to_others"] == []
    assert told["stopped"]
    assert not told["left_its_socket"]
