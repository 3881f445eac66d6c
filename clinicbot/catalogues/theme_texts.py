"""What the admin's theme says in English, for it brings neither Spanish nor Portuguese. Django looks it up in our catalogues.

Only what our pages can show: the theme's extras that are not installed are left out.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

THEME_TEXTS = (
    _("Add row"),
    _("After you've created a user, you’ll be able to edit more user options."),
    _("All applications"),
    _("Apply Filters"),
    _("Cancel"),
    _("Choose file to upload"),
    _("Click to cancel"),
    _("Click to download"),
    _("Dark"),
    _("Date"),
    _("Date from"),
    _("Date to"),
    _("Expand row"),
    _("False"),
    _("Filters"),
    _("From"),
    _("General"),
    _("Go back"),
    _("Image preview"),
    _("Light"),
    _("Loading more results..."),
    _("More actions"),
    _("Next"),
    _("No data"),
    _("No recent searches"),
    _("No results found"),
    _("No results matching your query"),
    _("Previous"),
    _(
        "Raw passwords are not stored, so there is no way to see this user’s password, but you can change the password "
        'using <a href="{}" class="text-primary-600 dark:text-primary-500">this form</a>.'
    ),
    _("Recent searches"),
    _("Record picture"),
    _("Reset filters"),
    _("Return to site"),
    _("Run"),
    _("Search apps and models..."),
    _("Select action"),
    _("Select action to run"),
    _("Select all rows"),
    _("Select record"),
    _("Select value"),
    _("System"),
    _("This item will be deleted."),
    _("This page yielded into no results. Create a new item or reset your filters."),
    _("To"),
    _("Toggle password visibility"),
    _("True"),
    _("Type to search"),
    _("Value"),
)
FOUND = ngettext_lazy(
    "\n                Found %(counter)s result in %(time)s seconds\n            ",
    "\n                Found %(counter)s results in %(time)s seconds\n            ",
    "number",
)
"""The blanks are the theme's own: it does not trim them."""
