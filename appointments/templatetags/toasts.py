"""What a toast needs of its message, and of the page it stands on."""

from __future__ import annotations

from django import template
from django.contrib.messages.storage.base import Message

from appointments.views.going_back import Home, home_of
from appointments.views.toasts import WayBack, way_back_of

register = template.Library()


@register.simple_tag
def way_back(message: Message) -> WayBack | None:
    return way_back_of(message)


@register.simple_tag(takes_context=True)
def here(context: template.Context) -> str:
    """The address in the bar, also for a piece of a page."""
    request = context["request"]
    return str(request.htmx.current_url_abs_path or request.get_full_path())


@register.simple_tag(takes_context=True)
def home(context: template.Context) -> Home | None:
    """Where a page for one act was opened from, when that was not the visit."""
    return home_of(context["request"])
