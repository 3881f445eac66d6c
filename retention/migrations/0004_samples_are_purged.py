"""How the queues stood goes by age too."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('retention', '0003_invitations_and_tallies_are_purged'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='purgerun',
            name='retention_purged_is_known',
        ),
        migrations.AlterField(
            model_name='purgerun',
            name='what',
            field=models.CharField(choices=[('ticks', 'ticks'), ('samples', 'samples of the queues'), ('jobs', 'finished jobs'), ('occurrences', 'occurrences of schedules'), ('events', 'delivered events'), ('webhook_bodies', 'bodies of webhook items'), ('webhook_items', 'webhook items'), ('parked_receipts', 'receipts of messages that were not ours'), ('probes', 'probes of our webhook'), ('refusals', 'refused webhooks'), ('invitations', 'invitations that are over'), ('tallies', 'counts of what was asked for'), ('purge_runs', 'purge runs')], max_length=16, verbose_name='what'),
        ),
        migrations.AddConstraint(
            model_name='purgerun',
            constraint=models.CheckConstraint(condition=models.Q(('what__in', ['ticks', 'samples', 'jobs', 'occurrences', 'events', 'webhook_bodies', 'webhook_items', 'parked_receipts', 'probes', 'refusals', 'invitations', 'tallies', 'purge_runs'])), name='retention_purged_is_known'),
        ),
    ]
