"""URLs of organisers' pages."""

from __future__ import annotations

from django.urls import path

from arena.web.organise import (
    bulk,
    cup_pages,
    drafts,
    entry_pages,
    event_pages,
    index,
    trial_pages,
    verb_pages,
)

urlpatterns = [
    path("organise", index.organise, name="organise"),
    path("organise/new", event_pages.event_new, name="organise-new"),
    path("organise/drafts", drafts.save_draft, name="organise-drafts"),
    path("organise/drafts/<id:public_id>/delete", drafts.delete_draft, name="organise-draft-delete"),
    path("organise/plan", event_pages.event_plan, name="organise-plan"),
    path("organise/tournaments/<id:public_id>", event_pages.event_edit, name="organise-event"),
    path("organise/tournaments/<id:public_id>/bulk", bulk.bulk, name="organise-bulk"),
    path("organise/tournaments/<id:public_id>/entries", entry_pages.entries, name="organise-entries"),
    path(
        "organise/tournaments/<id:public_id>/entries/<id:entry_id>",
        entry_pages.remove_entry,
        name="organise-entry",
    ),
    path("organise/tournaments/<id:public_id>/trial", trial_pages.trial, name="organise-trial"),
    path("organise/tournaments/<id:public_id>/delete", trial_pages.delete, name="organise-trial-delete"),
    path(
        "organise/tournaments/<id:public_id>/<event_verb:verb>", verb_pages.event_verb, name="organise-verb"
    ),
    path("organise/fixtures/<id:public_id>", verb_pages.fixture_adjudication, name="organise-fixture"),
    path("organise/tables/<id:public_id>", verb_pages.table_replay, name="organise-table"),
    path("organise/cups/new", cup_pages.cup_new, name="organise-cup-new"),
    path("organise/cups/<id:public_id>", cup_pages.cup_edit, name="organise-cup"),
    path("organise/cups/<id:public_id>/<event_verb:verb>", cup_pages.cup_verb, name="organise-cup-verb"),
]
