import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Blob',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('bundle', 'Bundle'), ('record', 'Record'), ('timings', 'Timings'), ('log', 'Log'), ('view', 'View'), ('notes', 'Notes'), ('runtime', 'Runtime')], max_length=10)),
                ('size', models.PositiveBigIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Compatibility',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('oldest_release', models.CharField(max_length=20)),
                ('migrated_by', models.CharField(max_length=60)),
                ('migrated_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'compatibility',
            },
        ),
        migrations.CreateModel(
            name='ScrubProgress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('last_sha256', models.CharField(blank=True, max_length=64)),
                ('completed_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='LostBlob',
            fields=[
                ('blob', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='lost', serialize=False, to='common.blob')),
                ('problem', models.CharField(choices=[('missing', 'Missing'), ('damaged', 'Damaged')], max_length=8)),
                ('found_at', models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
