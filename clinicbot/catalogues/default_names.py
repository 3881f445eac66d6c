"""Names of models and fields that nobody has written out: Django makes them of identifiers, and does not translate them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Field, Model
from django.utils.text import camel_case_to_spaces
from django.utils.translation import gettext_lazy

from clinicbot.settings.environment import PROJECT


def translate_default_names() -> None:
    """From here on they are texts like all others. Migrations do not see it: they record what is written out, nothing else."""
    for model in _our_models():
        if not _is_named(model):
            one, many = _names_of(model)
            model._meta.verbose_name, model._meta.verbose_name_plural = gettext_lazy(one), gettext_lazy(many)
        for field in _unnamed_fields(model):
            name = _name_of_field(field)
            field.verbose_name = gettext_lazy(name)


def list_default_names() -> Iterator[tuple[str, str]]:
    """Each that the admin shows, with where it comes from."""
    for model in _our_models():
        if not _is_shown(model):
            continue
        where = f"{model._meta.app_label}/models"
        if not _is_named(model):
            yield from ((name, where) for name in _names_of(model))
        yield from ((_name_of_field(field), where) for field in _unnamed_fields(model))


def _our_models() -> Iterator[type[Model]]:
    for config in apps.get_app_configs():
        if Path(config.path).parent == PROJECT:
            yield from config.get_models()


def _is_named(model: type[Model]) -> bool:
    return "verbose_name" in model._meta.original_attrs


def _names_of(model: type[Model]) -> tuple[str, str]:
    name = camel_case_to_spaces(model.__name__)
    return name, f"{name}s"


def _unnamed_fields(model: type[Model]) -> Iterator[Field[Any, Any]]:
    return (field for field in model._meta.fields if "verbose_name" not in field.deconstruct()[3])


def _name_of_field(field: Field[Any, Any]) -> str:
    return field.name.replace("_", " ")


def _is_shown(model: type[Model]) -> bool:
    """On a page of its own, or among the rows of another's."""
    site = admin.site
    pages = [site.get_model_admin(one) for one in apps.get_models() if site.is_registered(one)]
    return any(model in (page.model, *(inline.model for inline in page.inlines)) for page in pages)
