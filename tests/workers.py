"""How several workers share the suite, each with a database of its own: in `make test`, not in a run by hand."""

from __future__ import annotations

import os

import pytest

MOST_WORKERS = 6
LONGEST = (
    "tests/chaos/",
    "tests/e2e/test_flows.py",
    "tests/month/test_short.py",
    "tests/clinicbot/test_embedded_server.py",
    "tests/e2e/",
    "tests/scheduler/test_processes.py",
    "tests/appointments/test_seeding.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors, for some tests wait more than they work."""
    return min((os.cpu_count() or 1) + 1, MOST_WORKERS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Workers take files in this order: the longest first, so that nobody waits for one at the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    return next((place for place, path in enumerate(LONGEST) if item.nodeid.startswith(path)), len(LONGEST))
