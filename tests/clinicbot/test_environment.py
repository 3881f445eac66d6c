from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clinicbot.settings.environment import make_secrets


def test_a_demo_makes_its_secrets_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "data" / "demo.env"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: make_secrets(path), range(8)))
    first = path.read_text(encoding="utf-8")
    make_secrets(path)

    assert path.read_text(encoding="utf-8") == first
    assert "FIELD_ENCRYPTION_KEY=" in first
    assert path.stat().st_mode & 0o077 == 0
    assert [found.name for found in path.parent.iterdir()] == ["demo.env"]
