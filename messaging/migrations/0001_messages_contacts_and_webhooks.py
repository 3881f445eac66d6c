"""Messages and attempts, contacts and consents, accounts, templates, webhook items, tasks, evidence."""

from __future__ import annotations

import django.core.serializers.json
import django.db.models.deletion
import django.db.models.manager
import encrypted_model_fields.fields
from django.db import migrations, models

import clinicbot.ids

# A row and what it names belong to one clinic, by the database's word: (table, column, table it points at).
SAME_CLINIC = [
    ("messaging_message", "waits_for_account_id", "messaging_sendingaccount"),
    ("messaging_messagesubject", "message_id", "messaging_message"),
    ("messaging_attempt", "message_id", "messaging_message"),
    ("messaging_attempt", "account_id", "messaging_sendingaccount"),
    ("messaging_attempt", "contact_id", "messaging_contact"),
    ("messaging_attempt", "template_id", "messaging_messagetemplate"),
    ("messaging_messagetemplate", "account_id", "messaging_sendingaccount"),
    ("messaging_consent", "contact_id", "messaging_contact"),
    ("messaging_webhookitem", "account_id", "messaging_sendingaccount"),
    ("messaging_inboundmessage", "account_id", "messaging_sendingaccount"),
    ("messaging_inboundmessage", "contact_id", "messaging_contact"),
    ("messaging_inboundmessage", "answers_id", "messaging_message"),
    ("messaging_stafftask", "message_id", "messaging_message"),
    ("messaging_stafftask", "inbound_id", "messaging_inboundmessage"),
    ("messaging_parkedreceipt", "account_id", "messaging_sendingaccount"),
]


def same_clinic(table: str, column: str, target: str) -> migrations.RunSQL:
    name = f"{table}_{column.removesuffix('_id')}_of_clinic"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (clinic_id, {column})"
        f" REFERENCES {target} (clinic_id, id) DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


# Rows of these change state several times: vacuum by count, not by share of a table that only grows.
VACUUM_OFTEN = [
    migrations.RunSQL(
        f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)",
        f"ALTER TABLE {table} RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold)",
    )
    for table in ("messaging_message", "messaging_attempt")
]


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("clinicbot", "0001_clinics_members_clock_audit"),
    ]

    operations = [
        migrations.CreateModel(
            name="Contact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(max_length=16)),
                ("address", models.CharField(blank=True, max_length=64)),
                ("typed", models.CharField(blank=True, max_length=64)),
                ("whatsapp_id", models.CharField(blank=True, max_length=64)),
                ("user_id", models.CharField(blank=True, max_length=160)),
                ("last_inbound_at", models.DateTimeField(blank=True, null=True)),
                ("unreachable_since", models.DateTimeField(blank=True, null=True)),
                ("unreachable_count", models.PositiveSmallIntegerField(default=0)),
                ("unreachable_reason", models.CharField(blank=True, max_length=64)),
                ("wrong_number_at", models.DateTimeField(blank=True, null=True)),
                ("slowed_until", models.DateTimeField(blank=True, null=True)),
                ("slowed_count", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "contact",
                "verbose_name_plural": "contacts",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Consent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "category",
                    models.CharField(
                        choices=[
                            ("visits", "visits"),
                            ("payments", "payments"),
                            ("recalls", "recalls"),
                            ("staff", "staff"),
                        ],
                        max_length=16,
                    ),
                ),
                ("state", models.CharField(choices=[("granted", "agreed"), ("withdrawn", "said stop")], max_length=12)),
                ("source", models.CharField(max_length=32)),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.BigIntegerField(null=True)),
                ("said_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "contact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="consents", to="messaging.contact"
                    ),
                ),
            ],
            options={
                "verbose_name": "consent",
                "verbose_name_plural": "consents",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="KillSwitch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=200, verbose_name="why")),
                ("thrown_at", models.DateTimeField()),
                ("thrown_by", models.BigIntegerField(null=True)),
                ("released_at", models.DateTimeField(blank=True, null=True)),
                ("released_by", models.BigIntegerField(null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="clinicbot.clinic",
                    ),
                ),
            ],
            options={
                "verbose_name": "kill switch",
                "verbose_name_plural": "kill switches",
                "permissions": [("throw_killswitch", "Can stop and restart all sending")],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.UUIDField(default=clinicbot.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(max_length=64)),
                ("category", models.CharField(max_length=16)),
                ("urgency", models.PositiveSmallIntegerField(default=5)),
                ("rule", models.CharField(blank=True, max_length=64)),
                ("person_kind", models.CharField(max_length=16)),
                ("person_id", models.BigIntegerField()),
                ("generation", models.PositiveSmallIntegerField(default=1)),
                ("params", models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting"),
                            ("held", "held"),
                            ("sending", "on its way"),
                            ("unknown", "not known whether it arrived"),
                            ("accepted", "accepted"),
                            ("sent", "sent"),
                            ("delivered", "delivered"),
                            ("skipped", "left out"),
                            ("expired", "too late to be useful"),
                            ("failed", "did not arrive"),
                            ("cancelled", "cancelled"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=64)),
                ("text_name", models.CharField(blank=True, max_length=64)),
                ("due_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("must_use_template", models.BooleanField(default=False)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("lease_no", models.PositiveIntegerField(default=0)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("runs_alone", models.BooleanField(default=False)),
                ("lapses", models.PositiveSmallIntegerField(default=0)),
                ("was_sent_once_more", models.BooleanField(default=False)),
                ("superseded", models.BooleanField(default=False)),
                ("asked_again_reason", models.CharField(blank=True, max_length=200)),
                ("answered_with", models.CharField(blank=True, max_length=64)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "message",
                "verbose_name_plural": "messages",
                "permissions": [
                    ("resend_message", "Can send messages again"),
                    ("cancel_message", "Can cancel messages"),
                ],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="MessageSubject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=64)),
                ("rule", models.CharField(blank=True, max_length=64)),
                ("subject_type", models.CharField(max_length=32)),
                ("subject_id", models.CharField(max_length=64)),
                ("subject_version", models.IntegerField(default=0)),
                ("person_kind", models.CharField(max_length=16)),
                ("person_id", models.BigIntegerField()),
                ("generation", models.PositiveSmallIntegerField(default=1)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="subjects", to="messaging.message"
                    ),
                ),
            ],
            options={
                "verbose_name": "subject of a message",
                "verbose_name_plural": "subjects of messages",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="SendingAccount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(max_length=16)),
                ("label", models.CharField(max_length=80, verbose_name="name")),
                ("external_id", models.CharField(max_length=64, verbose_name="phone number id")),
                ("parent_id", models.CharField(blank=True, max_length=64, verbose_name="business account id")),
                ("display_address", models.CharField(blank=True, max_length=32, verbose_name="number")),
                (
                    "access_token",
                    encrypted_model_fields.fields.EncryptedTextField(blank=True, verbose_name="access token"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "active"), ("paused", "paused")], default="active", max_length=8
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("paused_reason", models.CharField(blank=True, max_length=64)),
                ("paused_detail", models.CharField(blank=True, max_length=300)),
                ("resume_at", models.DateTimeField(blank=True, null=True)),
                ("ramp_from", models.DateTimeField(blank=True, null=True)),
                ("rate_per_second", models.FloatField(default=40, verbose_name="messages a second")),
                ("tokens", models.FloatField(default=0)),
                ("tokens_at", models.DateTimeField(blank=True, null=True)),
                ("quality", models.CharField(blank=True, max_length=32)),
                ("templates_synced_at", models.DateTimeField(blank=True, null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "sending account",
                "verbose_name_plural": "sending accounts",
                "permissions": [("pause_sendingaccount", "Can pause and resume sending accounts")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="ParkedReceipt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(max_length=16)),
                ("provider_message_id", models.CharField(max_length=160)),
                ("status", models.CharField(max_length=16)),
                ("fact", models.JSONField(default=dict)),
                ("parked_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="messaging.sendingaccount"
                    ),
                ),
            ],
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="MessageTemplate",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=512)),
                ("language", models.CharField(max_length=16)),
                ("provider_id", models.CharField(blank=True, max_length=64)),
                ("status", models.CharField(max_length=32)),
                ("category", models.CharField(blank=True, max_length=32)),
                ("correct_category", models.CharField(blank=True, max_length=32)),
                ("is_named", models.BooleanField(default=True)),
                ("components", models.JSONField(default=list)),
                ("rejected_reason", models.CharField(blank=True, max_length=200)),
                ("quality", models.CharField(blank=True, max_length=16)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("paused_reason", models.CharField(blank=True, max_length=64)),
                ("synced_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="templates",
                        to="messaging.sendingaccount",
                    ),
                ),
            ],
            options={
                "verbose_name": "WhatsApp template",
                "verbose_name_plural": "WhatsApp templates",
                "permissions": [("pause_messagetemplate", "Can pause and resume templates")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name="message",
            name="waits_for_account",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="messaging.sendingaccount",
            ),
        ),
        migrations.CreateModel(
            name="InboundMessage",
            fields=[
                (
                    "id",
                    models.UUIDField(default=clinicbot.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("channel", models.CharField(max_length=16)),
                ("provider_message_id", models.CharField(max_length=160)),
                ("type", models.CharField(max_length=24)),
                ("text", models.TextField(blank=True)),
                ("action", models.CharField(blank=True, max_length=100)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "new"),
                            ("answered", "answered"),
                            ("task", "needs a person"),
                            ("noted", "noted"),
                        ],
                        default="new",
                        max_length=12,
                    ),
                ),
                ("outcome", models.CharField(blank=True, max_length=64)),
                ("sent_at", models.DateTimeField()),
                ("received_at", models.DateTimeField()),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "contact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="inbound", to="messaging.contact"
                    ),
                ),
                (
                    "answers",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="answers",
                        to="messaging.message",
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.sendingaccount"
                    ),
                ),
            ],
            options={
                "verbose_name": "inbound message",
                "verbose_name_plural": "inbound messages",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.UUIDField(default=clinicbot.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("channel", models.CharField(max_length=16)),
                ("mode", models.CharField(help_text="free or template", max_length=12)),
                ("language", models.CharField(max_length=8)),
                ("text_name", models.CharField(max_length=64)),
                ("text", models.TextField(blank=True)),
                ("labels", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("sending", "on its way"),
                            ("unknown", "not known whether it went out"),
                            ("accepted", "accepted"),
                            ("sent", "sent"),
                            ("delivered", "delivered"),
                            ("read", "read"),
                            ("failed", "did not arrive"),
                        ],
                        default="sending",
                        max_length=12,
                    ),
                ),
                ("provider_message_id", models.CharField(blank=True, max_length=160)),
                ("started_at", models.DateTimeField()),
                ("said_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("failed_at", models.DateTimeField(blank=True, null=True)),
                ("failure_verdict", models.CharField(blank=True, max_length=24)),
                ("failure_code", models.CharField(blank=True, max_length=32)),
                ("failure_detail", models.CharField(blank=True, max_length=300)),
                ("has_receipt", models.BooleanField(default=False)),
                ("possibly_twice", models.BooleanField(default=False)),
                ("price_category", models.CharField(blank=True, max_length=32)),
                ("is_billable", models.BooleanField(null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "contact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.contact"
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="messaging.message"
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="messaging.messagetemplate",
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="messaging.sendingaccount"
                    ),
                ),
            ],
            options={
                "verbose_name": "attempt",
                "verbose_name_plural": "attempts",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="StaffTask",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=32)),
                ("state", models.CharField(choices=[("open", "open"), ("done", "done")], default="open", max_length=8)),
                ("unique_key", models.CharField(max_length=160)),
                ("person_kind", models.CharField(blank=True, max_length=16)),
                ("person_id", models.BigIntegerField(null=True)),
                ("subject_type", models.CharField(blank=True, max_length=32)),
                ("subject_id", models.CharField(blank=True, max_length=64)),
                ("detail", models.CharField(blank=True, max_length=64)),
                ("opened_at", models.DateTimeField()),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                ("done_by", models.BigIntegerField(null=True)),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
                (
                    "inbound",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="tasks",
                        to="messaging.inboundmessage",
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="tasks",
                        to="messaging.message",
                    ),
                ),
            ],
            options={
                "verbose_name": "task",
                "verbose_name_plural": "tasks",
                "permissions": [("finish_stafftask", "Can mark tasks as done")],
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="TextOverride",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text_name", models.CharField(max_length=64, verbose_name="text")),
                ("language", models.CharField(max_length=8, verbose_name="language")),
                ("body", models.TextField(max_length=1024, verbose_name="words")),
                (
                    "clinic",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "own words",
                "verbose_name_plural": "own words",
            },
            managers=[
                ("unscoped", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="WebhookItem",
            fields=[
                (
                    "id",
                    models.UUIDField(default=clinicbot.ids.uuid7, editable=False, primary_key=True, serialize=False),
                ),
                ("provider", models.CharField(max_length=16)),
                ("field", models.CharField(max_length=64)),
                ("unique_key", models.CharField(max_length=255)),
                ("body", encrypted_model_fields.fields.EncryptedTextField(null=True)),
                ("received_at", models.DateTimeField()),
                ("handled_at", models.DateTimeField(blank=True, null=True)),
                ("outcome", models.CharField(blank=True, max_length=32)),
                (
                    "account",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="messaging.sendingaccount",
                    ),
                ),
                (
                    "clinic",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="clinicbot.clinic"
                    ),
                ),
            ],
            options={
                "verbose_name": "webhook item",
                "verbose_name_plural": "webhook items",
            },
        ),
        migrations.AddField(
            model_name="inboundmessage",
            name="item",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="inbound",
                to="messaging.webhookitem",
            ),
        ),
        migrations.CreateModel(
            name="WebhookProbe",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("probed_at", models.DateTimeField()),
                ("was_up", models.BooleanField()),
            ],
            options={
                "indexes": [
                    models.Index(models.OrderBy(models.F("probed_at"), descending=True), name="messaging_probes_by_age")
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookRefusal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("refused_at", models.DateTimeField()),
                ("status", models.PositiveSmallIntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        models.OrderBy(models.F("refused_at"), descending=True), name="messaging_refusals_by_age"
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="contact",
            index=models.Index(
                condition=models.Q(("whatsapp_id", ""), _negated=True),
                fields=["clinic", "channel", "whatsapp_id"],
                name="messaging_contacts_by_wa_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="contact",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="messaging_contact_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="contact",
            constraint=models.UniqueConstraint(
                condition=models.Q(("address", ""), _negated=True),
                fields=("clinic", "channel", "address"),
                name="messaging_one_contact_per_address",
            ),
        ),
        migrations.AddConstraint(
            model_name="contact",
            constraint=models.UniqueConstraint(
                condition=models.Q(("user_id", ""), _negated=True),
                fields=("clinic", "channel", "user_id"),
                name="messaging_one_contact_per_user_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="contact",
            constraint=models.CheckConstraint(
                condition=models.Q(("address", ""), ("user_id", ""), _negated=True),
                name="messaging_contact_has_an_address",
            ),
        ),
        migrations.AddIndex(
            model_name="consent",
            index=models.Index(fields=["contact", "category", "-id"], name="messaging_latest_consent"),
        ),
        migrations.AddConstraint(
            model_name="killswitch",
            constraint=models.UniqueConstraint(
                condition=models.Q(("released_at__isnull", True)),
                fields=("clinic",),
                name="messaging_one_switch_on_per_clinic",
                nulls_distinct=False,
            ),
        ),
        migrations.AddIndex(
            model_name="messagesubject",
            index=models.Index(
                fields=["clinic", "subject_type", "subject_id", "person_kind", "person_id"],
                name="messaging_messages_about",
            ),
        ),
        migrations.AddConstraint(
            model_name="messagesubject",
            constraint=models.UniqueConstraint(
                fields=(
                    "clinic",
                    "kind",
                    "rule",
                    "subject_type",
                    "subject_id",
                    "subject_version",
                    "person_kind",
                    "person_id",
                    "generation",
                ),
                name="messaging_said_once",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="sendingaccount",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="messaging_account_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="sendingaccount",
            constraint=models.UniqueConstraint(
                fields=("channel", "external_id"), name="messaging_one_account_per_external_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="sendingaccount",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["active", "paused"])), name="messaging_account_state_is_known"
            ),
        ),
        migrations.AddIndex(
            model_name="parkedreceipt",
            index=models.Index(fields=["parked_at"], name="messaging_parked_by_age"),
        ),
        migrations.AddConstraint(
            model_name="parkedreceipt",
            constraint=models.UniqueConstraint(
                fields=("channel", "provider_message_id", "status"), name="messaging_receipt_parked_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="messagetemplate",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="messaging_template_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="messagetemplate",
            constraint=models.UniqueConstraint(
                fields=("account", "name", "language"), name="messaging_one_template_per_name_and_language"
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["urgency", "clinic", "due_at", "id"],
                name="messaging_messages_to_send",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("leased_until__isnull", False)),
                fields=["leased_until"],
                name="messaging_messages_by_lease",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("state__in", ["held", "unknown", "sending"])),
                fields=["state", "due_at", "id"],
                name="messaging_messages_unsettled",
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                fields=["clinic", "person_kind", "person_id", "-id"], name="messaging_messages_of_person"
            ),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["clinic", "state", "-id"], name="messaging_messages_by_state"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="messaging_message_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            "queued",
                            "held",
                            "sending",
                            "unknown",
                            "accepted",
                            "sent",
                            "delivered",
                            "skipped",
                            "expired",
                            "failed",
                            "cancelled",
                        ],
                    )
                ),
                name="messaging_message_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("leased_until__isnull", True), ("state__in", ["queued", "sending"]), _connector="OR"
                ),
                name="messaging_message_lease_ends_with_its_state",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("has_receipt", True)),
                fields=["account", "started_at"],
                name="messaging_attempts_received",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("state__in", ["sending", "unknown"])),
                fields=["state", "started_at"],
                name="messaging_attempts_in_doubt",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                fields=("message", "number"), name="messaging_attempt_numbers_are_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("provider_message_id", ""), _negated=True),
                fields=("channel", "provider_message_id"),
                name="messaging_one_attempt_per_provider_id",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["sending", "unknown", "accepted", "sent", "delivered", "read", "failed"])
                ),
                name="messaging_attempt_state_is_known",
            ),
        ),
        migrations.AddIndex(
            model_name="stafftask",
            index=models.Index(
                condition=models.Q(("state", "open")), fields=["clinic", "opened_at"], name="messaging_open_tasks"
            ),
        ),
        migrations.AddIndex(
            model_name="stafftask",
            index=models.Index(fields=["clinic", "subject_type", "subject_id"], name="messaging_tasks_about"),
        ),
        migrations.AddConstraint(
            model_name="stafftask",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "open")),
                fields=("clinic", "unique_key"),
                name="messaging_one_open_task_per_cause",
            ),
        ),
        migrations.AddConstraint(
            model_name="textoverride",
            constraint=models.UniqueConstraint(
                fields=("clinic", "text_name", "language"), name="messaging_one_override_per_text_and_language"
            ),
        ),
        migrations.AddIndex(
            model_name="webhookitem",
            index=models.Index(
                condition=models.Q(("handled_at__isnull", True)),
                fields=["account", "received_at"],
                name="messaging_items_unhandled",
            ),
        ),
        migrations.AddIndex(
            model_name="webhookitem",
            index=models.Index(
                condition=models.Q(("body__isnull", False)), fields=["handled_at"], name="messaging_items_to_blank"
            ),
        ),
        migrations.AddConstraint(
            model_name="webhookitem",
            constraint=models.UniqueConstraint(
                fields=("provider", "unique_key"), name="messaging_webhook_item_stored_once"
            ),
        ),
        migrations.AddIndex(
            model_name="inboundmessage",
            index=models.Index(fields=["clinic", "contact", "-sent_at"], name="messaging_inbound_of_contact"),
        ),
        migrations.AddIndex(
            model_name="inboundmessage",
            index=models.Index(
                condition=models.Q(("state", "new")), fields=["received_at"], name="messaging_inbound_unanswered"
            ),
        ),
        migrations.AddConstraint(
            model_name="inboundmessage",
            constraint=models.UniqueConstraint(fields=("clinic", "id"), name="messaging_inbound_of_clinic"),
        ),
        migrations.AddConstraint(
            model_name="inboundmessage",
            constraint=models.UniqueConstraint(
                fields=("channel", "provider_message_id"), name="messaging_inbound_stored_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="inboundmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["new", "answered", "task", "noted"])),
                name="messaging_inbound_state_is_known",
            ),
        ),
        *(same_clinic(*names) for names in SAME_CLINIC),
        *VACUUM_OFTEN,
    ]
