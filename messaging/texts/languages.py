"""Our three languages, and how WhatsApp spells them."""

from __future__ import annotations

from collections.abc import Iterable

# What we create templates in. `pt` is written as Brazil does.
TEMPLATE_CODES = {"en": "en", "es": "es", "pt": "pt_BR"}


def normalised(code: str) -> str:
    """`pt-br` and `PT_BR` are both `pt_BR`: some webhooks print the one, some the other."""
    language, _separator, region = code.replace("-", "_").partition("_")
    return f"{language.lower()}_{region.upper()}" if region else language.lower()


def base_of(code: str) -> str:
    """`es` of `es_MX`."""
    return normalised(code).partition("_")[0]


def by_preference(codes: Iterable[str], *, language: str) -> list[str]:
    """Those of one language: the code we create, then the plain one, then regions in alphabetical order.

    Meta itself never falls back from `es_MX` to `es`, so the choice is ours.
    """
    preferred = (TEMPLATE_CODES.get(language, language), language)
    ours = [code for code in codes if base_of(code) == language]
    return sorted(ours, key=lambda code: (preferred.index(code) if code in preferred else len(preferred), code))
