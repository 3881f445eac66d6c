"""What somebody sent, in words: also what is no text."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

_KINDS = {
    "image": _("a picture"),
    "audio": _("a recording"),
    "video": _("a video"),
    "document": _("a file"),
    "sticker": _("a sticker"),
    "location": _("a place on the map"),
    "contacts": _("a contact card"),
    "order": _("an order"),
    "reaction": _("a reaction to a message"),
    "edit": _("changed what they wrote before"),
    "revoke": _("took back a message"),
    "system": _("a notice of WhatsApp's"),
}
PLAIN = ("text", "button", "button_reply", "list_reply", "nfm_reply")


def kind_in_words(kind: str, *, action: str) -> str:
    """ "" for what was typed or tapped; else what it is. We do not see what is in it, but for its caption."""
    if action or kind in PLAIN:
        return ""
    return str(_KINDS.get(kind, _("something that we cannot show")))


def heard_in_words(kind: str, text: str, *, action: str) -> str:
    """On one line."""
    what = kind_in_words(kind, action=action)
    return ": ".join(filter(None, (what, " ".join(text.split()))))
