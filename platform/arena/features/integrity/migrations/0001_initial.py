import arena.common.ids
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('competition', '0001_initial'),
        ('matches', '0001_initial'),
        ('ratings', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='IntegrityProgress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closed_seq', models.PositiveBigIntegerField(default=0)),
                ('rulings_at', models.DateTimeField(null=True)),
                ('busy_until', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name_plural': 'integrity progress',
            },
        ),
        migrations.CreateModel(
            name='TableDelays',
            fields=[
                ('table', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='delays', serialize=False, to='matches.table')),
                ('timings_sha256', models.CharField(blank=True, max_length=64)),
                ('is_missing', models.BooleanField(default=False)),
                ('delays', models.JSONField(default=dict)),
            ],
            options={
                'verbose_name_plural': 'table delays',
            },
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stale_mark', models.CharField(blank=True, max_length=16)),
                ('revision', models.PositiveIntegerField(default=0)),
                ('list_revision', models.PositiveIntegerField(default=0)),
                ('computed_at', models.DateTimeField(null=True)),
                ('cpu_ms', models.PositiveIntegerField(default=0)),
                ('sets', models.PositiveIntegerField(default=0)),
                ('fixtures', models.PositiveIntegerField(default=0)),
                ('pairs', models.PositiveIntegerField(default=0)),
                ('tables', models.PositiveIntegerField(default=0)),
                ('tables_missing', models.PositiveIntegerField(default=0)),
                ('finding_count', models.PositiveIntegerField(default=0)),
                ('list', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='integrity', to='ratings.ratinglist')),
                ('tournament', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='integrity', to='competition.tournament')),
            ],
            options={
                'ordering': ['-computed_at'],
            },
        ),
        migrations.CreateModel(
            name='Finding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('subject', models.CharField(choices=[('results', 'board scores against what strengths say'), ('forfeits', 'forfeits by opponent'), ('delays', 'delays before answers'), ('rulings', 'rulings by persons with an interest')], max_length=8)),
                ('kind', models.CharField(choices=[('duel', 'one won more from the other than strengths say'), ('transfer', 'at larger tables one won and the other lost more than strengths say'), ('alliance', 'at larger tables both together won more, or less, than strengths say'), ('against', 'one did it against the other more often than against others'), ('received', 'all its opponents together did it more often against one'), ('frequent', 'one did it more often than the rest of the field'), ('ruled', 'its owner, or an account linked to its owner, ruled')], max_length=8)),
                ('entry', models.CharField(blank=True, max_length=20)),
                ('other', models.CharField(blank=True, max_length=20)),
                ('with_other_partners', models.BooleanField(default=False)),
                ('residual', models.FloatField(null=True)),
                ('error', models.FloatField(null=True)),
                ('observed', models.PositiveIntegerField(null=True)),
                ('meetings', models.PositiveIntegerField()),
                ('expected', models.FloatField(null=True)),
                ('boards', models.PositiveIntegerField()),
                ('p', models.FloatField(null=True)),
                ('q', models.FloatField(null=True)),
                ('unusual_boards', models.JSONField(default=list)),
                ('link', models.CharField(blank=True, choices=[('same', 'it has or had the entry itself'), ('pair', 'their bots formed a pair in a tournament'), ('bundle', 'they alone uploaded the same bundle')], max_length=8)),
                ('fixtures', models.JSONField(default=list)),
                ('adjudicator', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('report', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='integrity.report')),
            ],
            options={
                'ordering': ['report', 'number'],
            },
        ),
        migrations.CreateModel(
            name='BoardSetConduct',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('stale_mark', models.CharField(blank=True, max_length=16)),
                ('scores', models.BinaryField(default=b'')),
                ('conduct', models.JSONField(default=list)),
                ('tables', models.PositiveIntegerField(default=0)),
                ('tables_missing', models.PositiveIntegerField(default=0)),
                ('board_set', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='conduct', to='matches.boardset')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('stale_mark', ''), _negated=True), fields=['id'], name='conduct_stale_idx')],
            },
        ),
        migrations.CreateModel(
            name='PairRuling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=arena.common.ids.new_public_id, editable=False, max_length=16, unique=True)),
                ('reason', models.CharField(max_length=300)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('lifted_at', models.DateTimeField(null=True)),
                ('lift_reason', models.CharField(blank=True, max_length=300)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('adjudications', models.ManyToManyField(related_name='pair_rulings', to='matches.adjudication')),
                ('first', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='competition.entry')),
                ('lifted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('second', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='competition.entry')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pair_rulings', to='competition.tournament')),
            ],
            options={
                'ordering': ['-id'],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='pair_ruling_order_check'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='pair_ruling_reason_check'), models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('tournament', 'first', 'second'), name='pair_ruling_pair_unique')],
            },
        ),
        migrations.AddIndex(
            model_name='report',
            index=models.Index(condition=models.Q(('stale_mark', ''), _negated=True), fields=['id'], name='report_stale_idx'),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('list__isnull', True), ('tournament__isnull', False)), models.Q(('list__isnull', False), ('tournament__isnull', True)), _connector='OR'), name='report_subject_check'),
        ),
        migrations.AddConstraint(
            model_name='finding',
            constraint=models.UniqueConstraint(fields=('report', 'number'), name='finding_number_unique'),
        ),
    ]
