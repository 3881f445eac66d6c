"""Every text to patients, in each language: written as its README says, sayable, and acceptable to Meta as a template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from messaging.channels.whatsapp import limits
from messaging.contracts import list_kinds
from messaging.texts.book import TextBook
from messaging.texts.declared import declared_variables, required_variables
from messaging.texts.definitions import list_template_texts
from messaging.texts.files import FOLDER, LANGUAGES, get_source, list_text_names
from messaging.texts.placeholders import PLACEHOLDER, variables_of
from messaging.texts.rules import faults_of
from messaging.texts.samples import samples_of
from messaging.texts.source import LIST

ROW = re.compile(r"\| ([a-z_]+) \| ([a-z_, ]*) ?\| ([a-z, ]*)\|")
ON_SEVERAL_DAYS = ("visits_booked", "visits_moved", "visits_cancelled_by_clinic")
OF_NO_VISIT = ("visit_answer_waits",)
SEVERAL, ASKS_SEVERAL = "visits_", "visits_reminder_ask"
CONFIRM_ALL = {"en": "Confirm all", "es": "Confirmo todas", "pt": "Confirmo todas"}
LABELS = {
    "en": {"confirm": "Confirm", "change": "Change", "cancel": "Cancel"},
    "es": {"confirm": "Confirmo", "change": "Cambiar", "cancel": "Cancelar"},
    "pt": {"confirm": "Confirmo", "change": "Remarcar", "cancel": "Cancelar"},
}
EVERY_TEXT = [(name, language) for name in list_text_names() for language in LANGUAGES]
EVERY_TEMPLATE = [(name, language) for name in list_template_texts() for language in LANGUAGES]


def words_of(cell: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in cell.split(",") if word.strip())


def table() -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Name, variables and actions, as the README says."""
    for match in ROW.finditer((FOLDER / "README.md").read_text(encoding="utf-8")):
        if match[1] != "text":  # The heading.
            yield match[1], words_of(match[2]), words_of(match[3])


def test_the_readme_names_every_text_and_no_other() -> None:
    named = [name for name, _variables, _actions in table()]

    assert sorted(named) == list(list_text_names())


def test_message_kinds_declare_what_the_readme_says() -> None:
    declared = {name: variables for kind in list_kinds() for name, variables in kind.texts.items()}

    promised = {name: variables for name, variables, _actions in table()}
    assert declared == {name: promised.get(name) for name in declared}
    assert set(promised) - set(declared) == set()


def test_every_text_is_there_in_every_language() -> None:
    files = {str(path.relative_to(FOLDER)) for path in Path(FOLDER).glob("*/*")}

    assert files == {f"{name}/{language}.txt" for name, language in EVERY_TEXT}


@pytest.mark.parametrize(("name", "language"), EVERY_TEXT)
def test_a_text_says_all_it_must_and_nothing_it_cannot(name: str, language: str) -> None:
    source = get_source(name, language)

    faults = faults_of(
        source.body,
        declared=declared_variables(name),
        required=required_variables(name),
        becomes_template=name in list_template_texts(),
    )

    assert faults == []


@pytest.mark.parametrize(("name", "variables", "actions"), list(table()))
def test_a_text_has_the_variables_and_actions_of_the_readme(
    name: str, variables: tuple[str, ...], actions: tuple[str, ...]
) -> None:
    for language in LANGUAGES:
        source = get_source(name, language)
        assert set(variables_of(source.body)) == set(variables), language
        assert ((LIST,) if source.list_label else source.actions) == actions, language


@pytest.mark.parametrize(("name", "language"), EVERY_TEXT)
def test_labels_fit_a_button_and_are_those_agreed_on(name: str, language: str) -> None:
    source = get_source(name, language)

    for action, label in source.buttons:
        assert label == (
            CONFIRM_ALL[language] if (name, action) == (ASKS_SEVERAL, "confirm") else LABELS[language][action]
        )
        assert limits.length(label) <= limits.BUTTON_LABEL
    assert limits.length(source.list_label) <= limits.LIST_LABEL


@pytest.mark.parametrize(("name", "language"), EVERY_TEXT)
def test_a_text_renders_with_nothing_left_open(name: str, language: str) -> None:
    rendered = TextBook({}).render(1, name, language, samples_of(language))

    assert "{" not in rendered.body
    assert limits.length(rendered.body) <= limits.INTERACTIVE_BODY
    assert "!" not in rendered.body


@pytest.mark.parametrize(("name", "language"), EVERY_TEXT)
def test_sentences_are_short(name: str, language: str) -> None:
    body = TextBook({}).render(1, name, language, samples_of(language)).body

    longest = max(len(sentence.split()) for sentence in re.split(r"[.?:;]\s", body))
    assert longest <= 22  # Fifteen words, and what fills the variables.


@pytest.mark.parametrize(("name", "language"), EVERY_TEMPLATE)
def test_who_for_whom_when_and_where_come_first_and_in_this_order(name: str, language: str) -> None:
    used = [variable for variable in variables_of(get_source(name, language).body) if variable != "old_when"]

    if name in OF_NO_VISIT:
        assert used == ["clinic", "patient", "phone"]
        return
    if name == "visits_changed_by_clinic":  # Of several days: each visit says its own, and where it was.
        assert used[:3] == ["clinic", "visits", "phone"]
        return
    if name in ON_SEVERAL_DAYS:
        who = ["clinic", "patient", "count", "dates"]
    else:
        who = ["clinic", "day", "visits"] if name.startswith(SEVERAL) else ["clinic", "patient", "when"]
    assert used[: len(who)] == who
    assert used[len(who)] == ("phone" if "_cancelled_" in name else "where")


@pytest.mark.parametrize(("name", "language"), EVERY_TEMPLATE)
def test_a_template_has_words_to_spare(name: str, language: str) -> None:
    body = get_source(name, language).body

    words = re.findall(r"\w+", PLACEHOLDER.sub(" ", body))
    assert len(words) >= 3 * len(variables_of(body)) + 1


@pytest.mark.parametrize("name", ["visit_booked", "visit_booked_ask", "visit_reminder_ask", "visit_reminder"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_hour_shows_before_the_text_is_opened(name: str, language: str) -> None:
    samples = samples_of(language)

    body = TextBook({}).render(1, name, language, samples).body

    assert body.index(samples["when"]) + len(samples["when"]) <= 80


@pytest.mark.parametrize(("name", "language"), EVERY_TEXT)
def test_a_patient_without_a_name_is_spoken_to_all_the_same(name: str, language: str) -> None:
    nothing = {**samples_of(language), "patient": "", "clinic": " ", "where": "", "practitioner": "", "phone": "\t"}

    body = TextBook({}).render(1, name, language, nothing).body

    assert "  " not in body
    assert " ," not in body
    assert " ." not in body


def test_one_question_at_most_asks_the_patient() -> None:
    for name, language in EVERY_TEXT:
        assert get_source(name, language).body.count("?") <= 1, (name, language)
