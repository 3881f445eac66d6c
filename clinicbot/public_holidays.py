"""Public holidays by country and region, as the `holidays` library knows them. The only place that asks it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from importlib.metadata import version

import holidays

EDITION = version("holidays")


def list_regions(country: str) -> list[tuple[str, str]]:
    """Codes and names of the regions with holidays of their own; none for a country that is not known."""
    if country not in holidays.list_supported_countries():
        return []
    calendar = getattr(holidays, country)
    names = calendar.get_subdivision_aliases()
    regions = [(code, next(iter(names.get(code, ())), code)) for code in calendar.subdivisions]
    return sorted(regions, key=lambda region: region[1])


def public_holidays(country: str, *, region: str, language: str, years: Iterable[int]) -> dict[date, str]:
    """Day by day with its name, in that language where the library has it. None for a country that is not known."""
    countries = holidays.list_supported_countries()
    if country not in countries:
        return {}
    spoken = getattr(holidays, country).supported_languages
    return dict(
        holidays.country_holidays(
            country,
            subdiv=region if region in countries[country] else None,
            years=list(years),
            language=next((one for one in spoken if one.split("_")[0] == language), None),
        )
    )
