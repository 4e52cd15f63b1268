"""Texts of notices to accounts, and of clauses in them, by code (``arena.common.notes``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

CLAUSES: Mapping[str, Any] = {
    "because": _(": %(why)s"),
    "before_time": _(" before %(time)s"),
    "until_time": _(" until %(time)s"),
    "at_time": _(", %(time)s"),
    "by_player": _(" by %(player)s"),
    "by_organiser": _(" by the organiser"),
    "by_staff": _(" by staff"),
    "became_active": _(" It is the bot's active version now."),
    "stays_active": _(
        " v%(number)d remains the bot's active version, the one that enters cups, until you "
        "activate the new one on its page."
    ),
    "none_active": _(" The bot has no active version now."),
    "no_version": _("%(bot)s has no version that passed its check."),
    "next_edition": _(" The next edition starts at %(time)s."),
    "last_edition_over": _(" The cup has ended."),
    "ruled_forfeit": _("fixture %(fixture)d of round %(round)d is a forfeit by %(bots)s"),
    "ruled_draw": _("fixture %(fixture)d of round %(round)d is a draw"),
    "ruled_void": _("fixture %(fixture)d of round %(round)d is void"),
    "ruled_lift": _("fixture %(fixture)d of round %(round)d counts as played; the ruling is lifted"),
    "ruled_rerun": _("a table of fixture %(fixture)d of round %(round)d will be rerun"),
    "pair_void": _("fixtures between %(first)s and %(second)s are void"),
    "pair_lift": _("fixtures between %(first)s and %(second)s count as played; the ruling is lifted"),
}

NOTICES: Mapping[str, Any] = {
    "partner_asked": _(
        "%(player)s wants to enter %(tournament)s with the pair %(bots)s, which includes your "
        "%(version)s. Agree or decline on the tournament page%(until)s. Without your consent, the "
        "entry becomes void at the lock."
    ),
    "partner_agreed": _("%(player)s agreed: the pair %(bots)s is entered in %(tournament)s."),
    "partner_declined": _(
        "The pair %(bots)s is not entered in %(tournament)s: %(player)s declined%(because)s."
    ),
    "invited": _("%(organiser)s invites you to %(tournament)s (%(preset)s). You can enter%(until)s."),
    "course_invited": _(
        "%(user)s invites you to the course %(course)s. Join or decline on the courses page."
    ),
    "remote_invited_by_person": _(
        "%(user)s asks to play %(preset)s with your bot %(invited)s. The invitation is open for 15 minutes."
    ),
    "remote_table_open": _("Your table of %(preset)s with %(bot)s has been opened."),
    "remote_invited": _(
        "%(user)s invites your remote bot %(invited)s to an unrated table with %(bot)s (%(preset)s). "
        "Accept or decline on its page."
    ),
    "entry_withdrawn": _("%(bots)s was withdrawn from %(tournament)s%(by)s%(because)s."),
    "entry_gone": _("%(bots)s has left %(tournament)s%(because)s."),
    "entry_taken_out": _("%(bots)s was removed from %(tournament)s%(by)s%(because)s."),
    "entry_void": _("%(bots)s is not in %(tournament)s: %(why)s."),
    "entry_of_suspended": _(
        "%(version)s is suspended. The entry of %(bots)s in %(tournament)s becomes void at the lock%(when)s "
        "unless the version is ready again by then. You can withdraw it and enter another version."
    ),
    "entry_of_retired": _(
        "%(version)s is retired. The entry of %(bots)s in %(tournament)s becomes void at the lock%(when)s. "
        "You can withdraw it and enter another version."
    ),
    "tournament_final": _(
        "The results of %(tournament)s are final. You can now see its standings and records."
    ),
    "challenge_played": _("Your challenge %(tournament)s has finished."),
    "tournament_cancelled": _("%(tournament)s was cancelled%(because)s."),
    "system_cancelled": _("The system cancelled %(tournament)s%(because)s."),
    "system_paused": _("The system paused %(tournament)s%(because)s."),
    "entry_until": _("Entry to %(tournament)s now ends at %(time)s."),
    "entry_open_end": _("Entry to %(tournament)s now stays open until the organiser closes it."),
    "series_paused": _("%(series)s is paused: %(why)s Correct this, then resume the cup."),
    "edition_skipped": _(
        "%(series)s: the edition of %(missed)s (and any other until %(now)s) was skipped, because "
        "the platform was down when entry should have opened.%(next)s"
    ),
    "not_entered": _(
        "%(bot)s could not be entered in the latest edition of %(series)s: %(why)s The site "
        "tries again for each new edition until you remove the bot on the cup's page."
    ),
    "unsubscribed_game": _(
        "%(bot)s is no longer entered in the editions of %(series)s, because the cup now plays %(game)s."
    ),
    "unsubscribed_partners": _(
        "%(bot)s is no longer entered in the editions of %(series)s, because partners in this cup "
        "now change from round to round. If you agree to that, enter the bot again on the cup's "
        "page."
    ),
    "report_opened": _("%(user)s reported a problem with %(bots)s in %(tournament)s: %(text)s"),
    "report_answered": _("Answer to your report about %(bots)s in %(tournament)s: %(text)s"),
    "named_organiser": _(
        "%(user)s made you an organiser of %(tournament)s. You can run it, or remove yourself in "
        "its settings."
    ),
    "ladder_idle": _(
        "%(version)s was removed from the ladder %(preset)s, because it forfeited every table of its last "
        "%(rounds)d rounds. Its page shows the faults. When they are fixed, enter a version again."
    ),
    "suspended": _(
        "%(version)s is suspended: %(why)s. It cannot enter tournaments. Its locked entries keep "
        "playing; its entries in open tournaments become void at the lock unless it is ready "
        "again by then. To fix this, upload a corrected version, or request a new check of this "
        "one (at most once a day), which ends the suspension if it passes. Its page shows the "
        "faults.%(active)s"
    ),
    "still_suspended": _(
        "%(version)s remains suspended, because it failed its new check; the check shows why. To "
        "fix this, upload a corrected version, or request another check of this one (at most once "
        "a day), which ends the suspension if it passes."
    ),
    "reinstated_by_operator": _(
        "%(version)s can enter tournaments again: an operator ended the suspension. Earlier forfeits no "
        "longer count towards a suspension."
    ),
    "reinstated_by_check": _(
        "%(version)s can enter tournaments again: it passed its check. Earlier forfeits no longer count "
        "towards a suspension."
    ),
    "check_passed": _("%(version)s passed its check.%(active)s You can enter it in open tournaments."),
    "check_failed": _(
        "%(version)s failed its check%(because)s. Its page shows every step. Upload a corrected version."
    ),
    "stalled": _(
        "%(tournament)s has stopped because of a platform fault: %(part)s. No entry is penalised, and "
        "no results are lost. The tournament will continue once the operator has fixed the fault. "
        "Details: %(why)s"
    ),
    "recovered": ngettext_lazy(
        "%(tournament)s has resumed after a stop of %(seconds)d second.",
        "%(tournament)s has resumed after a stop of %(seconds)d seconds.",
        "seconds",
    ),
    "table_held_back": _(
        "A table of %(tournament)s was quarantined after platform faults: %(why)s. When the cause is fixed, "
        "return all quarantined tables to the queue on the tournament page. After %(hours)d hours the "
        "fixture becomes void."
    ),
    "ruling": _("Ruling in %(tournament)s: %(ruling)s. Reason: %(text)s"),
    "experiment_accepted": ngettext_lazy(
        "%(candidate)s is better than %(baseline)s: accepted after %(boards)d board.",
        "%(candidate)s is better than %(baseline)s: accepted after %(boards)d boards.",
        "boards",
    ),
    "experiment_rejected": ngettext_lazy(
        "%(candidate)s is not better than %(baseline)s by %(difference)s stones per board: rejected after "
        "%(boards)d board.",
        "%(candidate)s is not better than %(baseline)s by %(difference)s stones per board: rejected after "
        "%(boards)d boards.",
        "boards",
    ),
    "experiment_inconclusive": ngettext_lazy(
        "%(candidate)s against %(baseline)s: undecided after %(boards)d board.",
        "%(candidate)s against %(baseline)s: undecided after %(boards)d boards.",
        "boards",
    ),
    "experiment_stopped": ngettext_lazy(
        "%(candidate)s against %(baseline)s was stopped after %(boards)d board%(because)s.",
        "%(candidate)s against %(baseline)s was stopped after %(boards)d boards%(because)s.",
        "boards",
    ),
    "password_changed": _(
        "Your password was changed, and all other sessions have ended. If you did not do this, set a new "
        "password and check your passkeys and tokens."
    ),
    "passkey_added": _("The passkey %(name)s was added. If you did not do this, remove it."),
    "passkey_removed": _("The passkey %(name)s was removed. If you did not do this, change your password."),
    "identity_linked": _(
        "An identity at %(name)s was linked to your account. If you did not do this, unlink it."
    ),
    "identity_unlinked": _(
        "Your identity at %(name)s was unlinked. If you did not do this, change your password."
    ),
    "email_changed": _(
        "The e-mail address of your account was changed. If you did not do this, change it back and set a "
        "new password."
    ),
    "mail_refused": _(
        "The mail server refused your address (%(reply)s), so no more e-mails are sent to it. Correct the "
        "address, or confirm it again."
    ),
    "webhook_disabled": _(
        "%(webhook)s was disabled: %(why)s. Its waiting deliveries have failed. Fix the receiver, resume the "
        "webhook (rensho api PATCH webhooks/%(id)s state=active), and redeliver what you need."
    ),
}
