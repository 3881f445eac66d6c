from __future__ import annotations

import pytest

from tests.house.sources import HOUSES, Source, all_sources, house_sources, imported_modules

FRONT_DOORS = {"events", "usecases", "queries", "errors", "contracts"}
HTTP_CLIENTS = {
    "requests": {"clinicbot/http.py"},
    "urllib3": {"clinicbot/http.py", "clinicbot/timed_connections.py"},
    "urllib.request": set(),
    "http.client": {"clinicbot/http.py", "clinicbot/timed_connections.py"},
    "httpx": set(),
    "aiohttp": set(),
}


def by_a_back_door(source: Source, imported: str) -> bool:
    """Whether this reaches into another house past its front door. The floor is everybody's."""
    house, _, rest = imported.partition(".")
    if house not in HOUSES or house in ("clinicbot", source.house):
        return False
    return rest.partition(".")[0] not in FRONT_DOORS


def test_houses_know_each_other_by_the_front_door_only() -> None:
    found = [
        f"{source.at(node)} imports {imported}"
        for source in house_sources()
        for node, imported in imported_modules(source)
        if by_a_back_door(source, imported)
    ]

    assert found == []


@pytest.mark.parametrize("client", HTTP_CLIENTS)
def test_http_leaves_by_one_door(client: str) -> None:
    importers = {
        source.name
        for source in house_sources()
        for _node, imported in imported_modules(source)
        if f"{imported}.".startswith(f"{client}.")
    }

    assert importers <= HTTP_CLIENTS[client]


def found_by_django(source: Source) -> bool:
    return source.name.endswith(("/models/__init__.py", "/admin/__init__.py"))


def test_packages_have_empty_init_modules_but_where_django_looks_for_a_name() -> None:
    filled = [
        source.name
        for source in all_sources()
        if source.name.endswith("/__init__.py") and source.text.strip() and not found_by_django(source)
    ]

    assert filled == []
