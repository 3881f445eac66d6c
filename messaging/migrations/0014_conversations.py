"""Conversations: whose each is, what staff wrote in it, what they write often; and each open task in its own."""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


def of_clinic(table: str, column: str, other: str) -> migrations.RunSQL:
    """A row and what it names belong to one clinic."""
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {other} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


# What is open now waits in its conversation from the first day: with who wrote, else whom it is about, else where it was tried.
PLACED = """
    UPDATE messaging_stafftask AS task SET contact_id = coalesce(
        (SELECT heard.contact_id FROM messaging_inboundmessage AS heard WHERE heard.id = task.inbound_id),
        CASE WHEN task.person_kind = 'contact' THEN (
            SELECT contact.id FROM messaging_contact AS contact
            WHERE contact.id = task.person_id AND contact.clinic_id = task.clinic_id
        ) END,
        (SELECT tried.contact_id FROM messaging_attempt AS tried JOIN messaging_message AS said ON said.id = tried.message_id
         WHERE tried.message_id = task.message_id AND said.category <> 'staff' ORDER BY tried.number DESC LIMIT 1)
    )
    WHERE task.state = 'open'
        AND task.reason NOT IN ('account_trouble', 'template_trouble', 'machine_trouble', 'clocks_changed', 'of_age')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("clinicbot", "0006_who_may_export"),
        ("messaging", "0013_the_number_that_was_written_to"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Conversation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "finished_tasks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list, size=None
                    ),
                ),
            ],
            options={
                "verbose_name": "conversation",
                "verbose_name_plural": "conversations",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SavedText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "title",
                    models.CharField(
                        help_text="Two or three words, as they stand on the button.", max_length=40, verbose_name="name"
                    ),
                ),
                ("language", models.CharField(max_length=8, verbose_name="language")),
                ("body", models.TextField(max_length=1000, verbose_name="words")),
                (
                    "position",
                    models.PositiveSmallIntegerField(
                        default=1, help_text="Lower numbers come first; nine fit.", verbose_name="place"
                    ),
                ),
            ],
            options={
                "verbose_name": "saved text",
                "verbose_name_plural": "saved texts",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="WrittenAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(blank=True)),
                ("written_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "answer",
                "verbose_name_plural": "answers",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="stafftask",
            name="contact",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="tasks",
                to="messaging.contact",
            ),
        ),
        migrations.AddIndex(
            model_name="contact",
            index=models.Index(fields=["clinic", "-last_inbound_at"], name="messaging_contacts_lately"),
        ),
        migrations.AddIndex(
            model_name="stafftask",
            index=models.Index(fields=["clinic", "contact", "-id"], name="messaging_tasks_of_contact"),
        ),
        migrations.AddField(
            model_name="conversation",
            name="assigned_to",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="clinic",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="contact",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="conversation", to="messaging.contact"
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="done_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="savedtext",
            name="clinic",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
            ),
        ),
        migrations.AddField(
            model_name="writtenanswer",
            name="by",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="writtenanswer",
            name="clinic",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
            ),
        ),
        migrations.AddField(
            model_name="writtenanswer",
            name="contact",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.contact"
            ),
        ),
        migrations.AddField(
            model_name="writtenanswer",
            name="message",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="written", to="messaging.message"
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["clinic", "-done_at"], name="messaging_conversations_done"),
        ),
        migrations.AddConstraint(
            model_name="savedtext",
            constraint=models.UniqueConstraint(
                fields=("clinic", "language", "title"),
                name="messaging_one_saved_text_per_title",
                violation_error_message="There is a text of that name in this language already.",
            ),
        ),
        migrations.AddIndex(
            model_name="writtenanswer",
            index=models.Index(fields=["clinic", "contact", "-written_at"], name="messaging_written_to_contact"),
        ),
        migrations.AddIndex(
            model_name="writtenanswer",
            index=models.Index(
                condition=models.Q(("text", ""), _negated=True),
                fields=["written_at"],
                name="messaging_written_to_blank",
            ),
        ),
        of_clinic("messaging_conversation", "contact_id", "messaging_contact"),
        of_clinic("messaging_writtenanswer", "contact_id", "messaging_contact"),
        of_clinic("messaging_writtenanswer", "message_id", "messaging_message"),
        of_clinic("messaging_stafftask", "contact_id", "messaging_contact"),
        # Constraints that wait for the commit would keep the table from being changed after this.
        migrations.RunSQL(
            [PLACED, "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED"], migrations.RunSQL.noop
        ),
    ]
