"""Short ways to a model's admin pages."""

from __future__ import annotations

from django.db.models import Model
from django.test import Client
from django.urls import reverse


def list_of(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")


def add_to(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_add")


def page_of(row: Model, view: str = "change") -> str:
    return reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_{view}", args=[row.pk])


def text_of(client: Client, url: str, **query: str) -> str:
    response = client.get(url, query)
    assert response.status_code == 200, response.headers
    return response.content.decode()


def found(client: Client, model: type[Model], **query: str) -> list[object]:
    """Numbers of the rows on the list."""
    response = client.get(list_of(model), query)
    return [row.pk for row in response.context["cl"].result_list]
