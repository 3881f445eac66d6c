"""The way to the settings, on every page of the admin."""

from __future__ import annotations

from django import template

from clinicbot.admin_pages import Section, list_sections

register = template.Library()


@register.simple_tag(takes_context=True)
def settings_sections(context: template.Context) -> list[Section]:
    """What the member may open, at the clinic where they work."""
    request = context.get("request")
    return list_sections(request) if request is not None else []
