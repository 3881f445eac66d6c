"""E-mail addresses: from what was typed to the one spelling under which we know it."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext as _

from clinicbot.errors import MalformedEmailError

MAX_LENGTH, MAX_LOCAL = 254, 64
_is_address = EmailValidator(allowlist=[])


def to_email(typed: str) -> str:
    """In lower case: no server that people use tells `Ana@` from `ana@`.

    Raises:
        MalformedEmailError: with a sentence for whoever typed it.
    """
    spelt, _at, _domain = typed.strip().rpartition("@")
    if not spelt.isascii():  # Before lower case, which makes a Latin k of a Kelvin sign.
        raise MalformedEmailError(_("Before the @ an e-mail address has plain letters only, such as a to z."))
    address = typed.strip().lower()
    local, _at, domain = address.rpartition("@")
    try:
        _is_address(address)
        domain.encode("idna")
    except (ValidationError, UnicodeError):
        raise MalformedEmailError(_("That is not an e-mail address.")) from None
    if len(address) > MAX_LENGTH or len(local) > MAX_LOCAL:
        raise MalformedEmailError(_("That e-mail address is too long."))
    return address


def one_spelling(typed: str) -> str:
    """What two addresses have in common if, and only if, a mail server takes them for one: the domain is spelt in ASCII.

    Raises:
        MalformedEmailError: as above.
    """
    local, _at, domain = to_email(typed).rpartition("@")
    return f"{local}@{domain.encode('idna').decode('ascii').lower()}"


def is_same_address(one: str, other: str) -> bool:
    """Stricter than the database, for which ı and ſ are an i and an s. What is no address is like none."""
    try:
        return one_spelling(one) == one_spelling(other)
    except MalformedEmailError:
        return False
