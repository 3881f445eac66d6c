"""Phone numbers: from what was typed to E.164, and the ways in which others spell the same number.

Meta's ids differ from E.164 in Mexico (a 1 after 52), Argentina (a 9 after 54) and Brazil (the mobile 9 left out); see
https://developers.facebook.com/docs/whatsapp/cloud-api/reference/phone-numbers. Such spellings are matched, never computed to
be sent to.
"""

from __future__ import annotations

import re

import phonenumbers
from django.utils.translation import gettext as _
from phonenumbers import NumberParseException, PhoneNumberFormat, PhoneNumberType, ValidationResult

from messaging.errors import MalformedPhoneError

# Where a country's parts have numbering plans of their own, and people there leave the country code out all the same.
ALSO_TRIED = {"FR": ("RE", "GP", "MQ", "GF", "YT", "PM")}

_MEXICO_OLD_MOBILE = re.compile(r"\+521(\d{10})")
_MEXICO_OLD_PREFIX = re.compile(r"04[45](\d{10})")
# The library reads 612FLOWER as its keys, and drops an extension: both would reach somebody else.
_LETTERS_AMONG_DIGITS = re.compile(r"\d.*[^\W\d_]")
_SPELLINGS = (
    (re.compile(r"\+521?(\d{10})"), ("+52{0}", "+521{0}")),
    (re.compile(r"\+549?(\d{10})"), ("+54{0}", "+549{0}")),
    # Only mobiles, which begin with 6 to 9: a landline has no ninth digit.
    (re.compile(r"\+55(\d\d)9?([6-9]\d{7})"), ("+55{0}{1}", "+55{0}9{1}")),
)


def to_e164(typed: str, *, country: str) -> str:
    """The number as +E.164. `country` (two letters) reads it when its country code was left out.

    Raises:
        MalformedPhoneError: with a sentence for whoever typed it.
    """
    wanted = _without_old_prefixes(typed.strip(), country=country)
    if _LETTERS_AMONG_DIGITS.search(wanted):
        raise MalformedPhoneError(_("That is not a phone number: use digits, and + before a country code."))
    failure = _("Enter a phone number.")
    for region in (country or None, *ALSO_TRIED.get(country, ())):
        try:
            number = phonenumbers.parse(wanted, region)
        except NumberParseException as error:
            failure = _sentence_of(error, typed=wanted)
            continue
        if phonenumbers.is_valid_number(number):
            return phonenumbers.format_number(number, PhoneNumberFormat.E164)
        failure = _why_invalid(number)
    raise MalformedPhoneError(failure)


def spellings(e164: str) -> frozenset[str]:
    """The number itself and every other way in which a provider may spell it."""
    for pattern, shapes in _SPELLINGS:
        if match := pattern.fullmatch(e164):
            return frozenset({e164, *(shape.format(*match.groups()) for shape in shapes)})
    return frozenset({e164})


def is_landline(e164: str) -> bool:
    """Whether its country gives such numbers to landlines only. Where both look alike, it may be a mobile."""
    try:
        number = phonenumbers.parse(e164, None)
    except NumberParseException:
        return False
    return phonenumbers.number_type(number) == PhoneNumberType.FIXED_LINE


def from_whatsapp_id(whatsapp_id: str) -> str:
    """Meta's digits as an address to write to, or "" when they are no phone number."""
    if not re.fullmatch(r"[0-9]{6,15}", whatsapp_id):
        return ""
    address = f"+{whatsapp_id}"
    if old := _MEXICO_OLD_MOBILE.fullmatch(address):
        return f"+52{old[1]}"  # The 1 was abolished in 2019; E.164 knows the number without it.
    return address


def to_display(e164: str) -> str:
    """As people write it to each other across borders. An e-mail address stays as it is."""
    if "@" in e164:
        return e164
    try:
        number = phonenumbers.parse(e164, None)
    except NumberParseException:
        return e164
    return phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL)


def _without_old_prefixes(typed: str, *, country: str) -> str:
    """Mexico's mobiles were dialled +52 1, 044 or 045 until 2019, and address books still say so."""
    digits = re.sub(r"[^\d+]", "", typed)
    if old := _MEXICO_OLD_MOBILE.fullmatch(digits):
        return f"+52{old[1]}"
    if country == "MX" and (old := _MEXICO_OLD_PREFIX.fullmatch(digits)):
        return f"+52{old[1]}"
    return typed


def _sentence_of(error: NumberParseException, *, typed: str) -> str:
    if not typed:
        return _("Enter a phone number.")
    if error.error_type == NumberParseException.INVALID_COUNTRY_CODE:
        return _("Start the number with + and its country code: we do not know which country it belongs to.")
    if error.error_type == NumberParseException.TOO_LONG:
        return _("That phone number has too many digits.")
    if error.error_type in (NumberParseException.TOO_SHORT_NSN, NumberParseException.TOO_SHORT_AFTER_IDD):
        return _("That phone number has too few digits.")
    return _("That is not a phone number: use digits, and + before a country code.")


def _why_invalid(number: phonenumbers.PhoneNumber) -> str:
    match phonenumbers.is_possible_number_with_reason(number):
        case ValidationResult.TOO_SHORT | ValidationResult.IS_POSSIBLE_LOCAL_ONLY:
            return _("That phone number has too few digits.")
        case ValidationResult.TOO_LONG:
            return _("That phone number has too many digits.")
        case _:
            return _("No such phone number exists in that country: check the digits and the area code.")
