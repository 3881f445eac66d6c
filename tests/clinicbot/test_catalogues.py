from __future__ import annotations

import re
from gettext import GNUTranslations
from pathlib import Path

import pytest
import unfold
from django.apps import apps
from django.utils import translation

from clinicbot.catalogues.compiling import compile_catalogues
from clinicbot.catalogues.default_names import list_default_names
from clinicbot.catalogues.theme_texts import FOUND, THEME_TEXTS
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


def translate(project: Path, *, locale: str = "es", **texts: str) -> None:
    entries = "".join(f'\nmsgid "{text}"\nmsgstr "{translation}"\n' for text, translation in texts.items())
    path = catalogue_file(project, locale)
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


def test_djangos_own_words_are_brazilian_in_our_portuguese_and_ours_stand(project: Path) -> None:
    translate(project, locale="pt", Save="Guardar")

    compile_catalogues(project / "locale")

    with catalogue_file(project, "pt").with_suffix(".mo").open("rb") as file:
        words = GNUTranslations(file)
    assert words.gettext("Password") == "Senha"  # In Portugal: Palavra-passe.
    assert words.gettext("Save") == "Guardar"
    assert words.ngettext("%(num)d minute", "%(num)d minutes", 5) == "%(num)d minutos"


def test_names_that_django_makes_of_identifiers_are_texts_too(project: Path) -> None:
    update_catalogue(project, locale="es", more=[("due at", "messaging/models")])

    assert "es: not translated: 'due at'" in list_faults(project, locale="es", more=[("due at", "messaging/models")])


def test_each_name_of_a_column_that_the_admin_shows_is_listed_and_translated() -> None:
    names = dict(list_default_names())

    assert names["due at"] in ("messaging/models", "scheduler/models")
    assert names["webhook probes"] == "messaging/models"
    assert "used at" not in names  # Of a form's token: no page shows it.
    with translation.override("pt"):
        assert str(apps.get_model("messaging", "Attempt")._meta.get_field("channel").verbose_name) == "canal"
        assert str(apps.get_model("messaging", "WebhookProbe")._meta.verbose_name_plural) == "testes de webhook"


def test_what_we_translate_for_the_theme_is_what_the_theme_says() -> None:
    theme = Path(unfold.__file__).parent
    said = "".join(
        bare(path.read_text(encoding="utf-8")) for path in theme.rglob("*") if path.suffix in (".py", ".html")
    )

    missing = [text for text in THEME_TEXTS if bare(text) not in said]

    assert missing == []
    with translation.override("pt"):
        assert FOUND % {"number": 2, "counter": 2, "time": "0,1"} == "2 resultados em 0,1 segundos"


def bare(text: str) -> str:
    """Without blanks and quotes, so that it does not matter how a long text is broken into lines."""
    return re.sub(r"[\s\"'\\\\]", "", text)
