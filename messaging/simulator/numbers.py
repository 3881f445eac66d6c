"""Telephone numbers as the network spells them."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import phonenumbers
from phonenumbers import timezone

DECORATION = re.compile(r"[\s\-().]")
SPANISH = frozenset(
    ("AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "ES", "GQ", "GT", "HN", "MX", "NI", "PA", "PE", "PR", "PY", "SV", "UY", "VE")
)  # fmt: skip
USUAL_ZONES = {
    "AR": "America/Argentina/Buenos_Aires",
    "CL": "America/Santiago",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "GB": "Europe/London",
    "MX": "America/Mexico_City",
    "PT": "Europe/Lisbon",
}
FIRST_BRAZILIAN_AREA_WITHOUT_THE_NINE = 31


def country_code_of(digits: str) -> str:
    """The calling code of a number with one, such as "57"."""
    try:
        return str(phonenumbers.parse(f"+{digits}").country_code)
    except phonenumbers.NumberParseException:
        return digits[:2]


def region_of(digits: str) -> str:
    """The ISO country that starts a business-scoped user id, such as "CO"."""
    try:
        number = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return "ZZ"
    region = phonenumbers.region_code_for_number(number)
    return region or phonenumbers.region_code_for_country_code(number.country_code or 0)


def digits_of(typed: str, *, business_digits: str) -> str | None:
    """What the network reads in a `to`, or None.

    Without "+", ten digits or fewer are taken for a number of the business's own country: that may be a stranger's.
    """
    bare = DECORATION.sub("", typed)
    if not re.fullmatch(r"\+?\d{5,15}", bare):
        return None
    if bare.startswith("+"):
        return bare[1:]
    return bare if len(bare) > 10 else country_code_of(business_digits) + bare


def wa_id_of(digits: str) -> str:
    """The id the network gives a number: Mexico and Argentina gain a digit, much of Brazil loses one."""
    if len(digits) == 12 and digits.startswith("52"):
        return f"521{digits[2:]}"
    if len(digits) == 12 and digits.startswith("54"):
        return f"549{digits[2:]}"
    is_brazilian_mobile = len(digits) == 13 and digits.startswith("55") and digits[4] == "9"
    if is_brazilian_mobile and int(digits[2:4]) >= FIRST_BRAZILIAN_AREA_WITHOUT_THE_NINE:
        return digits[:4] + digits[5:]
    return digits


def language_of(region: str) -> str:
    """Of the three the phones speak."""
    if region in SPANISH:
        return "es"
    return "pt" if region in ("BR", "PT", "AO", "MZ") else "en"


def zone_of(digits: str) -> str:
    """A likely IANA zone of a number."""
    usual = USUAL_ZONES.get(region_of(digits))
    if usual:
        return usual
    try:
        zones = timezone.time_zones_for_number(phonenumbers.parse(f"+{digits}"))
    except phonenumbers.NumberParseException:
        zones = ()
    return next((zone for zone in zones if zone_exists(zone)), "UTC")


def zone_exists(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return not name
    return True


def masked(address: str) -> str:
    """The last four characters: all that a log may show of a number or a user id."""
    return f"*** {address[-4:]}"
