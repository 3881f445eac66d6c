"""One text as it is written: what is said, above it an e-mail's subject, below the line its buttons or what opens its list."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from messaging.errors import MalformedTextError
from messaging.texts.placeholders import check_placeholders

LINE = "---"
LIST = "list"
SUBJECT = "subject: "
MAX_BUTTONS = 3
LABEL = re.compile(r"([a-z][a-z0-9_]*): (\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSource:
    """A text before it is filled. `buttons` are (action, label); `subject` is for e-mail, where "" takes the first line."""

    body: str
    subject: str = ""
    buttons: tuple[tuple[str, str], ...] = ()
    list_label: str = ""

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(action for action, _label in self.buttons)


def parse_source(source: str) -> TextSource:
    """Read the format of templates/messages/README.md, strictly.

    Raises:
        MalformedTextError: says in which line and what is wrong.
    """
    lines = source.rstrip("\n").split("\n")
    if lines[0].startswith(SUBJECT):
        return replace(parse_source("\n".join(lines[1:])), subject=_subject(lines[0]))
    at = lines.index(LINE) if LINE in lines else len(lines)
    body = "\n".join(lines[:at]).strip()
    if not body:
        raise MalformedTextError("The text says nothing.")
    check_placeholders(body)
    labels = [_label(line, number) for number, line in enumerate(lines[at + 1 :], at + 2)]
    if at < len(lines) and not labels:
        raise MalformedTextError("Below the line there is neither a button nor a list.")
    return _with_labels(body, labels)


def _subject(line: str) -> str:
    subject = line.removeprefix(SUBJECT).strip()
    if not subject:
        raise MalformedTextError("The subject says nothing.")
    check_placeholders(subject)
    return subject


def _label(line: str, number: int) -> tuple[str, str]:
    match = LABEL.fullmatch(line)
    if match is None or line != line.rstrip():
        raise MalformedTextError(f"Line {number} is not 'action: Label'.")
    return match.group(1), match.group(2)


def _with_labels(body: str, labels: list[tuple[str, str]]) -> TextSource:
    names = [name for name, _label in labels]
    if len(set(names)) < len(names):
        raise MalformedTextError("The same action stands there twice.")
    if LIST in names and len(names) > 1:
        raise MalformedTextError("A text has buttons or a list, not both.")
    if len(names) > MAX_BUTTONS:
        raise MalformedTextError(f"A text has at most {MAX_BUTTONS} buttons.")
    if LIST in names:
        return TextSource(body=body, list_label=labels[0][1])
    return TextSource(body=body, buttons=tuple(labels))
