"""The look of the admin: the product's colours in the theme's own slots."""

from __future__ import annotations

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "clinicbot",
    "SITE_HEADER": "clinicbot",
    "SITE_SUBHEADER": "clinicbot.admin_site.name_of_clinic",
    "SITE_URL": "/",
    "ENVIRONMENT": "clinicbot.admin_site.state_of_clinic",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("icon.svg")}],
    "SITE_DROPDOWN": [
        {"icon": "today", "title": _("Today at the clinic"), "link": "/"},
        {"icon": "tune", "title": _("Settings"), "link": reverse_lazy("settings")},
        {"icon": "low_priority", "title": _("Queues"), "link": reverse_lazy("queues")},
        {"icon": "swap_horiz", "title": _("Work at another clinic"), "link": reverse_lazy("choose-clinic")},
    ],
    "STYLES": [
        lambda _request: static("css/admin_layers.css"),
        lambda _request: static("css/tokens.css"),
        lambda _request: static("css/admin.css"),
    ],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "4px",
    "COLORS": {
        "base": {
            "50": "#f4f3ef",
            "100": "#ebe9e3",
            "200": "#dfdcd4",
            "300": "#bbc1da",
            "400": "#9ba2c1",
            "500": "#5c6280",
            "600": "#454c6b",
            "700": "#2c3357",
            "800": "#222947",
            "900": "#181d36",
            "950": "#0f1327",
        },
        "primary": {
            "50": "#f1f5fd",
            "100": "#e5ebfa",
            "200": "#c3d3ff",
            "300": "#b5c5ee",
            "400": "#9db8ff",
            "500": "#5f83e0",
            "600": "#1d47b0",
            "700": "#1a3f9e",
            "800": "#143585",
            "900": "#222f60",
            "950": "#141c3f",
        },
    },
}
