"""What goes on the wire, within WhatsApp's limits, and what the person will read of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from uuid import UUID

from messaging.channels.base import Button, FreeContent, Letterhead, Row, Section, TemplateContent
from messaging.channels.whatsapp import limits
from messaging.channels.whatsapp.components import fill_template, shape_of
from messaging.channels.whatsapp.limits import clip
from messaging.contracts import ChoiceSection
from messaging.models import MessageTemplate
from messaging.texts.book import RenderedText
from messaging.texts.fitting import find_actions
from messaging.texts.languages import base_of
from messaging.texts.values import clean, clean_values, shortened

logger = logging.getLogger(__name__)

MAX_HEADER_VALUE = 40  # A header holds 60, with its own words.
MAX_SUBJECT = 120  # More is cut by whoever shows it.
UNTITLED = "–"  # Meta wants a title of every section once there are two.


def payload_of(message_id: UUID, action: str) -> str:
    """What comes back when a button or row is tapped."""
    return f"m:{message_id.hex}:{action}"


def free_content(rendered: RenderedText, *, message_id: UUID, sections: Sequence[ChoiceSection] = ()) -> FreeContent:
    """A text with its buttons, or with a list if there is anything to choose. Too long is clipped, and said in the log."""
    if rendered.list_label and sections:
        return FreeContent(
            body=clip(rendered.body, limits.INTERACTIVE_BODY),
            list_label=clip(rendered.list_label, limits.LIST_LABEL),
            sections=_sections(sections, message_id),
        )
    return FreeContent(
        body=clip(rendered.body, limits.INTERACTIVE_BODY if rendered.buttons else limits.TEXT_BODY),
        buttons=tuple(
            Button(payload=payload_of(message_id, action), label=clip(label, limits.BUTTON_LABEL))
            for action, label in rendered.buttons[: limits.BUTTONS]
        ),
    )


def letter_content(rendered: RenderedText, *, sender_name: str) -> FreeContent:
    """A text as an e-mail. Buttons cannot be tapped there, so they are left out."""
    subject = rendered.subject or rendered.body.strip().partition("\n")[0]
    head = Letterhead(subject=clip(subject, MAX_SUBJECT), sender_name=sender_name, language=rendered.language)
    return FreeContent(body=rendered.body, letterhead=head)


def _sections(sections: Sequence[ChoiceSection], message_id: UUID) -> tuple[Section, ...]:
    """The first ten rows; who offers more pages them."""
    room = limits.ROWS
    kept: list[Section] = []
    for section in sections:
        rows = tuple(
            Row(
                payload=payload_of(message_id, choice.action),
                title=clip(clean(choice.title), limits.ROW_TITLE),
                description=clip(clean(choice.description), limits.ROW_DESCRIPTION),
            )
            for choice in section.choices[:room]
        )
        room -= len(rows)
        if rows:
            kept.append(Section(title=clip(clean(section.title), limits.SECTION_TITLE), rows=rows))
    offered = sum(len(section.choices) for section in sections)
    if offered > limits.ROWS:
        logger.warning("A list was cut to what fits.", extra={"message_id": str(message_id), "rows": offered})
    return tuple(_titled(kept))


def _titled(sections: Sequence[Section]) -> Sequence[Section]:
    if len(sections) < 2:
        return sections
    return [Section(title=section.title or UNTITLED, rows=section.rows) for section in sections]


def template_content(
    template: MessageTemplate, *, declared: Sequence[str], values: Mapping[str, str], message_id: UUID
) -> TemplateContent:
    """An approved template, filled. It must have been found by `TemplateBook.find`, which knows that it fits.

    declared: the text's variables, which a positional template takes in this order.

    Raises:
        MissingVariableError: a variable is not there, or is empty and has no neutral word.
    """
    shape = shape_of(template.components)
    names = shape.body_variables if template.is_named else tuple(declared)
    language = base_of(template.language)
    header = clean_values(values, needed=shape.header_variables, language=language)
    body = shortened(
        clean_values(values, needed=names, language=language),
        limit=limits.TEMPLATE_BODY,
        filled=lambda shorter: fill_template(shape.body, _by_variable(names, shorter, is_named=template.is_named)),
    )
    return TemplateContent(
        name=template.name,
        language=template.language,
        is_named=template.is_named,
        parameters=tuple((name, body[name]) for name in names),
        header_parameters=tuple((name, clip(header[name], MAX_HEADER_VALUE)) for name in shape.header_variables),
        button_payloads={
            index: payload_of(message_id, action) for index, action in (find_actions(template) or {}).items()
        },
    )


def template_text(template: MessageTemplate, content: TemplateContent) -> str:
    """The whole message as the person will read it: header, body, footer."""
    shape = shape_of(template.components)
    values = _by_variable(
        [name for name, _value in content.parameters], dict(content.parameters), is_named=template.is_named
    )
    header = fill_template(shape.header, dict(content.header_parameters))
    return "\n".join(part for part in (header, fill_template(shape.body, values), shape.footer) if part)


def _by_variable(names: Sequence[str], values: Mapping[str, str], *, is_named: bool) -> Mapping[str, str]:
    """A positional template calls them 1, 2, 3."""
    return values if is_named else {str(number): values[name] for number, name in enumerate(names, 1)}


def template_labels(template: MessageTemplate) -> list[str]:
    return [button.label for button in shape_of(template.components).buttons]


def free_labels(content: FreeContent) -> list[str]:
    """The labels under the text: of its buttons, or of each row of its list."""
    if content.sections:
        return [row.title for section in content.sections for row in section.rows]
    return [button.label for button in content.buttons]
