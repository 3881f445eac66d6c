"""What processes say that tests start is judged too, at the end of the run."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from clinicbot.settings.environment import PROJECT
from tests.canary import children, values

A_RUN = """
import subprocess, sys
from tests.canary import children

def test_of_a_child():
    with children.open_log("tick") as log:
        subprocess.run([sys.executable, "-c", "import sys; sys.exit({said!r})"], stderr=log)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's children are heard, so that their leaks do not end the whole run."""
    monkeypatch.setenv(children.FOLDER, str(tmp_path))
    return tmp_path


def run_the_suite(tmp_path: Path, *, said: str, workers: int = 0) -> subprocess.CompletedProcess[str]:
    """A run of one test, whose child says one thing on its standard error."""
    test = tmp_path / "test_planted.py"
    test.write_text(A_RUN.format(said=said), encoding="utf-8")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.canary.plugin"]', encoding="utf-8")
    options = ["-c", "pyproject.toml", "--rootdir", ".", "-p", "no:cacheprovider", "-n", str(workers)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, test],
        cwd=PROJECT,
        env={**os.environ, "PYTEST_DEBUG_TEMPROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("workers", [0, 1])
def test_a_run_whose_child_told_something_fails_and_says_where(tmp_path: Path, workers: int) -> None:
    ended = run_the_suite(tmp_path, said=f"Sent to {values.ANA}.", workers=workers)

    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 passed" in ended.stdout
    assert f"Sent to {values.ANA}." in ended.stdout
    assert "tick-test_of_a_child.log:1" in ended.stdout


def test_a_run_whose_child_spoke_of_ids_is_well(tmp_path: Path) -> None:
    ended = run_the_suite(tmp_path, said="Sent to contact 7.")

    assert ended.returncode == pytest.ExitCode.OK, ended.stdout


@pytest.mark.parametrize("leak", ["Beatrix", "+34611200173", "clinicbot-demo"])
def test_the_demo_s_own_people_are_known(folder: Path, leak: str) -> None:
    children.keep("demo", f"Booked for {leak}.\n")

    [found] = children.find_leaks(folder)

    assert found.endswith(f"Booked for {leak}.")


def test_logs_that_a_process_writes_itself_are_kept(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    data = tmp_path_factory.mktemp("data")
    (data / "logs").mkdir()
    (data / "logs" / "web.log").write_text(f"Booked for {values.ANA}.\n", encoding="utf-8")

    children.keep_logs_of(data)

    assert len(list(children.find_leaks(folder))) == 1


def test_what_a_process_says_until_its_end_is_kept_and_given(folder: Path) -> None:
    ended = children.run([sys.executable, "-c", "import sys; print(6 * 7); sys.exit('no fuel')"], name="engine")

    assert (ended.returncode, ended.stdout) == (1, "42\n")
    [kept] = folder.iterdir()
    assert kept.read_text(encoding="utf-8") == "42\nno fuel\n"


def test_outside_a_run_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(children.FOLDER)

    with children.open_log("simulator") or nullcontext() as log:
        assert log is None
    children.keep("tick", "said")

    assert list(folder.iterdir()) == []
