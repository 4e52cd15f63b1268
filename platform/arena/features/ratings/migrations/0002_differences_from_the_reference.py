import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Min


def recompute(apps, schema_editor):
    """Mark every list as due, by one of its sets, so that the next tick computes the differences."""
    sets = apps.get_model("ratings", "RatedSet").objects
    firsts = sets.order_by().values("list").annotate(first=Min("pk")).values_list("first", flat=True)
    sets.filter(pk__in=list(firsts), stale_mark="").update(stale_mark="differences")


class Migration(migrations.Migration):

    dependencies = [
        ('ratings', '0001_initial'),
        ('roster', '0002_private_bots'),
    ]

    operations = [
        migrations.AddField(
            model_name='rating',
            name='difference',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='difference_error',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='difference_high',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='difference_low',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='ratingchange',
            name='difference',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='ratingchange',
            name='difference_error',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='ratingchange',
            name='difference_high',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='ratingchange',
            name='difference_low',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='ratingchange',
            name='reference',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion'),
        ),
        migrations.AddField(
            model_name='ratinglist',
            name='reference',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='roster.botversion'),
        ),
        migrations.AddField(
            model_name='ratinglist',
            name='reference_partner',
            field=models.CharField(blank=True, db_default='', default='', max_length=5),
        ),
        migrations.RunPython(recompute, migrations.RunPython.noop, elidable=True),
    ]
