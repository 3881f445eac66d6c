"""What staff wrote goes by age too: as far as it went, its attempt keeps it."""

from __future__ import annotations

from django.db import migrations, models

WHAT = [
    ("ticks", "ticks"),
    ("samples", "samples of the queues"),
    ("jobs", "finished jobs"),
    ("occurrences", "occurrences of schedules"),
    ("events", "delivered events"),
    ("webhook_bodies", "bodies of webhook items"),
    ("webhook_items", "webhook items"),
    ("parked_receipts", "receipts of messages that were not ours"),
    ("probes", "probes of our webhook"),
    ("refusals", "refused webhooks"),
    ("written_answers", "texts of answers that staff wrote"),
    ("invitations", "invitations that are over"),
    ("tallies", "counts of what was asked for"),
    ("import_files", "files that were brought in"),
    ("notes_before", "notes as they were before a change"),
    ("batches", "acts on many rows"),
    ("purge_runs", "purge runs"),
]


class Migration(migrations.Migration):
    dependencies = [("retention", "0006_samples_and_batches_are_purged")]

    operations = [
        migrations.AlterField(
            model_name="purgerun",
            name="what",
            field=models.CharField(choices=WHAT, max_length=16, verbose_name="what"),
        ),
        migrations.RemoveConstraint(model_name="purgerun", name="retention_purged_is_known"),
        migrations.AddConstraint(
            model_name="purgerun",
            constraint=models.CheckConstraint(
                condition=models.Q(("what__in", [word for word, _text in WHAT])), name="retention_purged_is_known"
            ),
        ),
    ]
