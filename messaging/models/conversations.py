"""A contact's conversation with the clinic: whose it is, who has seen it, and what staff wrote in it."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from clinicbot.tenancy import TenantModel


class Conversation(TenantModel):
    """What staff have made of all that is said with one contact; a contact without a row is nobody's, and nobody has seen it.

    It needs a person as long as a task of its contact is open; nothing here says so a second time.

    seen_at: what had reached us by then, somebody has seen. done_at, done_by: when and by whom it was last ended, and
    finished_tasks which tasks ended with it, so that they can be opened again.
    """

    contact = models.OneToOneField("messaging.Contact", on_delete=models.CASCADE, related_name="conversation")
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    seen_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)
    done_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    finished_tasks = ArrayField(models.BigIntegerField(), default=list)

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        indexes = [
            # Serves the inbox's list of what is done.
            models.Index(fields=["clinic", "-done_at"], name="messaging_conversations_done"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class WrittenAnswer(TenantModel):
    """The words that a member of staff wrote to a contact. Its message takes them from here when it goes.

    text: as they were typed; blanked by retention. written_at: now time.
    """

    message = models.OneToOneField("messaging.Message", on_delete=models.CASCADE, related_name="written")
    contact = models.ForeignKey("messaging.Contact", on_delete=models.PROTECT, related_name="+", db_index=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    text = models.TextField(blank=True)
    written_at = models.DateTimeField()

    class Meta:
        verbose_name = _("answer")
        verbose_name_plural = _("answers")
        indexes = [
            # Serves a conversation, newest first.
            models.Index(fields=["clinic", "contact", "-written_at"], name="messaging_written_to_contact"),
            # Serves the blanking of texts.
            models.Index(fields=["written_at"], condition=~models.Q(text=""), name="messaging_written_to_blank"),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"


class SavedText(TenantModel):
    """Words that a clinic writes often. Choosing one fills the box; nothing goes before somebody sends it."""

    title = models.CharField(_("name"), max_length=40, help_text=_("Two or three words, as they stand on the button."))
    language = models.CharField(_("language"), max_length=8)
    body = models.TextField(_("words"), max_length=1000)
    position = models.PositiveSmallIntegerField(
        _("place"), default=1, help_text=_("Lower numbers come first; nine fit.")
    )

    class Meta:
        verbose_name = _("saved text")
        verbose_name_plural = _("saved texts")
        constraints = [
            models.UniqueConstraint(
                fields=["clinic", "language", "title"],
                name="messaging_one_saved_text_per_title",
                violation_error_message=_("There is a text of that name in this language already."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"
