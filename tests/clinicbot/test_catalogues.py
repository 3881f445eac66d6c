from __future__ import annotations

from gettext import GNUTranslations
from pathlib import Path

import pytest

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.catalogues.upkeep import catalogue_file, list_faults, update_catalogue

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One text in code, one with a plural, and two on a page."""
    house = tmp_path / "appointments"
    house.mkdir()
    (house / "views.py").write_text(
        'from django.utils.translation import gettext as _, ngettext\n_("Booked")\nngettext("%(n)d visit", "%(n)d visits", 2)\n',
        encoding="utf-8",
    )
    pages = tmp_path / "templates"
    pages.mkdir()
    (pages / "today.html").write_text(
        '{% load i18n %}\n  <p>{% translate "Today" %}</p>\n'
        "    {% blocktranslate trimmed %}\n  Hello\n  {{ name }}\n {% endblocktranslate %}\n",
        encoding="utf-8",
    )
    return tmp_path


def translate(project: Path, **texts: str) -> None:
    entries = "".join(f'\nmsgid "{text}"\nmsgstr "{translation}"\n' for text, translation in texts.items())
    path = catalogue_file(project, "es")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + entries, encoding="utf-8")


def test_an_update_collects_the_texts_of_code_and_pages(project: Path) -> None:
    missing = update_catalogue(project, locale="es")

    text = catalogue_file(project, "es").read_text(encoding="utf-8")
    assert missing == 4
    assert 'msgid "Booked"' in text
    assert 'msgid_plural "%(n)d visits"' in text
    assert 'msgid "Today"' in text
    assert 'msgid "Hello %(name)s"' in text


def test_an_update_keeps_translations_and_drops_what_is_gone(project: Path) -> None:
    translate(project, Booked="Citado", Gone="Ido")

    update_catalogue(project, locale="es")

    text = catalogue_file(project, "es").read_text(encoding="utf-8")
    assert 'msgstr "Citado"' in text
    assert "Gone" not in text


def test_a_missing_translation_and_a_changed_placeholder_are_named(project: Path) -> None:
    update_catalogue(project, locale="es")
    path = catalogue_file(project, "es")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('"Hello %(name)s"\nmsgstr ""', '"Hello %(name)s"\nmsgstr "Hola %(nombre)s"'), encoding="utf-8"
    )

    faults = list_faults(project, locale="es")

    assert "es: not translated: 'Today'" in faults
    assert any("Hello %(name)s" in fault and "not translated" not in fault for fault in faults)


def test_a_catalogue_is_compiled_once_and_again_when_it_changes(project: Path) -> None:
    translate(project, Booked="Citado")

    first, second = compile_catalogues(project / "locale"), compile_catalogues(project / "locale")

    with catalogue_file(project, "es").with_suffix(".mo").open("rb") as file:
        assert GNUTranslations(file).gettext("Booked") == "Citado"
    assert (first, second) == (1, 0)
