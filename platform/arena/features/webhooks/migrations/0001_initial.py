import arena.common.ids
import arena.features.webhooks.signing
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competition', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Cursor',
            fields=[
                ('name', models.CharField(max_length=20, primary_key=True, serialize=False)),
                ('event', models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state_note', models.JSONField(blank=True, default=dict)),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('name', models.CharField(blank=True, max_length=80)),
                ('url', models.CharField(max_length=500)),
                ('kinds', models.JSONField(default=list)),
                ('state', models.CharField(choices=[('active', 'Active'), ('paused', 'paused by its owner'), ('disabled', 'disabled after failures')], default='active', max_length=10)),
                ('secret', models.BinaryField(default=arena.features.webhooks.signing.new_secret, max_length=32)),
                ('old_secret', models.BinaryField(max_length=32, null=True)),
                ('old_secret_until', models.DateTimeField(editable=False, null=True)),
                ('after_event', models.PositiveBigIntegerField(default=0, editable=False)),
                ('failures', models.PositiveIntegerField(default=0, editable=False)),
                ('failing_since', models.DateTimeField(editable=False, null=True)),
                ('backoff_until', models.DateTimeField(editable=False, null=True)),
                ('missed', models.PositiveIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('delivered_at', models.DateTimeField(editable=False, null=True)),
                ('tournament', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='competition.tournament')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('event', models.PositiveBigIntegerField(null=True)),
                ('kind', models.CharField(max_length=40)),
                ('payload', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField()),
                ('lease_until', models.DateTimeField(null=True)),
                ('last_status', models.PositiveSmallIntegerField(null=True)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('duration_ms', models.PositiveIntegerField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('attempted_at', models.DateTimeField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('webhook', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
            },
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(('url', ''), _negated=True), name='webhook_url_check'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('old_secret__isnull', True), ('old_secret_until__isnull', True)), models.Q(('old_secret__isnull', False), ('old_secret_until__isnull', False)), _connector='OR'), name='webhook_old_secret_check'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['next_at'], name='delivery_due_idx'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['webhook', '-id'], name='delivery_webhook_idx'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['ended_at'], name='delivery_ended_idx'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('webhook', 'event'), name='delivery_event_unique'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('next_at__isnull', False), ('state', 'waiting')), models.Q(models.Q(('state', 'waiting'), _negated=True), ('ended_at__isnull', False), ('next_at__isnull', True)), _connector='OR'), name='delivery_state_check'),
        ),
    ]
