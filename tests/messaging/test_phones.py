from __future__ import annotations

import pytest

from messaging.errors import MalformedPhoneError
from messaging.phones import from_whatsapp_id, spellings, to_display, to_e164


@pytest.mark.parametrize(
    ("country", "typed", "address"),
    [
        ("ES", "600 11 12 22", "+34600111222"),
        ("ES", "+34 600-111-222", "+34600111222"),
        ("ES", "0034600111222", "+34600111222"),
        ("CO", "3001234567", "+573001234567"),
        ("MX", "55 1234 5678", "+525512345678"),
        ("MX", "+52 1 55 1234 5678", "+525512345678"),
        ("MX", "044 55 1234 5678", "+525512345678"),
        ("ES", "+5215512345678", "+525512345678"),
        ("AR", "11 15 2345 6789", "+5491123456789"),
        ("AR", "11 2345-6789", "+541123456789"),
        ("BR", "(31) 98765-4321", "+5531987654321"),
        ("BR", "(11) 3333-4444", "+551133334444"),
        ("FR", "0692 12 34 56", "+262692123456"),
        ("", "+34600111222", "+34600111222"),
    ],
)
def test_a_number_is_read_as_people_of_the_country_write_it(country: str, typed: str, address: str) -> None:
    assert to_e164(typed, country=country) == address


@pytest.mark.parametrize(
    ("country", "typed", "says"),
    [
        ("ES", "", "Enter a phone number"),
        ("ES", "mamá", "not a phone number"),
        ("ES", "60011", "too few digits"),
        ("ES", "+34 600 111 222 333 444 555 666", "too many digits"),
        ("ES", "100000000", "No such phone number"),
        ("BR", "(11) 8765-4321", "No such phone number"),
        ("", "3001234567", "country code"),
        ("ES", "600111222; DROP TABLE", "phone number"),
        ("ES", "612FLOWER", "use digits"),
        ("ES", "600111222 ext. 5", "use digits"),
    ],
)
def test_a_malformed_number_is_refused_with_a_sentence(country: str, typed: str, says: str) -> None:
    with pytest.raises(MalformedPhoneError, match=says):
        to_e164(typed, country=country)


@pytest.mark.parametrize(
    ("whatsapp_id", "address"),
    [
        ("5215512345678", "+525512345678"),
        ("525512345678", "+525512345678"),
        ("5491123456789", "+541123456789"),
        ("541123456789", "+5491123456789"),
        ("553187654321", "+5531987654321"),
        ("5531987654321", "+553187654321"),
        ("34600111222", "+34600111222"),
    ],
)
def test_a_provider_s_spelling_and_ours_are_the_same_number(whatsapp_id: str, address: str) -> None:
    assert address in spellings(f"+{whatsapp_id}")


@pytest.mark.parametrize("landline", ["+551133334444", "+553125554444"])
def test_a_landline_of_brazil_has_no_ninth_digit(landline: str) -> None:
    assert spellings(landline) == {landline}


def test_a_number_is_never_written_to_with_a_digit_that_nobody_said() -> None:
    assert from_whatsapp_id("553187654321") == "+553187654321"
    assert from_whatsapp_id("5215512345678") == "+525512345678"
    assert from_whatsapp_id("CO.1349") == ""


def test_staff_read_a_number_as_people_write_it() -> None:
    assert to_display("+34600111222") == "+34 600 11 12 22"
    assert to_display("") == ""
