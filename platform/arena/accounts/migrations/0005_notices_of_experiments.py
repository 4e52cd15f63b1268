"""Notices of the ends of experiments."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_form_drafts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='notice',
            name='kind',
            field=models.CharField(choices=[('suspended', 'a version was suspended'), ('reinstated', 'a suspended version may enter again'), ('still_suspended', 'a check did not end a suspension'), ('ready', 'a version passed its check'), ('rejected', 'a version failed its check'), ('partner_asked', 'somebody wants to enter a pair with a version of yours'), ('partner_answered', 'a partner confirmed or declined'), ('invited', 'an organiser invited you'), ('entry_ended', 'an entry was taken out, or became void at the lock'), ('entry_stands', 'what becomes of an entry whose version is not ready any more'), ('event', 'an event you are entered in, or run, changed its course'), ('webhook', 'a webhook of yours was disabled'), ('series', 'a bot could not be entered in an edition of a recurring cup'), ('experiment', 'an experiment of yours ended')], max_length=20),
        ),
    ]
