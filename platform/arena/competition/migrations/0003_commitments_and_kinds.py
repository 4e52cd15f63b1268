"""Rounds of ladders and batches of experiments as kinds of tournaments; the queue of commitments."""

import arena.competition.models.tournaments
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('competition', '0002_schema_of_0_2'),
    ]

    operations = [
        migrations.AlterField(
            model_name='tournament',
            name='kind',
            field=models.CharField(choices=[('event', 'Event'), ('challenge', 'a private fixture between chosen versions'), ('ladder', 'a round of a ladder'), ('experiment', 'a batch of boards of an experiment')], default='event', max_length=10),
        ),
        migrations.CreateModel(
            name='Commitment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField(unique=True)),
                ('secret', models.BinaryField(default=arena.competition.models.tournaments.new_secret, max_length=32)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('signature', models.CharField(max_length=128)),
                ('posted_at', models.DateTimeField()),
                ('taken_at', models.DateTimeField(null=True)),
                ('revealed_at', models.DateTimeField(null=True)),
                ('reason', models.CharField(blank=True, max_length=300)),
                ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commitments', to='competition.signingkey')),
                ('tournament', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='queued_commitment', to='competition.tournament')),
            ],
            options={
                'ordering': ['number'],
                'indexes': [models.Index(condition=models.Q(('revealed_at__isnull', True), ('taken_at__isnull', True)), fields=['number'], name='commitment_free')],
                'constraints': [models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='commitment_numbered_from_1'), models.CheckConstraint(condition=models.Q(models.Q(('taken_at__isnull', True), ('tournament__isnull', True)), models.Q(('taken_at__isnull', False), ('tournament__isnull', False)), _connector='OR'), name='commitment_taken_by_something'), models.CheckConstraint(condition=models.Q(('taken_at__isnull', True), ('taken_at__gte', models.F('posted_at')), _connector='OR'), name='commitment_posted_first'), models.CheckConstraint(condition=models.Q(('reason', ''), ('revealed_at__isnull', False), _connector='OR'), name='commitment_reason_of_revealed'), models.CheckConstraint(condition=models.Q(('revealed_at__isnull', True), ('taken_at__isnull', False), models.Q(('reason', ''), _negated=True), _connector='OR'), name='commitment_unused_has_reason')],
            },
        ),
    ]
