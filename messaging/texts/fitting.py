"""Does an approved template fit our text: its variables, and which of its buttons means what?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from messaging.channels.whatsapp.components import TemplateButton, TemplateShape, shape_of
from messaging.errors import UnknownTextError
from messaging.models import MessageTemplate
from messaging.texts.declared import declared_variables
from messaging.texts.files import find_source, list_text_names
from messaging.texts.languages import base_of


def fits(template: MessageTemplate) -> bool:
    """Whether it can be filled and its answers understood. A stale or foreign template is caught here, not by Meta."""
    shape = shape_of(template.components)
    try:
        declared = declared_variables(template.name)
    except UnknownTextError:
        return False
    return (
        shape.body != ""
        and _header_fits(shape, declared, is_named=template.is_named)
        and _variables_fit(shape.body_variables, declared, is_named=template.is_named)
        and not any(button.needs_suffix for button in shape.buttons)
        and find_actions(template) is not None
    )


def find_actions(template: MessageTemplate) -> Mapping[int, str] | None:
    """The action of each quick reply by its index, or None when that is not certain.

    Told by the label, never by position alone: a template whose buttons stand in another order must not cancel who confirms.
    One button may have a label of its own, if all the others are told and one action is left.
    """
    language = base_of(template.language)
    source = find_source(template.name, language)
    replies = shape_of(template.components).quick_replies
    if source is None or len(replies) != len(source.buttons):
        return None
    action_of = {_folded(label): action for action, label in source.buttons}
    actions = {reply.index: action_of[_folded(reply.label)] for reply in replies if _folded(reply.label) in action_of}
    if len(set(actions.values())) < len(actions):
        return None
    return _with_the_last(actions, replies, source.actions, language)


def _with_the_last(
    actions: Mapping[int, str], replies: Sequence[TemplateButton], wanted: Sequence[str], language: str
) -> Mapping[int, str] | None:
    untold = [reply for reply in replies if reply.index not in actions]
    left = [action for action in wanted if action not in actions.values()]
    if not untold:
        return actions
    if len(untold) > 1 or len(replies) == 1 or _folded(untold[0].label) in _known_labels(language):
        return None
    return {**actions, untold[0].index: left[0]}


def _header_fits(shape: TemplateShape, declared: Sequence[str], *, is_named: bool) -> bool:
    if shape.header_format not in ("", "TEXT"):
        return False
    return not shape.header_variables or (is_named and set(shape.header_variables) <= set(declared))


def _variables_fit(variables: Sequence[str], declared: Sequence[str], *, is_named: bool) -> bool:
    if is_named:
        return set(variables) <= set(declared)
    return _are_numbered(variables) and len(variables) == len(declared)


def _are_numbered(variables: Sequence[str]) -> bool:
    return set(variables) == {str(number) for number in range(1, len(variables) + 1)}


def _known_labels(language: str) -> frozenset[str]:
    """Labels that mean an action in some text, so that none is taken for another."""
    labels: set[str] = set()
    for name in list_text_names():
        source = find_source(name, language)
        labels.update(_folded(label) for _action, label in (source.buttons if source else ()))
    return frozenset(labels)


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()
