from __future__ import annotations

import pytest

from messaging.texts.rules import faults_of

DECLARED = ("clinic", "patient", "when", "phone")
REQUIRED = ("clinic", "patient", "when")
GOOD = "From {{ clinic }} for {{ patient }}: we expect you on {{ when }}, as we do every year at this time."


def faults(body: str, *, becomes_template: bool = True) -> list[str]:
    return faults_of(body, declared=DECLARED, required=REQUIRED, becomes_template=becomes_template)


def test_good_words_have_no_faults() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("  ", "The text is empty."),
        (f"{GOOD} {{{{ phone|upper }}}} now", "Only names such as {{ patient }} may stand in braces"),
        (f"{GOOD} {{% if x %}} now", "Only names such as {{ patient }} may stand in braces"),
        (f"{GOOD} {{{{ phone now", "Only names such as {{ patient }} may stand in braces"),
        (f"{GOOD} {{{{ surname }}}} now", "This text has no variable {{ surname }}."),
        (GOOD.replace("{{ when }}", "Tuesday"), "The variable {{ when }} is missing."),
        (f"{GOOD} <b>Now</b>", "Tags such as <b> would reach the patient as they stand."),
        (f"{GOOD}\n---\nconfirm: Yes", "A line of three dashes is not part of a text."),
        (f"{GOOD}\n\n\n\nNow", "two empty lines in a row are not allowed"),
        (f"{GOOD}\tNow", "Tabs"),
        (f"{GOOD} {'long ' * 250}", "The text is too long"),
        (f"{{{{ clinic }}}} writes. {GOOD}", "The text may not begin with a variable"),
        (f"{GOOD} Call {{{{ phone }}}}.", "The text may not end with a variable"),
        (f"{GOOD} {{{{ patient }}}}, {{{{ phone }}}} is ours", "Two variables stand side by side"),
        ("From {{ clinic }} for {{ patient }}: on {{ when }} here.", "There are too few words for so many variables"),
    ],
)
def test_each_fault_is_a_sentence(body: str, sentence: str) -> None:
    assert any(sentence in fault for fault in faults(body)), faults(body)


def test_every_fault_is_told_at_once() -> None:
    found = faults("{{ clinic }} {{ surname }} <b>")

    assert len(found) >= 5


def test_an_answer_need_not_be_a_template() -> None:
    assert faults("{{ patient }}, {{ clinic }}: {{ when }}", becomes_template=False) == []


def test_an_emoji_counts_as_two() -> None:
    body = f"{GOOD} {'🦷' * 480}"

    assert any("too long" in fault for fault in faults(body))
