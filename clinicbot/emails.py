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
