"""Which variables a text may use: what its message kind declares."""

from __future__ import annotations

from messaging.contracts import list_kinds
from messaging.errors import UnknownTextError

# A clinic's own words may do without these; the rest says who, for whom, when and where.
OPTIONAL = frozenset({"practitioner", "phone"})
# An invitation is nothing without its link; of a visit all the rest is said as well.
OPTIONAL_OF_VISITS = OPTIONAL | {"link", "old_where"}


def declared_variables(text_name: str) -> tuple[str, ...]:
    """In the order in which a positional template takes them.

    Raises:
        UnknownTextError: no message kind declares the text.
    """
    for kind in list_kinds():
        if text_name in kind.texts:
            return kind.texts[text_name]
    raise UnknownTextError(f"No message kind declares the text {text_name}.")


def required_variables(text_name: str) -> tuple[str, ...]:
    optional = OPTIONAL_OF_VISITS if text_name.startswith("visit") else OPTIONAL
    return tuple(name for name in declared_variables(text_name) if name not in optional)
