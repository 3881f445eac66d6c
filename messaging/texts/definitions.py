"""What our texts look like as WhatsApp templates."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.texts.files import LANGUAGES, get_source, list_text_names
from messaging.texts.languages import TEMPLATE_CODES
from messaging.texts.placeholders import as_template_body, variables_of
from messaging.texts.samples import samples_of

PREFIXES = ("visit_", "visits_")
# Meta's longest for a utility template. What reaches a phone later than this may no longer be true.
TTL_SECONDS = 43_200


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateDefinition:
    """`examples` are (variable, value), in the order of the body; `language` as Meta spells it."""

    name: str
    language: str
    body: str
    examples: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    ttl_seconds: int = TTL_SECONDS


def list_template_texts() -> tuple[str, ...]:
    """Texts that must also be said outside the window; answers always come inside it."""
    return tuple(name for name in list_text_names() if name.startswith(PREFIXES))


def definition_of(text_name: str, language: str, *, body: str = "") -> TemplateDefinition:
    """`body`: the clinic's own words instead of ours.

    Raises:
        UnknownTextError: no such text, or not in that language.
    """
    source = get_source(text_name, language)
    said = body or source.body
    samples = samples_of(language)
    return TemplateDefinition(
        name=text_name,
        language=TEMPLATE_CODES[language],
        body=as_template_body(said),
        examples=tuple((name, samples[name]) for name in variables_of(said)),
        labels=tuple(label for _action, label in source.buttons),
    )


def wanted_templates() -> list[tuple[str, str]]:
    """Each (text, our language) that an account should have."""
    return [(name, language) for name in list_template_texts() for language in LANGUAGES]
